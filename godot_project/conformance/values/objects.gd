extends "../hostile/broken_base.gd"
## Objects as ids and whole, wherever they may stand: what is accepted, refused, and made of them.

const SCRIPT_PATH := "res://conformance/support/scripted.gd"
const REFUSED := "expected no object with properties"
const NOT_LISTED := 'expected a class of allow_objects, found "%s"'

const Item := preload("../support/saved_item.gd")


func test_ids_and_whole_objects_everywhere() -> void:
	for object: Variant in [self] + [Engines.null_object(), Engines.freed_object()] + Engines.storable_objects():
		for value: Variant in _around(object):
			check_both_ways(value, "id of %s" % [object])
			# The suite itself is a node in a tree.
			if not is_same(object, self):
				check_both_ways(value, str(object), true)


## An id is read as an object that holds it. The engine never writes id 0, but reads it as null.
func test_ids_that_are_read() -> void:
	for id: int in [0, 1, 2, 0x7fffffff, 0x7fffffffffffffff, -1, -0x7fffffffffffffff]:
		for objects: bool in [false, true]:
			check_from_bytes(Values.id_bytes(id), "id %d" % id, objects)
			var found: Variant = VarBatch.bytes_to_var(Values.id_bytes(id), objects)
			check(typeof(found) == TYPE_OBJECT, "id %d gives %s" % [id, found])
			check((found == null) == (id == 0), "id %d gives %s" % [id, found])
			if found is EncodedObjectAsID:
				check_int((found as EncodedObjectAsID).object_id, id, "the id that is held")
	var inside := VarBatch.bytes_to_vars([var_to_bytes([1]) + Values.id_bytes(0), Values.id_bytes(0)])
	check_int(typeof(inside[1]), TYPE_OBJECT, "type of id 0 in a batch")


## Texts that read "script" are no property of that name, wherever they stand.
func test_objects_in_objects() -> void:
	var outer: Variant = PackedByteArray([1, 2, 3])
	for i: int in 12:
		var scripted := Scripted.new()
		scripted.content = {"in": outer, scripted.number: [outer, i]} if i % 2 else [outer]
		outer = scripted
		check_both_ways([outer, i, {"k": outer}], "%d nested objects" % i, true)
	var scripted := Scripted.new()
	scripted.words = PackedStringArray(["script", "res://none.gd", "script"])
	for content: Variant in [
		^"script/script:script",
		["script", &"script", {"script": 5}],
		{&"script": "script", "x": PackedStringArray(["x", "script"])},
		Signal(scripted, &"script"),
	]:
		scripted.content = content
		check_both_ways([scripted, {"script": 7}], "texts that read script", true)


func test_nodes() -> void:
	var node := Node.new()
	node.process_priority = -77
	node.set_meta(&"list", [1, "two"])
	for value: Variant in [node, [node], {"k": [node]}, {node: 1}]:
		var bytes := var_to_bytes_with_objects(value)
		check_to_bytes(value, bytes, "Node", true)
		check_both_ways(value, "id of a Node")
		var found: Variant = VarBatch.bytes_to_var(bytes, true)
		check_bytes(var_to_bytes_with_objects(found), bytes, "Node, back again")
		Values.discard(found)
	node.free()


## The depth goes on inside an object: the engine's limit holds for what its properties hold.
func test_depth_across_objects() -> void:
	for outside: int in [0, 1, 500, 1019, 1020, 1021, 1022, 1023, 1024]:
		for inside: int in [0, 1, 2, 3, 4, 500, 1000]:
			if absi(outside + inside - 1022) > 3 and outside * inside != 0:
				continue
			var scripted := Scripted.new()
			scripted.content = Engines.nested(inside, [7]) if inside else 7
			var value: Variant = Engines.nested(outside, [scripted]) if outside else scripted
			var what := "object in %d arrays, %d arrays in it" % [outside, inside]
			_check_encoded(value, what)
			var arrays := Values.hex("1c000000 01000000".repeat(outside))
			check_verdict(arrays + var_to_bytes_with_objects(scripted), what, true)


