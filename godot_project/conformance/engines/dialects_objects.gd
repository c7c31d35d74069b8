extends "dialects_base.gd"
## Objects of other engines: with properties where they are allowed, by other names, and without
## scripts. Scripts that run meanwhile.

const Meddler := preload("../hostile/meddler.gd")
const NO_OBJECTS := "expected no object with properties, as objects are not allowed (allow_objects: true, or a list of classes), found one, at "


func finish() -> void:
	Meddler.reset()
	super()


## As the engine's own functions are, for objects with properties: refused unless they are allowed,
## where they are in the bytes that were given.
func test_objects() -> void:
	# A RID takes eight bytes less in Godot 3, so that what follows lies elsewhere.
	var bytes := Values.hex("13000000 02000000 10000000" + PLAIN)
	check_call(&"bytes_to_var_in", [bytes, GODOT_3], null, [NO_OBJECTS + "byte 12 inside [1]"])
	var found: Variant = VarBatch.bytes_to_var_in(bytes, GODOT_3, true)
	check_value(found, [RID(), RefCounted.new()], "an object")
	var here := VarBatch.transcode(bytes, GODOT_3, GODOT_4)
	check_value(bytes_to_var_with_objects(here), found, "as the engine reads it")
	check_bytes(VarBatch.var_to_bytes_in(found, GODOT_3, true), bytes, "an object, back")
	check_bytes(VarBatch.transcode(here, GODOT_4, GODOT_3), bytes, "an object, translated back")
	var ids := VarBatch.var_to_bytes_in(found, GODOT_3)
	check_int(ids.decode_u32(12), 0x10011, "header of an object's id")
	check_int(ids.decode_s64(16), (found[1] as Object).get_instance_id(), "id of an object")


## The source of a script is no script for another engine, and its path neither.
func test_scripts() -> void:
	var bytes := Values.hex("13000000 03000000 02000000 07000000" + SCRIPTED + PLAIN)
	var lost := WARNING + "1 script of an object was left out, at byte "
	var expected := [7, RefCounted.new(), RefCounted.new()]
	check_call(&"bytes_to_var_in", [bytes, GODOT_3, true], expected, [lost + "52 inside [1].script"])
	var write := func() -> Variant: return VarBatch.var_to_bytes_in(Scripted.new(), GODOT_3, true)
	var there: PackedByteArray = expect_logged(write, 0, 1, lost.trim_prefix(WARNING))
	check_call(&"bytes_to_var_in", [there, GODOT_3, true], RefCounted.new(), [])


## Found when all is translated, and told at the byte that was given.
func test_unknown_classes() -> void:
	var start := "13000000 03000000 10000000" + SCRIPTED
	var bytes := Values.hex(start + "11000000 06000000 4e6f5375 63680000 00000000")
	var line := 'expected a class that can be instantiated, found "NoSuch", at byte %d inside [2]'
	line = line % Values.hex(start).size()
	check_call(&"bytes_to_var_in", [bytes, GODOT_3, true], null, [line])
	check(not VarBatch.describe(bytes, GODOT_3).has("error"), "the bytes are good")


## Classes and properties that Godot 4 has under other names, both ways.
func test_other_names() -> void:
	var node := Node3D.new()
	node.visible = false
	var resource := Resource.new()
	resource.resource_name = "é"
	var bytes := VarBatch.var_to_bytes_in([node, resource], GODOT_3, true)
	check_value(VarBatch.describe(bytes, GODOT_3).children[0].get("class"), "Spatial", "Node3D")
	var found: Array = VarBatch.bytes_to_var_in(bytes, GODOT_3, true)
	check_value(found[0].get_class(), "Node3D", "Spatial")
	check_value([found[0].visible, found[1].resource_name], [false, "é"], "properties")
	found[0].free()
	node.free()


## A getter and a setter that empty the containers around their object, a _init() that empties the
## bytes of the call.
func test_scripts_that_change_what_is_there() -> void:
	var values: Array = [Packed.make(TYPE_PACKED_BYTE_ARRAY, 300_000), Meddler.new(), "end"]
	Meddler.on_get = values.clear
	var bytes := VarBatch.var_to_bytes_in(values, GODOT_3, true)
	Meddler.reset()
	check_int(values.size(), 0, "elements that the getter left")
	var found: Array = VarBatch.bytes_to_var_in(bytes, GODOT_3, true)
	check_int(found.size(), 0, "elements that were written")
	var here := VarBatch.var_to_bytes([7, Meddler.new()], true)
	Meddler.on_init = here.clear
	found = VarBatch.bytes_to_var_in(here, GODOT_4, true)
	check_int((found[1] as Meddler).number, 0, "a property")
	check(Meddler.calls > 0, "no script was run")
