extends "broken_base.gd"
## validate(): the engine's verdict on every buffer, in words, without a value and without a sound.
## The words themselves are tested in rust/codec/tests, errors.rs; parts of values
## in broken.gd, random ones in mutations.gd.

## Bytes, and what is wrong with them.
const REASONS: Dictionary[String, String] = {
	"": "expected 4 more bytes for a header, found 0, at byte 0",
	"27000000": "expected a type from 0 to 38, found 39, at byte 0",
	"1b000000 01000000 04000000 01000000 6b000000 02000000 00":
	'expected 4 more bytes for int, found 1, at byte 24 inside ["k"]',
	"18000000 00000000":
	"expected no object with properties, as objects are not allowed (allow_objects: true, or a list of classes), found one, at byte 0",
}


func test_reasons() -> void:
	check_value(VarBatch.validate([]), PackedStringArray(), "reasons of no buffers")
	for digits: String in REASONS:
		check(not is_accepted(Values.hex(digits)), "the engine accepts %s" % digits)
		check_value(VarBatch.validate([Values.hex(digits)]), PackedStringArray([REASONS[digits]]), digits)


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


## Whatever the engine writes is fine.
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
		var text := var_to_bytes(name).slice(4)
		buffers.append(Values.header(TYPE_OBJECT) + text + Values.u32(0))
		buffers.append(Values.u32(TYPE_ARRAY | 2 << 16) + text + Values.u32(0))
	for path: String in ["res://conformance/support/scripted.gd", "res://none.gd", "user://a.gd", ""]:
		var script := var_to_bytes("RefCounted").slice(4) + Values.u32(1)
		script += var_to_bytes("script").slice(4) + var_to_bytes(path)
		buffers.append(Values.header(TYPE_OBJECT) + script)
		var text := var_to_bytes(path).slice(4)
		buffers.append(Values.u32(TYPE_ARRAY | 3 << 16) + text + Values.u32(0))
	check_reasons(buffers, true, "objects, classes and scripts")
	check_reasons(buffers, false, "objects, classes and scripts")


## The same from any number of threads, in order, for small and large buffers.
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
		var check_all := func() -> PackedStringArray: return VarBatch.validate(buffers)
		var found: PackedStringArray = expect_errors(check_all, 0, "")
		check(found == expected, "reasons differ with thread count %d" % count)
	check(expected.count("") > 4000 and expected.count("") < 5000, "bad and good buffers")