func test_refused() -> void:
	var object := Resource.new()
	var places: Dictionary[String, Variant] = {
		"byte 0": object,
		' inside ["k"][2]': {"k": [1, 2, object]},
		' inside [3][&"n"]': {3: {&"n": object}},
		" inside [key 1]": {1: 2, object: 3},
	}
	for place: String in places:
		var bytes := var_to_bytes_with_objects(places[place])
		check(not quietly(bytes.has_encoded_var.bind(0, false)), "the engine reads it")
		var reason := VarBatch.validate([bytes])[0]
		check(reason.begins_with(REFUSED) and reason.ends_with(place), reason)
		check_value(VarBatch.validate([bytes], true)[0], "", "the same object, allowed")
		check_call(&"bytes_to_var", [bytes], null, [reason])
		var lines: Array = ["buffer 0: " + reason, "buffer 2: " + reason]
		check_call(&"bytes_to_vars", [[bytes, var_to_bytes(5), bytes]], [null, 5, null], lines)
	check_call(&"bytes_to_var", [Values.hex("18000000 00000000")], null, [REFUSED + "..."])


func test_strange_objects() -> void:
	var scripted := Scripted.new()
	scripted.content = ["a", {"k": Resource.new()}]
	for value: Variant in [RefCounted.new(), scripted, [scripted], {"k": Resource.new()}]:
		var bytes := var_to_bytes_with_objects(value)
		for length: int in bytes.size():
			check_verdict(bytes.slice(0, length), "part of an object", true)
	var plain := Values.object("RefCounted", {"script": null})
	var forms: Array[PackedByteArray] = [
		plain,
		Values.hex("18000000 00000000"),  # no class: null
		Values.hex("18000000 00000000 ffffffff"),
		Values.object("NoSuchClass", {}),
		Values.object("refcounted", {}),
		Values.object("RenderingServer", {}),
		Values.object("CanvasItem", {}),
		Values.object("RefCounted", {"no_such_property": [1, 2]}),
		Values.object("RefCounted", {"": 1}),
		Values.object("Resource", {"resource_name": 5}),
		Values.object("Resource", {"resource_name": "x", "script": null}),
		Values.object("RefCounted", {"script": SCRIPT_PATH, "number": 7}),
		Values.object("Resource", {"script": SCRIPT_PATH}),
		Values.object("EncodedObjectAsID", {"object_id": -5}),
	]
	for count: int in [0, -1, -0x80000000, 2, 0x7fffffff]:
		var other := plain.duplicate()
		other.encode_u32(20, count & 0xffffffff)
		forms.append(other)
	var no_scripts := ["res://conformance/no_such.gd", "user://scripted.gd", "", 5, &"x", "res://conformance/all.tscn"]
	for script: Variant in no_scripts + [StringName(SCRIPT_PATH)]:
		forms.append(Values.object("RefCounted", {"script": script}))
	var front := Values.hex("1b000000 01000000")
	for form: PackedByteArray in forms:
		check_verdict(form, "object", true)
		check_verdict(var_to_bytes([1, 2]).slice(0, 16) + form, "object in an array", true)
		check_verdict(front + var_to_bytes("k") + form, "as a value", true)
		check_verdict(front + form + var_to_bytes(1), "as a key", true)


## What the engine cannot store: nothing is written, one line, and the others stay.
func test_objects_that_cannot_be_stored() -> void:
	var nameless: RefCounted = script_of("extends RefCounted").new()
	var holder := Scripted.new()
	holder.content = [nameless]
	for object: Object in [RenderingServer, nameless, holder]:
		for value: Variant in _around(object):
			_check_encoded(value, "an object that cannot be stored")
		check_both_ways(object, "id of an object that cannot be stored")
	var one := var_to_bytes(1)
	var expected: Array[PackedByteArray] = [one, PackedByteArray(), one, PackedByteArray()]
	var encode := call_method.bind(&"vars_to_bytes", [[1, [nameless], 1, holder], true])
	check_value(expect_logged(encode, 2, 0, "VarBatch.vars_to_bytes: value ", true), expected, "the others")


