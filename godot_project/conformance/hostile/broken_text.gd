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

const MALFORMED: Dictionary[String, String] = {
	"no leads": "80 bf fe ff",
	"leads without their continuations":
	"c3 c328 e697 e6 e69728 e62897 f0 f09f98 f09f9828 f0288cbc",
	"longer than needed": "c080 c1bf e080af e09fbf f08080af f08fbfbf",
	"surrogates": "eda080 edbfbf eda0bdedb880",
	"past U+10FFFF": "f4908080 f7bfbfbf",
	"five and six bytes": "f888808080 fc8480808080",
}

## UTF-8, though strange, and a part of a byte order mark. The text ends at the first NUL: what is
## behind it is skipped unread.
const STRANGE: Dictionary[String, String] = {
	"byte order marks": "efbbbf efbbbf61 efbbbfefbbbf61 61efbbbf efbb",
	"the last characters": "efbfbf f48fbfbf",
	"around the surrogates": "ed9fbf ee8080",
	"the first and last of a length": "7f c280 dfbf e0a080 f0908080 01",
	"NUL in the middle": "00 0000 00ff 00c3 00eda080 0061 ff00 c300 efbbbf00",
}

## Numbers of ASCII letters before and behind: text is read in blocks of 16, 32 or 64 bytes.
const RUNS: PackedInt32Array = [0, 1, 3, 13, 15, 16, 17, 31, 33, 64]
const FEW_RUNS: PackedInt32Array = [0, 1, 15, 16, 33]


func test_malformed() -> void:
	_check_forms(MALFORMED, true)


func test_strange() -> void:
	_check_forms(STRANGE, false)


## Lengths that are wrong, negative, or overflow when the padding is added.
func test_lengths() -> void:
	for holder: String in HOLDERS:
		var at := Values.hex(HOLDERS[holder][0] as String).size()
		var bytes := _holding(holder, "abcdefg".to_ascii_buffer())
		var buffers := truncations(bytes)
		for length: int in (
			range(24) + [0x7ffffffc, 0x7ffffffd, 0x7fffffff, 0x80000000, 0xfffffffd, 0xffffffff]
		):
			buffers.append(with_u32(bytes, at, length))
		check_verdicts(buffers, "length of %s, and parts" % holder)


## Padding must be there, whatever it holds.
func test_padding() -> void:
	for holder: String in HOLDERS:
		var buffers: Array[PackedByteArray] = []
		for length: int in range(1, 9):
			var bytes := _holding(holder, "abcdefgh".left(length).to_ascii_buffer())
			var end := Values.hex(HOLDERS[holder][0] as String).size() + 4 + length
			for at: int in range(end, end + posmod(-length, 4)):
				bytes[at] = 0xff
				buffers.append(bytes.slice(0, at))
			buffers.append(bytes)
			check(is_accepted(bytes), "the engine refuses other padding in %s" % holder)
		check_verdicts(buffers, "padding in %s" % holder)


func test_no_nul_at_the_end() -> void:
	var buffers: Array[PackedByteArray] = [_texts([PackedByteArray(), _next()])]
	for form: String in "61 6162 616263 61626364 e697a5 f09f9880 efbbbf c3".split(" "):
		buffers.append(_texts([Values.hex(form), _next()]))
	check_verdicts(buffers, "no NUL at the end")


## Each form, alone and with letters around, in an array of texts and in every holder.
func _check_forms(forms: Dictionary[String, String], is_refused: bool) -> void:
	for group: String in forms:
		for form: String in forms[group].split(" "):
			var what := "%s, %s" % [group, form]
			var buffers: Array[PackedByteArray] = []
			for text: PackedByteArray in _among_letters(Values.hex(form), RUNS, 40):
				buffers.append(_texts([text + PackedByteArray([0]), _next()]))
			check(not (is_refused and is_accepted(buffers[0])), "the engine accepts %s" % form)
			check_verdicts(buffers, what)
			for holder: String in HOLDERS:
				buffers.clear()
				for text: PackedByteArray in _among_letters(Values.hex(form), FEW_RUNS, 20):
					buffers.append(_holding(holder, text))
				check(not (is_refused and is_accepted(buffers[0])), "the engine accepts %s" % form)
				check_verdicts(buffers, "%s in %s" % [what, holder])


func _among_letters(
	form: PackedByteArray, runs: PackedInt32Array, behind: int
) -> Array[PackedByteArray]:
	var texts: Array[PackedByteArray] = []
	for before: int in runs:
		var text := "a".repeat(before).to_ascii_buffer() + form
		texts.append_array([text, text + "b".repeat(behind).to_ascii_buffer()])
	return texts


func _holding(holder: String, text: PackedByteArray) -> PackedByteArray:
	var around := HOLDERS[holder]
	return Values.hex(around[0] as String) + _text(text) + Values.hex(around[1] as String)


## A PackedStringArray.
func _texts(texts: Array) -> PackedByteArray:
	var bytes := Values.header(TYPE_PACKED_STRING_ARRAY) + Values.u32(texts.size())
	for text: PackedByteArray in texts:
		bytes.append_array(_text(text))
	return bytes


func _next() -> PackedByteArray:
	return "next\u0001".to_ascii_buffer() + PackedByteArray([0])


func _text(bytes: PackedByteArray) -> PackedByteArray:
	var padded := Values.u32(bytes.size()) + bytes
	padded.resize((padded.size() + 3) / 4 * 4)
	return padded
