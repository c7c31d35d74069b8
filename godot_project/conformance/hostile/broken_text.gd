extends "broken_base.gd"
## Text that is not UTF-8, or not quite, wherever text stands in a value. Every three bytes, and an odd
## one at each place of a long text: text_kernels.rs of the codec's tests.

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
	"element of a PackedStringArray": ["22000000 02000000", "06000000 6e657874 01000000"],
}

const MALFORMED: Dictionary[String, String] = {
	"no leads": "80 bf fe ff",
	"leads without their continuations": "c3 c328 e697 e6 e69728 e62897 f0 f09f98 f09f9828 f0288cbc",
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

## Numbers of ASCII letters before and behind, without a NUL at the end and with one.
const BEFORE: PackedInt32Array = [0, 1, 16, 33]
const BEHIND: PackedStringArray = ["", "62626262626262626262626262626262626262", "00"]


func test_malformed() -> void:
	_check_forms(MALFORMED, true)


func test_strange() -> void:
	_check_forms(STRANGE, false)


## Lengths that are wrong, negative, or overflow when the padding is added. The padding must be there,
## whatever it holds.
func test_lengths_and_padding() -> void:
	for holder: String in HOLDERS:
		var at := Values.hex(HOLDERS[holder][0] as String).size()
		var bytes := _holding(holder, "abcdefg".to_ascii_buffer())
		var buffers := truncations(bytes)
		for length: int in range(24) + [0x7ffffffc, 0x7ffffffd, 0x7fffffff, 0x80000000, 0xfffffffd, 0xffffffff]:
			buffers.append(with_u32(bytes, at, length))
		for length: int in range(1, 9):
			bytes = _holding(holder, "abcdefgh".left(length).to_ascii_buffer())
			for padding: int in range(at + 4 + length, at + 4 + length + posmod(-length, 4)):
				bytes[padding] = 0xff
			buffers.append(bytes)
			check(is_accepted(bytes), "the engine refuses other padding in %s" % holder)
		check_verdicts(buffers, "length and padding of %s, and parts" % holder)


## Each form in every holder, alone and with letters around.
func _check_forms(forms: Dictionary[String, String], is_refused: bool) -> void:
	for group: String in forms:
		for form: String in forms[group].split(" "):
			for holder: String in HOLDERS:
				var buffers: Array[PackedByteArray] = []
				for before: int in BEFORE:
					for behind: String in BEHIND:
						buffers.append(_holding(holder, Values.hex("61".repeat(before) + form + behind)))
				check(not (is_refused and is_accepted(buffers[0])), "the engine accepts %s" % form)
				check_verdicts(buffers, "%s, %s in %s" % [group, form, holder])


func _holding(holder: String, text: PackedByteArray) -> PackedByteArray:
	var padded := Values.u32(text.size()) + text
	padded.resize((padded.size() + 3) / 4 * 4)
	var around := HOLDERS[holder]
	return Values.hex(around[0] as String) + padded + Values.hex(around[1] as String)