## What hangs or crashes the engine itself is refused, alone, in a batch and in a file.
func test_what_the_engine_does_not_survive_is_refused() -> void:
	var many := 0x7fffffff
	var huge := PackedInt32Array([0, 0, 0, 0, 0, 100_000_000])
	var scene := {"names": PackedStringArray(["a"]), "variants": [], "version": 3}
	scene.merge({"node_count": 1, "nodes": huge, "conn_count": 0, "conns": PackedInt32Array()})
	var keys := {"times": PackedFloat32Array([0, 1]), "points": PackedFloat32Array(range(10)), "handle_modes": PackedInt32Array([0])}
	var mesh := ArrayMesh.new()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, BoxMesh.new().get_mesh_arrays(), [], {}, Mesh.ARRAY_FLAG_COMPRESS_ATTRIBUTES)
	var of_old_version: Array = mesh.get("_surfaces")
	of_old_version[0].format &= (1 << 35) - 1
	for hostile: Array in [
		["Curve2D", "point_count", many],
		["Curve3D", "point_count", 66_000],
		["Curve2D", "point_count", 200_000 - (1 << 40)],  # The engine takes the lower half.
		["CPUParticles2D", "amount", many],
		["PopupMenu", "item_count", many],
		["CSGSphere3D", "rings", many],
		["TileSet", "terrain_set_1000000000/mode", 1],
		["TileMap", "layer_99999999999999999999/name", "x"],
		["FontFile", "cache/2147483647/16/0/ascent", 1.0],
		["Curve", "point_count", "65537"],
		["AimModifier3D", "setting_count", many],
		["AudioBusLayout", "bus/-1/name", "x"],
		["CCDIK3D", "settings/0/joint_count", many],
		["SphereMesh", "rings", 5000],
		["VisualShader", "modes/blend", -1],
		["BitMap", "data", {"size": Vector2i(many, 1), "data": PackedByteArray()}],
		["BitMap", "data", {"size": Vector2(100_000, 1), "data": PackedByteArray()}],
		["BitMap", "data", {"size": Vector2i(9, 1), "data": PackedByteArray([0])}],
		["PackedScene", "_bundled", scene],
		["PackedScene", "_bundled", scene.merged({"node_count": 0, "conn_count": 1, "conns": huge}, true)],
		["PackedScene", "_bundled", scene.merged({"node_count": 1 + (1 << 32)}, true)],
		["PackedScene", "_bundled", scene.merged({"nodes": [1, 2, 3]}, true)],
		["PackedScene", "_bundled", scene.merged({"nodes": [], "node_count": 1.5}, true)],
		["PackedScene", "_bundled", scene.merged({"node_count": 0, "version": 3.0}, true)],
		["OpenXRInteractionProfile", "bindings", [1]],
		["OpenXRInteractionProfile", "bindings", PackedInt32Array([1])],
		["OptimizedTranslation", "hash_table", PackedInt32Array([7])],
		["PortableCompressedTexture2D", "_data", PackedInt32Array([2, 0, 4, 4, 4, 4, 4]).to_byte_array()],
		["Curve3D", "_data", {"points": PackedVector3Array(filled(30, Vector3())), "tilts": PackedFloat32Array([1])}],
		["Animation", "tracks/0/keys", keys],
		["Animation", "tracks/0/keys", keys.merged({"handle_modes": [0, 0]}, true)],
		["TileSet", "tile_proxies/coords_level", [1, 2]],
		["TileSet", "tile_proxies/coords_level", [Array([1, 2], TYPE_INT, &"", null)]],
		["TileSet", "tile_proxies/alternative_level", [[1, 2, 3], [4, 5]]],
		["ArrayMesh", "surfaces/0", {"primitive": 3, "arrays": [], "morph_arrays": []}],
		["ArrayMesh", "_surfaces", [{"primitive": 3, "format": 0, "vertex_count": 3, "aabb": AABB()}]],
		["ArrayMesh", "_surfaces", [{"format": 1 | 1 << 35, "vertex_count": 3, "vertex_data": filled_bytes(35)}]],
		["ArrayMesh", "_surfaces", of_old_version],
		["RichTextLabel", "text", "[table=9999][table=99999999,top]"],
		["RichTextLabel", "text", "[b]".repeat(2000)],
		["RichTextLabel", "text", "[b][/z]".repeat(2000)],
		["Shader", "code", "shader_type spatial; void fragment() {" + "{".repeat(9000)],
		["Shader", "code", "void f() { bool a = " + "!".repeat(2000) + "true; }"],
		["Shader", "code", "void f() {" + "if (UV.x > 2.0) { } else /**/ ".repeat(300) + "{ } }"],
		["Shader", "code", "#define A " + "+1.0".repeat(600) + "\nvoid f() { float a = 1.0 A A; }"],
		["Shader", "code", "#if " + "!".repeat(9000) + "1\n#endif"],
		["Shader", "code", "#define A 1\n".repeat(9000)],
		["Shader", "code", '# include "res://conformance/values/objects.gd"'],
		["ShaderInclude", "code", '/* */#include/**/"/tmp/a.gdshaderinc"'],
		["Shader", "code", '#include "res://a/../../a.gdshaderinc"'],
		["Shader", "code", '#include "../a.gdshaderinc"'],
		["Shader", "code", '#include "res:////tmp/a.gdshaderinc"'],
		["AnimationNodeStateMachineTransition", "advance_expression", "1+".repeat(9000)],
		["TextEdit", "text", "\n".repeat(5000)],
		["SystemFont", "font_names", PackedStringArray(filled(200, "a"))],
		["MultiplayerSpawner", "_spawnable_scene_count", 2_000_000],
		["PolygonOccluder3D", "polygon", PackedVector2Array(filled(5000, Vector2()))],
		["GradientTexture2D", "width", 16384],
		["Translation", "messages", {["a"]: ["b"]}],
		["ConvexPolygonShape3D", "points", PackedVector3Array([Vector3(NAN, 0, 0), Vector3(0, INF, 0)])],
	]:
		var bytes := Values.object(hostile[0] as String, {hostile[1]: hostile[2]})
		var expected := "%s of %s" % [hostile[1], hostile[0]]
		for each: PackedByteArray in [bytes, Values.hex("1c000000 01000000") + bytes]:
			check_call(&"bytes_to_var", [each, true], null, ["...%s..." % expected])
			check_call(&"bytes_to_vars", [[each, var_to_bytes(7)], true], [null, 7], ["...%s..." % expected])
		var path := "user://hostile_%d.dat" % OS.get_process_id()
		VarBatch.save_bytes(path, frame(bytes))
		expect_errors(call_method.bind(&"load_vars", [path, true]), 1, expected)
		DirAccess.remove_absolute(path)


