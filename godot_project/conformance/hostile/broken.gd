extends "broken_base.gd"
## Bytes that are cut, lying or damaged, and text that is not UTF-8, or not quite, of every type and wherever it stands:
## for each the engine says what is right, and validate() says why in words, without a value and without a sound. Counts
## and lengths that lie are in mutations.gd, what they may allocate in memory.gd.

const FLAG_64 := 1 << 16
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
## Bytes, and what is wrong with them.
const REASONS: Dictionary[String, String] = {
	"": "expected 4 more bytes for a header, found 0, at byte 0",
	"27000000": "expected a type from 0 to 38, found 39, at byte 0",
	"1b000000 01000000 04000000 01000000 6b000000 02000000 00":
	'expected 4 more bytes for int, found 1, at byte 24 inside ["k"]',
	"18000000 00000000":
	"expected no object with properties, as objects are not allowed (allow_objects: true, or a list of classes), found one, at byte 0",
}


func test_truncations() -> void:
	var values: Array = [1 << 40, 0.1, "text", &"name", ^"/a:b", [1, "a"], {"k": [2.5]}]
	for type: int in Values.types():
		# The fourth of the packed arrays has three elements, the first none.
		values.append(Values.of(type)[3 if type >= TYPE_PACKED_BYTE_ARRAY else 0])
	for value: Variant in values:
		check_verdicts(truncations(var_to_bytes(value)), "part of %s" % type_string(typeof(value)))
	# Up to the last component of 64 bits, and where those of 32 bits would end.
	for bytes: PackedByteArray in _components(1, 2, [true]):
		var parts := truncations(bytes)
		var few := parts.slice(-9)
		few.append(parts[bytes.size() / 2 + 2])
		check_verdicts(few, "part of wide components")


func test_components_of_both_widths() -> void:
	for shift: int in 40:
		var buffers := _components(shift, [0, 1, 2, 3, 5, 16, 17, 500][shift % 8] as int)
		check(buffers.all(is_accepted), "one is not accepted by the engine, from number %d on" % shift)
		check_verdicts(buffers, "components of both widths")


func test_both_widths_in_one_value() -> void:
	var types := Array(Values.PACKED_VECTORS) + Values.FLOAT_COMPONENTS.keys()
	types.erase(TYPE_COLOR)
	for type: int in types:
		var parts := PackedByteArray()
		var keys := Values.u32(TYPE_DICTIONARY) + Values.u32(6)
		for i: int in 6:
			var part := _part(type, i, i / 2 + 1, i % 2 == 1)
			parts.append_array(part)
			keys.append_array(part + var_to_bytes(i))
		var array := Values.u32(TYPE_ARRAY) + Values.u32(6) + parts
		var typed := Values.u32(TYPE_ARRAY | FLAG_64) + Values.u32(type) + Values.u32(6) + parts
		check_verdicts([array, typed, keys], "both widths of %s" % type_string(type))


## Each bit of the header beside the type, of which most mean nothing and are ignored, and types that there are not.
func test_headers() -> void:
	for type: int in Values.types():
		var buffers: Array[PackedByteArray] = []
		for value: Variant in [Values.of(type)[0], Values.of(type)[-1]]:
			var bytes := var_to_bytes(value)
			bytes.resize(mini(bytes.size(), 4000))
			for bit: int in range(8, 32):
				buffers.append(with_u32(bytes, 0, bytes.decode_u32(0) ^ (1 << bit)))
			buffers.append(with_u32(bytes, 0, type | 0xffffff00))
		check_verdicts(buffers, "flags of %s" % type_string(type))
	var unknown: Array[PackedByteArray] = []
	for type: int in range(TYPE_MAX, 256):
		var rests: PackedStringArray = ["000000", "00".repeat(11), "0001000500000000000000"]
		unknown.append(PackedByteArray([type]) + Values.hex(rests[type % 3]))
	check_verdicts(unknown, "type byte out of range")


func test_padding_and_trailing_bytes() -> void:
	var buffers: Array[PackedByteArray] = []
	for length: int in range(1, 9):
		var bytes := var_to_bytes(Packed.make(TYPE_PACKED_BYTE_ARRAY, length))
		for i: int in range(8 + length, bytes.size()):
			bytes[i] = 0xff
		buffers.append_array([bytes, bytes.slice(0, -1), bytes.slice(0, -2)])
	check_verdicts(buffers, "padding")
	for type: int in Values.types():
		buffers.clear()
		for count: int in [1, 3, 4, 9]:
			buffers.append(var_to_bytes(Values.of(type)[0]) + Values.hex("ee".repeat(count)))
			check(is_accepted(buffers[-1]), "the engine refuses trailing bytes")
		check_verdicts(buffers, "trailing bytes behind %s" % type_string(type))


func test_odd_numbers() -> void:
	var numbers := {TYPE_BOOL: [0, 1, 2, 0x100, 0x10000, 0x80000000, 0xffffffff], TYPE_FLOAT: Packed.FLOAT_BITS}
	for type: int in numbers:
		var buffers := Array(numbers[type]).map(func(bits: int) -> PackedByteArray: return Values.header(type) + Values.u32(bits))
		check_verdicts(buffers, "numbers")


