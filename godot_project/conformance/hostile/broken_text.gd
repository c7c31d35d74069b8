extends "broken_base.gd"
## Text that is not UTF-8, or not quite, wherever text stands in a value.

## A value of each kind that holds text: its bytes before the text and behind it.
const HOLDERS: Dictionary[String, Array] = {
	"String": ["04000000", ""],
	"StringName": ["15000000", ""],
	"name of a NodePath": ["16000000 01000080 00000000 01000000", ""],
	"subname of a NodePath": ["16000000 01000080 01000000 00000000 01000000 61000000", ""],
	"Signal": ["1a000000", "0100000000000080"],
	"class of an Array": ["1c000200", "00000000"],
	"class of a Dictionary's values": ["1b000800", "00000000"],
	"key of a Dictionary": ["1b000000 01000000 04000000", "00000000"],
}

## Not UTF-8.
const MALFORMED: PackedStringArray = [
	"80",  # a continuation alone
	"bf",
	"fe",
	"ff",
	"c3",  # leads without their continuations
	"c328",
	"e697",
	"e6",
	"e69728",
	"e62897",
	"f0",
	"f09f98",
	"f09f9828",
	"f0288cbc",
	"c080",  # longer than needed
	"c1bf",
	"e080af",
	"e09fbf",
	"f08080af",
	"f08fbfbf",
	"eda080",  # surrogates
	"edbfbf",
	"eda0bdedb880",
	"f4908080",  # past U+10FFFF
	"f7bfbfbf",
	"f888808080",  # five and six bytes
	"fc8480808080",
]

## UTF-8, though strange.
const WELL_FORMED: PackedStringArray = [
	"efbbbf",  # byte order marks
	"efbbbf61",
	"efbbbfefbbbf61",
	"61efbbbf",
	"efbb",  # two thirds of one: malformed after all
	"efbfbf",  # U+FFFF
	"f48fbfbf",  # U+10FFFF
	"ed9fbf",  # around the surrogates
	"ee8080",
	"7f",
	"c280",
	"dfbf",
	"e0a080",
	"f0908080",
	"01",
]

## Numbers of ASCII letters before and behind: text is read in blocks of 16, 32 or 64 bytes.
const RUNS: PackedInt32Array = [0, 1, 3, 13, 15, 16, 17, 31, 33, 64]


func test_malformed() -> void:
	for form: String in MALFORMED:
		check(not is_accepted(_text_bytes(form.hex_decode())), "the engine accepts %s" % form)
		check_verdicts(_among_letters(form.hex_decode()), "malformed %s" % form)


func test_malformed_in_every_holder() -> void:
	for holder: String in HOLDERS:
		for form: String in MALFORMED:
			var buffers := _held(holder, form.hex_decode())
			check(not is_accepted(buffers[0]), "the engine accepts %s" % form)
			check_verdicts(buffers, "malformed %s in %s" % [form, holder])


func test_well_formed() -> void:
	for form: String in WELL_FORMED:
		check_verdicts(_among_letters(form.hex_decode()), "well formed %s" % form)


func test_well_formed_in_every_holder() -> void:
	for holder: String in HOLDERS:
		for form: String in WELL_FORMED:
			check_verdicts(
				_held(holder, form.hex_decode()), "well formed %s in %s" % [form, holder]
			)


## The text ends at the first NUL; what is behind it is skipped unread.
func test_nul_in_the_middle() -> void:
	var buffers: Array[PackedByteArray] = []
	for form: String in [
		"00", "0000", "00ff", "00c3", "00eda080", "0061", "ff00", "c300", "efbbbf00"
	]:
		buffers.append_array(_among_letters(form.hex_decode()))
		for holder: String in HOLDERS:
			buffers.append_array(_held(holder, form.hex_decode()))
	check_verdicts(buffers, "NUL in the middle")