## An object without properties ends at once: what follows is of the one around it.
func test_counts_behind_an_empty_object_are_refused() -> void:
	var text := func(name: String) -> PackedByteArray: return var_to_bytes(name).slice(4)
	var bytes: PackedByteArray = Values.header(TYPE_OBJECT) + text.call("Curve2D") + Values.u32(2)
	bytes += text.call("bake_interval") + Values.object("RefCounted", {})
	bytes += text.call("point_count") + var_to_bytes(1 << 30)
	for list: Variant in [true, [&"Curve2D", &"RefCounted"]]:
		check("point_count of Curve2D" in VarBatch.validate([bytes], list)[0], "a huge count is accepted")


## All that a call makes for numbers: 65,536 parts, and one for each 8 bytes. A Curve of 10,000 points counts as 24,414.
func test_numbers_are_summed() -> void:
	var curve := Values.object("Curve", {"point_count": 10_000})
	for list: Variant in [true, [&"Curve"]]:
		var reasons := VarBatch.validate(filled(1000, curve), list)
		check_int(reasons.count(""), 2, "curves of a batch")
		check("found 10000, which makes 24414, for point_count of Curve" in reasons[2], reasons[2])
		for case: Array in [[0, 2, true], [0, 3, false], [1 << 17, 3, true], [1 << 17, 4, false]]:
			var bytes := Values.u32(TYPE_ARRAY) + Values.u32(1 + case[1]) + var_to_bytes(filled_bytes(case[0] as int))
			bytes += Packed.repeated(curve, curve.size() * (case[1] as int))
			check(VarBatch.validate([bytes], list)[0].is_empty() == case[2], "curves: %s" % [case])
	# Again in one object: an index only counts as far as it makes new parts.
	var masks := range(50).map(func(index: int) -> String: return "physics_layer_%d/collision_mask" % index)
	var names := Values.keyed(["physics_layer_50/collision_layer"] + masks, func(_name: String) -> int: return 1)
	check_value(VarBatch.validate([Values.object("TileSet", names)], true)[0], "", "layers")
	var again: PackedByteArray = curve.slice(0, 16) + Values.u32(3) + Packed.repeated(curve.slice(20), 3 * (curve.size() - 20))
	check("point_count of Curve" in VarBatch.validate([again], true)[0], "three times in an object")
	# Each object, where it is large by itself.
	for case: Array in [["Tree", 150, 0], ["Tree", 200, 377], ["Label", 2700, 0], ["Label", 2900, 26]]:
		var many := Values.header(TYPE_ARRAY) + Values.u32(case[1] as int)
		many += Packed.repeated(Values.object(case[0], {}), Values.object(case[0], {}).size() * (case[1] as int))
		var reason := VarBatch.validate([many], [StringName(case[0])])[0]
		check("found %s, which makes %d " % [case[0], case[2]] in reason if case[2] else reason.is_empty(), reason)


