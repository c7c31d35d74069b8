extends "broken_base.gd"
## validate(): the engine's verdict on every buffer, in words, without a value and without a sound.

const Generator := preload("../support/generator.gd")
const MAX_LEN := 400

## Bytes, and what is wrong with them: one of each kind of reason.
const REASONS: Dictionary[String, String] = {
	"": "expected 4 more bytes for a header, found 0, at byte 0",
	"020000": "expected 4 more bytes for a header, found 3, at byte 0",
	"27000000": "expected a type from 0 to 38, found 39, at byte 0",
	"02000000 0100": "expected 4 more bytes for int, found 2, at byte 4",
	"03000100 01000000": "expected 8 more bytes for float, found 4, at byte 4",
	"05000000 00000000": "expected 8 more bytes for Vector2, found 4, at byte 4",
	"04000000 05000000 61626364 65": "expected 8 more bytes for String, found 5, at byte 8",
	"04000000 ffffffff": "expected 0 or more for the length of String, found -1, at byte 4",
	"15000000 03000000 6180ff00": "expected UTF-8 for StringName, found byte 0x80, at byte 9",
	"1e000000 ffffffff":
	"expected 0 or more for the count of PackedInt32Array, found -1, at byte 4",
	"1e000000 02000000 01000000":
	"expected 4 more bytes for PackedInt32Array element 1 of 2, found 0, at byte 12",
	"22000000 02000000 02000000 61000000 02000000 c3000000":
	"expected UTF-8 for PackedStringArray element 1 of 2, found byte 0xc3, at byte 20",
	"16000000 01000000 00000000 00000000":
	"expected bit 31 in the name count of NodePath, found the format before Godot 3, at byte 4",
	"1a000000 00000000 00": "expected 8 more bytes for the object id of Signal, found 1, at byte 8",
	"18000100 ffff": "expected 8 more bytes for the instance id of Object, found 2, at byte 4",
	"1c000100 27000000 00000000":
	"expected an element type from 0 to 38 for Array, found 39, at byte 4",
	"1c000000 01000000 1c000000 01000000 02000000":
	"expected 4 more bytes for int, found 0, at byte 20 inside [0][0]",
	"1b000000 01000000 04000000 01000000 6b000000 02000000 00":
	'expected 4 more bytes for int, found 1, at byte 24 inside ["k"]',
	"18000000 00000000":
	"expected no object with properties, as objects are not allowed, found one, at byte 0",
}


func test_none() -> void:
	var found: Variant = VarBatch.validate([])
	check_value(found, PackedStringArray(), "reasons of no buffers")


func test_reasons() -> void:
	for hex: String in REASONS:
		var bytes := hex.replace(" ", "").hex_decode()
		check(not is_accepted(bytes), "the engine accepts %s" % hex)
		check_value(VarBatch.validate([bytes]), PackedStringArray([REASONS[hex]]), hex)


## What the README promises a reason to look like.
func test_a_reason_deep_inside() -> void:
	var positions := PackedVector3Array()
	positions.resize(9)
	var bytes := var_to_bytes({"inventory": [0, 0, positions]})
	var element_size := var_to_bytes(Vector3.ZERO).size() - 4
	var at := 60 + 3 * element_size
	var reason := VarBatch.validate([bytes.slice(0, at + 4)])[0]
	var expected := (
		"expected %d more bytes for PackedVector3Array element 3 of 9, found 4, " % element_size
		+ 'at byte %d inside ["inventory"][2]' % at
	)
	check_value(reason, expected, "the reason of an array that is cut")


func test_elements_that_are_no_bytes() -> void:
	var elements: Array = []
	var expected := PackedStringArray()
	for type: int in Values.types():
		if type != TYPE_PACKED_BYTE_ARRAY:
			elements.append(Values.plain(type))
			expected.append("expected a PackedByteArray, found %s" % type_string(type))
	elements.append(var_to_bytes(1))
	expected.append("")
	check_value(VarBatch.validate(elements), expected, "elements that are no bytes")
	var typed: Array[String] = ["x", "y"]
	expected = ["expected a PackedByteArray, found String"]
	check_value(VarBatch.validate(typed), expected + expected, "a typed array of texts")


func test_every_truncation() -> void:
	var values := Values.all().filter(_is_short)
	check(values.size() > 200, "too few short values")
	for value: Variant in values:
		_check_verdicts(truncations(var_to_bytes(value)), false, type_string(typeof(value)))


func test_every_truncation_of_random_values() -> void:
	for whole: bool in [false, true]:
		var generator := Generator.new(271828, whole)
		for i: int in part_of(2000):
			var value: Variant = generator.value()
			var bytes := var_to_bytes_with_objects(value) if whole else var_to_bytes(value)
			if bytes.size() <= MAX_LEN:
				_check_verdicts(truncations(bytes) + [bytes], whole, "random value %d" % i)