## Lengths that are wrong, negative, or overflow when the padding is added.
func test_lengths_in_every_holder() -> void:
	for holder: String in HOLDERS:
		var before := _hex(HOLDERS[holder][0] as String)
		var bytes := _holding(holder, "abcdefg".to_ascii_buffer())
		var buffers: Array[PackedByteArray] = []
		for length: int in range(0, 24):
			buffers.append(with_u32(bytes, before.size(), length))
		for length: int in [0x7ffffffc, 0x7ffffffd, 0x7fffffff, 0x80000000, 0xfffffffd, 0xffffffff]:
			buffers.append(with_u32(bytes, before.size(), length))
		check_verdicts(buffers, "length of %s" % holder)
		check_verdicts(truncations(bytes), "part of %s" % holder)


## Padding must be there, whatever it holds.
func test_padding_in_every_holder() -> void:
	for holder: String in HOLDERS:
		var buffers: Array[PackedByteArray] = []
		for length: int in range(1, 9):
			var bytes := _holding(holder, "abcdefgh".left(length).to_ascii_buffer())
			var end := _hex(HOLDERS[holder][0] as String).size() + 4 + length
			for at: int in range(end, end + posmod(-length, 4)):
				bytes[at] = 0xff
				buffers.append(bytes.slice(0, at))
			buffers.append(bytes)
			check(is_accepted(bytes), "the engine refuses other padding in %s" % holder)
		check_verdicts(buffers, "padding in %s" % holder)


func test_no_nul_at_the_end() -> void:
	var buffers: Array[PackedByteArray] = []
	for form: String in [
		"", "61", "6162", "616263", "61626364", "e697a5", "f09f9880", "efbbbf", "c3"
	]:
		buffers.append(_text_bytes(form.hex_decode(), false))
	check_verdicts(buffers, "no NUL at the end")


## Bad text behind good text: nothing half built is given back.
func test_malformed_in_a_later_text() -> void:
	var buffers: Array[PackedByteArray] = []
	for place: int in [0, 1, 49, 99]:
		var bytes := Values.header(TYPE_PACKED_STRING_ARRAY) + Values.u32(100)
		for i: int in 100:
			var text := "ff" if i == place else "6162"
			bytes.append_array(_text(text.hex_decode() + PackedByteArray([0])))
		check(not is_accepted(bytes), "the engine accepts bad text %d" % place)
		buffers.append(bytes)
	check_verdicts(buffers, "malformed in a later text")


## [param form] alone and with letters around, with and without a second text behind.
func _among_letters(form: PackedByteArray) -> Array[PackedByteArray]:
	var buffers: Array[PackedByteArray] = []
	for before: int in RUNS:
		var text := "a".repeat(before).to_ascii_buffer() + form
		buffers.append(_text_bytes(text))
		buffers.append(_text_bytes(text + "b".repeat(40).to_ascii_buffer()))
	return buffers


## [param form] in such a value, alone and with letters around.
func _held(holder: String, form: PackedByteArray) -> Array[PackedByteArray]:
	var buffers: Array[PackedByteArray] = []
	for before: int in [0, 1, 15, 16, 33]:
		var text := "a".repeat(before).to_ascii_buffer() + form
		buffers.append(_holding(holder, text))
		buffers.append(_holding(holder, text + "b".repeat(20).to_ascii_buffer()))
	return buffers


func _holding(holder: String, text: PackedByteArray) -> PackedByteArray:
	var around := HOLDERS[holder]
	return _hex(around[0] as String) + _text(text) + _hex(around[1] as String)


func _hex(text: String) -> PackedByteArray:
	return text.replace(" ", "").hex_decode()


func _text_bytes(text: PackedByteArray, with_nul := true) -> PackedByteArray:
	var first := _text(text + PackedByteArray([0])) if with_nul else _text(text)
	var second := _text("next\u0001".to_ascii_buffer() + PackedByteArray([0]))
	return Values.header(TYPE_PACKED_STRING_ARRAY) + Values.u32(2) + first + second


func _text(bytes: PackedByteArray) -> PackedByteArray:
	var padded := Values.u32(bytes.size()) + bytes
	padded.resize((padded.size() + 3) / 4 * 4)
	return padded