func test_what_is_alike_and_sound_is_made() -> void:
	var curve := Curve2D.new()
	for index: int in 10_000:
		curve.add_point(Vector2(index, 1))
	var root := Node.new()
	for index: int in 5:
		var child := Timer.new()
		root.add_child(child)
		child.owner = root
		child.add_to_group("ticking", true)
		child.timeout.connect(root.queue_free, CONNECT_PERSIST)
	var scene := PackedScene.new()
	check_int(scene.pack(root), OK, "pack")
	root.free()
	var bits := BitMap.new()
	bits.create(Vector2i(100, 100))
	var tiles := TileSet.new()
	tiles.add_physics_layer()
	tiles.add_terrain_set()
	tiles.set_alternative_level_tile_proxy(0, Vector2i.ZERO, 0, 1, Vector2i.ONE, 0)
	tiles.set_coords_level_tile_proxy(0, Vector2i.ZERO, 1, Vector2i.ONE)
	var path := Curve3D.new()
	path.add_point(Vector3.ONE)
	var animation := Animation.new()
	animation.add_track(Animation.TYPE_BEZIER)
	animation.bezier_track_insert_key(0, 0.5, 3)
	var mesh := ArrayMesh.new()
	mesh.add_blend_shape("wide")
	var arrays := SphereMesh.new().get_mesh_arrays()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays, [arrays.slice(0, 3)])
	var small := ArrayMesh.new()
	small.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays, [], {}, Mesh.ARRAY_FLAG_COMPRESS_ATTRIBUTES)
	var others: Array = [Gradient.new(), path, animation, mesh, small, FastNoiseLite.new()]
	for numbers: Array in [
		["Curve", "point_count", 5000], ["Skin", "bind_count", 5000], ["SphereMesh", "radial_segments", 512],
		["HeightMapShape3D", "map_width", 513], ["SkeletonProfile", "bone_size", 300],
		["Shader", "code", '/*#include "res://a.gdshaderinc"*/' + "// :( include, please\n".repeat(2000)],
		["Shader", "code", "void f() { if (UV.x > 1.0) { }\n" + "else if (UV.x > 0.5) { a = vec2(-1.0); b += 1.0; }\n".repeat(100) + "a.x = b + 1.0;\n".repeat(2000)],
	]:
		others.append(ClassDB.instantiate(numbers[0] as StringName))
		others[-1].set(numbers[1], numbers[2])
	for resource: Resource in [curve, scene, bits, tiles] + others:
		var bytes := var_to_bytes_with_objects([resource])
		check_bytes(var_to_bytes_with_objects(VarBatch.bytes_to_var(bytes, true)), bytes, resource.get_class())
	for numbers: Array in [["RichTextLabel", "text", "[b]a[/b][table=3][/table] [12:00] [Bob]: a[0][br]\n".repeat(3000)], ["ItemList", "item_count", 3000], ["CCDIK3D", "setting_count", 200], ["CPUParticles2D", "amount", 20_000], ["Skeleton3D"]]:
		var node: Node = ClassDB.instantiate(numbers[0] as StringName)
		node.set(numbers[1] if numbers.size() > 1 else "name", numbers[-1])
		for index: int in 300 * int(node is Skeleton3D):
			node.call(&"add_bone", "bone %d" % index)
		check_value(VarBatch.validate([var_to_bytes_with_objects([node, node])], true)[0], "", str(numbers))
		node.free()