## A value of each type that is made of floats, special ones from number [param shift] on, of 32 and of 64 bits.
func _components(shift: int, count: int, widths := [false, true]) -> Array[PackedByteArray]:
	var buffers: Array[PackedByteArray] = []
	for type: int in Values.FLOAT_COMPONENTS.keys() + Array(Values.PACKED_VECTORS):
		for is_wide: bool in widths:
			buffers.append(_part(type, shift, count, is_wide))
	return buffers


func _part(type: int, shift: int, count: int, is_wide: bool) -> PackedByteArray:
	var bytes := Values.u32(type | (FLAG_64 if is_wide else 0))
	var components: int = Values.FLOAT_COMPONENTS.get(type, 0)
	if components == 0:
		bytes.append_array(Values.u32(count))
		components = Packed.STRIDES[type] / 4 * count
	var specials := Array(Values.DOUBLE_BITS) if is_wide else Array(Packed.FLOAT_BITS)
	for i: int in components:
		var bits: Variant = specials[(shift + i) % specials.size()]
		if is_wide:
			bytes.append_array(PackedFloat64Array([Values.float_from_bits(bits as String)]).to_byte_array())
		else:
			bytes.append_array(Values.u32(bits as int))
	return bytes


## Each form in every holder, alone and with letters around.
func test_malformed_and_strange() -> void:
	for group: String in MALFORMED.merged(STRANGE):
		for form: String in MALFORMED.get(group, STRANGE.get(group)).split(" "):
			for holder: String in HOLDERS:
				var buffers: Array[PackedByteArray] = []
				for before: int in BEFORE:
					for behind: String in BEHIND:
						buffers.append(_holding(holder, Values.hex("61".repeat(before) + form + behind)))
				check(not (group in MALFORMED and is_accepted(buffers[0])), "the engine accepts %s" % form)
				check_verdicts(buffers, "%s, %s in %s" % [group, form, holder])


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


func _holding(holder: String, text: PackedByteArray) -> PackedByteArray:
	var padded := Values.u32(text.size()) + text
	padded.resize((padded.size() + 3) / 4 * 4)
	var around := HOLDERS[holder]
	return Values.hex(around[0] as String) + padded + Values.hex(around[1] as String)


func test_reasons() -> void:
	check_value(VarBatch.validate([]), PackedStringArray(), "reasons of no buffers")
	for digits: String in REASONS:
		check(not is_accepted(Values.hex(digits)), "the engine accepts %s" % digits)
		check_value(VarBatch.validate([Values.hex(digits)]), PackedStringArray([REASONS[digits]]), digits)


func test_elements_that_are_no_bytes() -> void:
	var types := range(TYPE_MAX)
	types.erase(TYPE_PACKED_BYTE_ARRAY)
	var line := func(type: int) -> String: return "expected a PackedByteArray, found %s" % type_string(type)
	var expected := PackedStringArray(types.map(line) + [""])
	check_value(VarBatch.validate(types.map(Values.plain) + [var_to_bytes(1)]), expected, "elements that are no bytes")
	expected = [line.call(TYPE_STRING), line.call(TYPE_STRING)]
	check_value(VarBatch.validate(["x", "y"] as Array[String]), expected, "a typed array of texts")


func test_whole_values() -> void:
	var buffers := Values.engine_bytes(Values.all())
	check_reasons(buffers, false, "whole values")
	check_int(VarBatch.validate(buffers).count(""), buffers.size(), "good buffers")


## Those that are there, and classes and scripts that are not: nothing is printed about those either.
func test_objects() -> void:
	var objects := Engines.storable_objects()
	var buffers := Values.engine_bytes(objects + [objects, {"k": objects}], true)
	check_int(VarBatch.validate(buffers, true).count(""), buffers.size(), "objects allowed")
	check_int(VarBatch.validate(buffers).count(""), 0, "objects not allowed")
	for name: String in ["NoSuchClass", "RenderingServer", "CanvasItem", "Ünïcode", ""]:
		buffers.append(Values.object(name, {}))
		buffers.append(Values.u32(TYPE_ARRAY | 2 << 16) + var_to_bytes(name).slice(4) + Values.u32(0))
	for path: String in ["res://conformance/support/scripted.gd", "res://none.gd", "user://a.gd", ""]:
		buffers.append(Values.object("RefCounted", {"script": path}))
		buffers.append(Values.u32(TYPE_ARRAY | 3 << 16) + var_to_bytes(path).slice(4) + Values.u32(0))
	check_reasons(buffers, true, "objects, classes and scripts")
	check_reasons(buffers, false, "objects, classes and scripts")


func test_threads() -> void:
	var buffers: Array[PackedByteArray] = []
	var expected := PackedStringArray()
	var large := var_to_bytes(Packed.make(TYPE_PACKED_STRING_ARRAY, 20_000))
	for i: int in 5000:
		var bytes := var_to_bytes([i, "text", {"k": [i]}])
		if i % 7 == 3:
			bytes.resize(20)
		elif i % 500 < 2:
			bytes = large.slice(0, -2) if i % 500 else large
		buffers.append(bytes)
		expected.append(VarBatch.validate([bytes])[0])
	for count: int in Threads.new([1, 2, 0]):
		var found: PackedStringArray = expect_errors(call_method.bind(&"validate", [buffers]), 0, "")
		check(found == expected, "reasons differ with thread count %d" % count)
	check(expected.count("") > 4000 and expected.count("") < 5000, "bad and good buffers")