## Whatever the engine writes is fine, except text with half a surrogate pair.
func test_whole_values() -> void:
	var buffers := Values.engine_bytes(Values.all())
	_check_verdicts(buffers, false, "whole values")
	check_int(VarBatch.validate(buffers).count(""), buffers.size(), "good buffers")


func test_objects() -> void:
	var objects := Values.Engines.storable_objects()
	var buffers: Array[PackedByteArray] = []
	for object: Variant in objects + [objects, {"k": objects}]:
		buffers.append(var_to_bytes_with_objects(object))
	_check_verdicts(buffers, true, "objects")
	_check_verdicts(buffers, false, "objects")
	check_int(VarBatch.validate(buffers, true).count(""), buffers.size(), "objects allowed")
	check_int(VarBatch.validate(buffers).count(""), 0, "objects not allowed")


## Classes and scripts that are not there: nothing is printed about those either.
func test_objects_that_cannot_be_made() -> void:
	var buffers: Array[PackedByteArray] = []
	for name: String in ["NoSuchClass", "RenderingServer", "CanvasItem", "Ünïcode", ""]:
		buffers.append(Values.header(TYPE_OBJECT) + var_to_bytes(name).slice(4) + Values.u32(0))
		var typed := Values.u32(TYPE_ARRAY | 2 << 16) + var_to_bytes(name).slice(4)
		buffers.append(typed + Values.u32(0))
	for path: String in ["res://conformance/support/scripted.gd", "res://none.gd", "user://a.gd", ""]:
		var script := var_to_bytes("RefCounted").slice(4) + Values.u32(1)
		script += var_to_bytes("script").slice(4) + var_to_bytes(path)
		buffers.append(Values.header(TYPE_OBJECT) + script)
		var typed := Values.u32(TYPE_ARRAY | 3 << 16) + var_to_bytes(path).slice(4)
		buffers.append(typed + Values.u32(0))
	_check_verdicts(buffers, true, "classes and scripts")
	_check_verdicts(buffers, false, "classes and scripts")


## The same from any number of threads, in order, for small and large buffers.
func test_threads() -> void:
	var buffers: Array[PackedByteArray] = []
	var expected := PackedStringArray()
	var large := var_to_bytes(Values.Packed.make(TYPE_PACKED_STRING_ARRAY, 20_000))
	for i: int in 5000:
		var bytes := var_to_bytes([i, "text", {"k": [i]}])
		if i % 7 == 3:
			bytes.resize(20)
		elif i % 500 == 0:
			bytes = large
		elif i % 500 == 1:
			bytes = large.slice(0, -2)
		buffers.append(bytes)
		expected.append(VarBatch.validate([bytes])[0])
	for count: int in [1, 2, 0]:
		VarBatch.set_thread_count(count)
		var check_all := func() -> PackedStringArray: return VarBatch.validate(buffers)
		var found: PackedStringArray = expect_errors(check_all, 0, "")
		check(found == expected, "reasons differ with thread count %d" % count)
	check(expected.count("") > 4000 and expected.count("") < 5000, "bad and good buffers")


func test_inputs_are_unchanged() -> void:
	var bytes := var_to_bytes([1, "two"])
	var buffers: Array[PackedByteArray] = [bytes, bytes.slice(0, 9)]
	buffers.make_read_only()
	check_int(VarBatch.validate(buffers).count(""), 1, "good ones of read-only buffers")
	check_buffers(
		buffers, [var_to_bytes([1, "two"]), var_to_bytes([1, "two"]).slice(0, 9)], "buffers"
	)


func _check_verdicts(buffers: Array, allow_objects: bool, what: String) -> void:
	var check_all := func() -> PackedStringArray: return VarBatch.validate(buffers, allow_objects)
	var reasons: PackedStringArray = expect_errors(check_all, 0, "")
	check_int(reasons.size(), buffers.size(), "reasons")
	var accepted: Array = quietly(
		func() -> Array:
			return buffers.map(
				func(bytes: PackedByteArray) -> bool: return bytes.has_encoded_var(0, allow_objects)
			)
	)
	for i: int in mini(reasons.size(), buffers.size()):
		var is_reason := reasons[i].begins_with("expected ") and ", found " in reasons[i]
		is_reason = is_reason and " at byte " in reasons[i]
		if not (reasons[i].is_empty() if accepted[i] else is_reason):
			var hex: String = buffers[i].slice(0, 60).hex_encode()
			check(false, "%s: accepted: %s, '%s': %s" % [what, accepted[i], reasons[i], hex])
	checks += reasons.size()


func _is_short(value: Variant) -> bool:
	return var_to_bytes(value).size() <= MAX_LEN