## Another name in the bytes changes nothing of what a class needs: neither the values of its new objects nor its checks.
func test_other_names() -> void:
	var control := Control.new()
	var bytes := var_to_bytes_with_objects(filled(8, control))
	control.mouse_filter = Control.MOUSE_FILTER_IGNORE
	var one := var_to_bytes_with_objects(control)
	for list: Variant in [{"Control": &"Label"}, [&"Control"], {"Control": &"Label"}, true]:
		var found: Array = VarBatch.bytes_to_var(bytes, list)
		check_int((found[7] as Control).mouse_filter, Control.MOUSE_FILTER_STOP, "with %s" % [list])
		var other: Control = VarBatch.bytes_to_var(one, true)
		check_int(other.mouse_filter, Control.MOUSE_FILTER_IGNORE, "after %s" % [list])
		Values.discard([control, found, other] if list is bool else [found, other])
	var bits := Values.object("OldBits", {"data": {"data": PackedByteArray([255]), "size": Vector2i(30, 30)}})
	check_call(&"bytes_to_var", [bits, {"OldBits": &"BitMap"}], null, ["...data of BitMap..."])


func test_scripts_that_need_arguments() -> void:
	var script := script_of("extends RefCounted\nfunc _init(_a): pass")
	var bytes := Values.object("RefCounted", {"script": "res://old.gd"})
	var decode := call_method.bind(&"bytes_to_var", [bytes, {"res://old.gd": script}])
	check_value(expect_logged(decode, 1, 0, "_init() needs no arguments", true), null, "an object without its script")
	# One that becomes so while objects are made.
	script = script_of("extends Resource\n@export var v := 1")
	var old := Values.object("Resource", {"script": "res://old.gd", "v": 2})
	var buffers: Array = [old, var_to_bytes_with_objects(Meddler.new()), old]
	Meddler.on_init = func() -> void:
		script.source_code = "extends Resource\n@export var v := 1\nfunc _init(_a): pass"
		script.reload(true)
	decode = call_method.bind(&"bytes_to_vars", [buffers, {"res://old.gd": script, (Meddler as Script).resource_path: Meddler}])
	var found: Array = expect_logged(decode, 1, 0, "_init() needs no arguments", true)
	Meddler.reset()
	check_value(found.map(func(object: Variant) -> bool: return object != null), [true, true, false], "one by one")


func test_extending_classes() -> void:
	var list := {"extends": [&"Resource", &"Shape2D"], "classes": [Item]}
	for value: Variant in [Curve.new(), CircleShape2D.new(), Resource.new(), Item.new()]:
		var bytes := var_to_bytes_with_objects(value)
		check_bytes(var_to_bytes_with_objects(VarBatch.bytes_to_var(bytes, list)), bytes, "%s" % value)
	var code := "as a Script holds code, save its resource_path instead"
	for unlisted: Array in [["GDScript", code], ["PackedScene", "holds code"], ["Node", 'as &"Node"'], ["Shape2D", "at byte 0"]]:
		var reason := VarBatch.validate([Values.object(unlisted[0], {})], list)[0]
		check(NOT_LISTED % unlisted[0] in reason and unlisted[1] in reason, reason)
	var child := "res://conformance/support/saved_child.gd"
	var scripted := Values.object("Resource", {"script": child})
	check_call(&"bytes_to_var", [scripted, list], null, [NOT_LISTED % child + "..."])


func _check_encoded(value: Variant, what: String) -> void:
	var expected: PackedByteArray = quietly(var_to_bytes_with_objects.bind(value))
	var encode := func() -> PackedByteArray: return VarBatch.var_to_bytes(value, true)
	check_bytes(expect_logged(encode, int(expected.is_empty()), 0, "VarBatch.var_to_bytes: ", true), expected, what)


func _around(object: Variant) -> Array:
	return [
		object, [object], [1, [[object], 2]], {"k": object}, {object: object, "k": [object]},
		{1: {2: {3: [object, "behind"]}}},
	]
