extends "../files/files_base.gd"
## allow_objects as a list of classes: what is made, what is refused before anything is, what is skipped. Whatever bytes
## claim, objects of other classes are never made, and no script is loaded.

const Derived := preload("../support/saved_child.gd")
const FreeList := preload("../support/free_list.gd")
const Item := preload("../support/saved_item.gd")
const Mutator := preload("../hostile/mutator.gd")

const ITEM := "res://conformance/support/saved_item.gd"
const CHILD := "res://conformance/support/saved_child.gd"
const OLD := "res://old/item.gd"
const NOT_LISTED := 'expected a class of allow_objects, found "%s"'
const NEVER_LOADED := "res://conformance/support/never_loaded.gd"
const SEED := 20261126
const COUNT := 2_000_000
const BATCH := 1000
## Scripts that damaged bytes come to name by chance. The second is that of the unlisted class.
const PATHS: PackedStringArray = [ITEM, "res://conformance/support/saved_child.gd", NEVER_LOADED]
const CLASSES: PackedStringArray = ["Resource", "Curve", "Gradient", "Node", "RefCounted", "GDScript"]
const LIST: Array = [Item, &"Curve", &"Gradient"]


func test_every_method() -> void:
	var value: Variant = _item([_item(), Curve.new()])
	var bytes := var_to_bytes_with_objects(value)
	var list: Array = [Item, &"Curve"]
	var frames := VarBatch.vars_to_frames([value, 7, value], true)
	var values: Array = [value, 7, value]
	check_int(VarBatch.save_vars(path, values, true), OK, "save")
	_check_same(VarBatch.bytes_to_var(bytes, list), value, "bytes_to_var")
	_check_same(call_method(&"bytes_to_var", [bytes, list]), value, "by name")
	_check_forms("bytes_to_vars", [[bytes, var_to_bytes(7), bytes], list], values)
	_check_forms("frames_to_vars", [frames, list], values)
	var stream := StreamPeerBuffer.new()
	for count: Array in [[], [3]]:
		stream.data_array = frames
		var read: Variant = call_method(&"get_vars" if count else &"get_var", [stream] + count + [list])
		_check_same(read, values if count else value, "a stream")
	check_int(VarBatch.decode_var_size(bytes, list), bytes.size(), "decode_var_size")
	_check_forms("load_vars", [path, list], values)
	check_int(VarBatch.save_var(path, value, true), OK, "save")
	_check_forms("load_var", [path, null, list], value)
	_check_same(VarBatch.bytes_to_var_in(bytes, GODOT_4, list), value, "in")
	check_value(VarBatch.validate([bytes, bytes], list), PackedStringArray(["", ""]), "validate")
	_check_same(VarBatch.diff(var_to_bytes([1]), var_to_bytes_with_objects([value]), list)[0].new, value, "diff")
	var pairs: Array = [[var_to_bytes([1]), var_to_bytes_with_objects([value])]]
	_check_same(VarBatch.diff_batch(pairs, list)[0][0].new, value, "diff_batch")


func test_every_method_refuses() -> void:
	var bytes := var_to_bytes_with_objects({"k": [_item(), Derived.new()]})
	var list: Array = [Item]
	var reason := VarBatch.validate([bytes], list)[0]
	check(reason.begins_with(NOT_LISTED % CHILD) and reason.ends_with('inside ["k"][1].script'), reason)
	var frames := VarBatch.vars_to_frames([bytes_to_var_with_objects(bytes)], true)
	check_int(VarBatch.save_var(path, bytes_to_var_with_objects(bytes), true), OK, "save")
	var made := Vector2i(Item.made, Derived.children)
	check_call(&"bytes_to_var", [bytes, list], null, [reason])
	check_call(&"bytes_to_vars", [[bytes, bytes], list], [null, null], ["buffer 0: " + reason, "buffer 1: " + reason])
	check_call(&"bytes_to_vars_async", [[bytes], list], [null], ["buffer 0: " + reason])
	check_call(&"frames_to_vars", [frames, list], [null], ["value 0: ..."])
	check_call(&"load_var", [path, 5, list], 5, ["..." + CHILD + "..."], ERR_INVALID_DATA)
	check_call(&"load_vars", [path, list], [null], ["..." + CHILD + "..."], ERR_INVALID_DATA)
	check_call(&"bytes_to_var_in", [bytes, GODOT_4, list], null, [reason])
	check_call(&"diff", [var_to_bytes(1), bytes, list], [] as Array[Dictionary], ["..." + CHILD + "..."])
	check_value(Vector2i(Item.made, Derived.children), made, "objects made")


func test_what_is_refused() -> void:
	var bytes := var_to_bytes_with_objects([_item()])
	var curve := var_to_bytes_with_objects(Curve.new())
	var node := Values.object("Node", {"script": ITEM})
	var twice := Values.object("Resource", {"script": ITEM, "scripT": ITEM})
	twice = Values.replaced(twice, "scripT".to_utf8_buffer(), "script".to_utf8_buffer())
	var cases: Array = [
		[curve, [Item], NOT_LISTED % "Curve"],
		[curve, [], NOT_LISTED % "Curve"],
		[bytes, [&"Resource"], NOT_LISTED % ITEM],
		[bytes, [Derived], NOT_LISTED % ITEM],
		# A class is listed without those that it is the base of, and a script without its base.
		[curve, [&"Resource"], NOT_LISTED % "Curve"],
		[var_to_bytes_with_objects(Resource.new()), [Item], NOT_LISTED % "Resource"],
		[Values.object("Resource", {"script": null}), [Item], NOT_LISTED % "Resource"],
		[node, [Item, &"Node"], "expected the script of a Node, found one that extends Resource"],
		[twice, [Item], "expected one script, found a second"],
		[Values.object("Resource", {"script": 5}), [Item], "expected the path of a script"],
		[Values.object("Resource", {"script": "user://a.gd"}), [Item], NOT_LISTED % "user://a.gd"],
		[Values.object("EncodedObjectAsID", {"object_id": 5}), [Item], NOT_LISTED % "EncodedObjectAsID"],
		[Values.object("NoSuchClass", {}), [Item], NOT_LISTED % "NoSuchClass"],
		[Values.object("GDScript", {"script/source": "x"}), [Item], NOT_LISTED % "GDScript"],
		[var_to_bytes_with_objects([] as Array[Derived]), [Item], NOT_LISTED % CHILD],
		[var_to_bytes_with_objects({} as Dictionary[int, Derived]), [Item], NOT_LISTED % CHILD],
	]
	var made := Item.made
	for case: Array in cases:
		var reason := VarBatch.validate([case[0]], case[1])[0]
		check(case[2] in reason, "%s, with %s: %s" % [case[2], case[1], reason])
		check_call(&"bytes_to_var", [case[0], case[1]], null, ["..." + case[2] + "..."])
	check_int(Item.made, made, "objects made")


func test_what_else_is_taken() -> void:
	var typed: Array[Item] = [_item(), null]
	var by_name: Dictionary[StringName, Item] = {&"a": _item()}
	for value: Variant in [typed, by_name, [Curve.new()] as Array[Curve], [] as Array[Item]]:
		_check_same(VarBatch.bytes_to_var(var_to_bytes_with_objects(value), [Item, &"Curve"]), value, "%s" % [value])
	var id: Variant = VarBatch.bytes_to_var(var_to_bytes([self]), [Item])[0]
	check_int((id as EncodedObjectAsID).object_id, get_instance_id(), "an id")
	check_value(VarBatch.bytes_to_var(var_to_bytes({"k": 1}), [Item]), {"k": 1}, "no object")


func test_moved_scripts() -> void:
	var old := Values.object("Resource", {"script": OLD, "number": 7})
	var list := {OLD: Item, "res://older.gd": Item, &"Curve": &"Curve"}
	for bytes: PackedByteArray in [old, Values.object("Resource", {"script": ITEM, "number": 7})]:
		var found: Variant = VarBatch.bytes_to_var(bytes, list)
		check(found is Item, "found %s" % [found])
		check_int((found as Item).number, 7, "number")
	check(VarBatch.bytes_to_var(var_to_bytes_with_objects(Curve.new()), list) is Curve, "a class")
	# A key counts more than where a class is now.
	var free_list := Values.object("RefCounted", {"script": ITEM})
	check(VarBatch.bytes_to_var(free_list, {OLD: Item, ITEM: FreeList}) is FreeList, "the class of the key")
	var typed: Array[Item] = [_item()]
	var other := ITEM.replace("item", "iron")
	var moved := Values.replaced(var_to_bytes_with_objects(typed), ITEM.to_utf8_buffer(), other.to_utf8_buffer())
	_check_same(VarBatch.bytes_to_var(moved, {other: Item}), typed, "a typed Array")
	check_call(&"bytes_to_var", [moved, [Item]], null, ["..." + NOT_LISTED % other + "..."])
	check_call(&"bytes_to_var", [old, [Item]], null, ["..." + NOT_LISTED % OLD + "..."])


## Objects that are not listed, where the class of the object around them stores something: refused with the words that
## cure it, or null with one warning for a value. Where it stores nothing, they are skipped with the property.
func test_unlisted_objects() -> void:
	var item := _item([Curve.new(), Gradient.new()])
	item.content = [[Derived.new()] as Array[Derived], {"k": Derived.new()}, Resource.new(), Curve.new()]
	item.set_meta(&"script", Item)
	item.set_meta(&"other", 7)
	var bytes := var_to_bytes_with_objects(item)
	var cured := NOT_LISTED % "Gradient" + '; list it as &"Gradient", or save its resource_path, at byte '
	expect_logged(call_method.bind(&"bytes_to_var", [bytes, [Item, &"Curve"]]), 1, 0, cured)
	var list := {"classes": [Item, &"Curve"], "unlisted": null}
	var made := Derived.children
	for shared: bool in [false, true]:
		list.metadata = shared
		var text := "left null for %d objects; the first: " % (5 if shared else 4) + cured
		var found: Item = expect_logged(call_method.bind(&"bytes_to_var", [bytes, list]), 0, 1, text)
		check_value(found.content.slice(0, 3), [null, {"k": null}, null], "what is not listed")
		check(found.parts[0] is Curve and found.parts[1] == null and found.content[3] is Curve, "what is listed")
		check_int(found.get_meta_list().size(), int(shared), "metadata")
	check_int(Derived.children, made, "objects of a class that is not listed")
	check_call(&"bytes_to_var", [var_to_bytes_with_objects(Derived.new()), list], null, [WARNING + "left null for an object..."])


## Only what a class declares and stores is set: one warning with the count and the first path.
func test_skipped_properties() -> void:
	var properties := {"resource_name": "name", "resource_path": "res://project.godot", "metadata/a": 1, "none": 2}
	properties.merge({"resource_scene_unique_id": "x", "script": ITEM, "number": 5, "_secret": "changed"})
	properties.merge({"resource_local_to_scene": true, "metadata/b": [1], "gone": 3})
	var bytes := Values.object("Resource", properties)
	var text := "skipped 7 properties; the first: expected a property that the class stores, found another, at byte "
	var found: Item = expect_logged(func() -> Variant: return VarBatch.bytes_to_var(bytes, [Item]), 0, 1, text)
	check_value(found.resource_name, "name", "a property of the class")
	check(found.resource_local_to_scene, "a property of the class behind the script")
	check_value(found.resource_path, "", "the path")
	check_value(found._secret, "untouched", "a variable that is not stored")
	check_value(found.get_meta_list(), [] as Array[StringName], "metadata")
	check_int(found.number, 5, "number")
	var one := Values.object("Node", {"owner": null, "script": null})
	expect_logged(call_method.bind(&"bytes_to_var", [one, [&"Node"]]), 0, 1, "skipped a property: ").free()
	# What is opened by a path is in the project. In an exported one the engine strips "res://".
	for outside: String in ["//server/a.ctex", "res://../a.ctex", "res://a/.. /a", "res:////server/a", "res://a\\..\\b"]:
		for opened: Array in [["CompressedTexture2D", "load_path"], ["VideoStreamTheora", "file"]]:
			var object := Values.object(opened[0] as String, {opened[1]: outside})
			expect_logged(call_method.bind(&"bytes_to_var", [object, [opened[0]]]), 0, 1, "skipped a property: ")
	var video := Values.object("VideoStreamTheora", {"file": "res://a/b.ogv"})
	check_value((VarBatch.bytes_to_var(video, [&"VideoStreamTheora"]) as VideoStream).file, "res://a/b.ogv", "in the project")
	check_value((VarBatch.bytes_to_var(bytes, true) as Item)._secret, "changed", "with true")
	# In a batch, a line each. A value of the wrong type is ignored, as with true.
	var buffers: Array = [bytes, var_to_bytes(1), bytes]
	expect_logged(call_method.bind(&"bytes_to_vars", [buffers, [Item]]), 0, 2, "skipped 7 properties")
	var wrong := Values.object("Resource", {"script": ITEM, "number": [1]})
	check_int((VarBatch.bytes_to_var(wrong, [Item]) as Item).number, 1, "number")


## Properties that a class makes up as it reads them.
func test_properties_that_no_list_has() -> void:
	var animation := Animation.new()
	animation.add_track(Animation.TYPE_VALUE)
	animation.track_insert_key(0, 0.5, 3)
	_check_same(VarBatch.bytes_to_var(var_to_bytes_with_objects(animation), [&"Animation"]), animation, "Animation")
	var script := "res://conformance/support/free_list.gd"
	var properties := {"script": script, "any_a": 1, "other": 2, "metadata/c": 3, "held": 5, "shared": "changed"}
	var decode := call_method.bind(&"bytes_to_var", [Values.object("RefCounted", properties), [FreeList]])
	var found: FreeList = expect_logged(decode, 0, 1, "skipped 3 properties")
	check_value(FreeList.shared, "untouched", "a static variable")
	check_value(found.held, {&"any_a": 1}, "held")
	check_value(found.get_meta_list(), [] as Array[StringName], "metadata")


func test_arguments() -> void:
	var source := script_of("extends RefCounted")
	var cases: Dictionary = {
		[5]:
		"expected a script or the name of a class that can be instantiated, found int, at index 0 of allow_objects",
		[Item, null]: "found null, at index 1 of allow_objects",
		[(Engine.get_main_loop() as SceneTree).root.get_node_or_null(^"none")]: "found null, at index 0 of allow_objects",
		["NoSuchClass"]: 'found "NoSuchClass", at index 0',
		[&"CanvasItem"]: 'found "CanvasItem" (write {"extends": [&"CanvasItem"]} for what extends it)',
		{"extends": [&"OS"]}: 'found "OS", at index 0 of key "extends"',
		[Curve]: 'found GDScriptNativeClass (write &"Curve" instead of Curve)',
		[Curve.new()]: "found Curve",
		[&"GDScript"]: "expected classes that hold data, found GDScript, as a Script holds code",
		[script_of("extends PackedScene")]: "found PackedScene, as a PackedScene holds code",
		[source]: "expected a script with a path in res://, found one without, at index 0",
		{5: Item}: "expected paths of scripts or names of classes as keys of allow_objects, found int",
		{OLD: 5}: 'found int, at key "res://old/item.gd" of allow_objects',
		{&"Item": &"GDScript"}: "as a Script holds code",
		{OLD: &"Node2D"}: "expected a script for the path of one, found the class Node2D, at key",
		{"OldClass": Item}: "expected the name of a class for that of another, found a script, at key",
		[script_of("class In:\n\tpass").get_script_constant_map().In]: "found an inner class: move it to a file of its own",
		{"extends": [&"Shape2D", 5]}: 'found int, at index 1 of key "extends" of allow_objects',
		{"extends": [Item]}: "expected a script with a class_name, which those that extend it are found by, found none",
		{"classes": [&"Shape2D"]}: 'for what extends it), at index 0 of key "classes"',
		{"unlisted": Item}: 'expected null, found Object, at key "unlisted" of allow_objects',
		{"unlisted": true}: "expected null, found bool",
		{"metadata": 1}: "expected true or false, found int",
		{"classes": Item}: "expected an Array of classes, found Object",
		{"user://a.gd": Item}: "expected a path in res://, found another, at key",
		1: "expected true, false or classes as allow_objects, found 1",
		0.5: "expected true, false or classes as allow_objects, found float",
		"Curve": "expected true, false or classes as allow_objects, found String",
		PackedStringArray(["Curve"]): "expected true, false or classes as allow_objects, found PackedStringArray",
		Item: "expected true, false or classes as allow_objects, found Object",
	}
	var bytes := var_to_bytes(7)
	for list: Variant in cases:
		var lines: PackedStringArray = ["..." + cases[list] + "..."]
		check_call(&"bytes_to_var", [bytes, list], null, lines, ERR_INVALID_PARAMETER)
		for method: StringName in [&"bytes_to_vars", &"bytes_to_vars_async"]:
			check_call(method, [[bytes], list], [], lines, ERR_INVALID_PARAMETER)
		check_call(&"frames_to_vars_async", [bytes, list], [], lines, ERR_INVALID_PARAMETER)
		check_call(&"load_var", [path, 1, list], 1, lines, ERR_INVALID_PARAMETER)
		check_call(&"validate", [[bytes], list], PackedStringArray(), lines, ERR_INVALID_PARAMETER)
	# A script without a path can have one in a Dictionary.
	check(VarBatch.bytes_to_var(Values.object("RefCounted", {"script": OLD}), {OLD: source}) is RefCounted, "moved")


## The other values of a file are checked like the first, and not made: without objects, no script is asked for.
func test_other_values_without_objects() -> void:
	var typed := var_to_bytes_with_objects([_item()] as Array[Item])
	# An int in the place of the object: dropped, which needs the engine.
	var start := Values.header(TYPE_ARRAY).size() + var_to_bytes(ITEM).slice(4).size() + 4
	write(path, frame(var_to_bytes(5)) + frame(typed.slice(0, start) + var_to_bytes(7)))
	var load_one := func() -> Variant: return VarBatch.load_var(path, null)
	check_value(expect_logged(load_one, 0, 1, "expected one value, found 2"), 5, "the first value")


func test_task_keeps_the_list() -> void:
	var list: Array = [Item]
	var task := VarBatch.bytes_to_vars_async([var_to_bytes_with_objects(_item())], list)
	list.clear()
	check(task.wait()[0] is Item, "the class that was listed")


func _item(parts: Array = []) -> Item:
	var item := Item.new()
	item.number = 42
	item.title = "sword"
	item.parts.assign(parts)
	item.content = {"k": [1, 2.5]}
	return item


func _check_forms(method: String, arguments: Array, expected: Variant) -> void:
	_check_same(call_method(method, arguments), expected, method)
	_check_same(call_method(method + "_async", arguments).wait(), expected, method + "_async")


func _check_same(found: Variant, expected: Variant, what: String) -> void:
	check_bytes(var_to_bytes_with_objects(found), var_to_bytes_with_objects(expected), what)


func test_every_class() -> void:
	var list: Array = [Item, &"Curve"]
	var buffers: Array[PackedByteArray] = []
	var may_be_made: PackedInt32Array = []
	for type: String in ClassDB.get_class_list():
		for script: Variant in [null, ITEM, PATHS[1], NEVER_LOADED]:
			var bytes := Values.object(type, {"script": script} if script else {})
			# A Curve can have the script of a Resource, if both are listed.
			var is_listed: bool = type == "Curve" and script in [null, ITEM] or type == "Resource" and script == ITEM
			var inside := Values.object("Resource", {"script": ITEM, "content": 7})
			inside = inside.slice(0, inside.size() - 8) + bytes
			for each: PackedByteArray in [bytes, inside, Values.hex("1c000000 02000000") + inside + bytes]:
				buffers.append(each)
				if is_listed:
					may_be_made.append(buffers.size() - 1)
	var before := _counts()
	var found: Array = quietly(call_method.bind(&"bytes_to_vars", [buffers, list]))
	var reasons: PackedStringArray = quietly(call_method.bind(&"validate", [buffers, list]))
	for index: int in buffers.size():
		var is_made := found[index] != null
		if is_made != (index in may_be_made) or is_made != reasons[index].is_empty():
			check(false, "made: %s, %s, %s" % [found[index], reasons[index], buffers[index].hex_encode()])
	check_int(may_be_made.size(), 9, "buffers with listed classes only")
	found.clear()
	_check_counts(before, "every class")


func test_damaged() -> void:
	var random := Values.seeded(SEED)
	var mutator := Mutator.new(random)
	var pool := _pool()
	var count := part_of(COUNT)
	print("  listed classes: %d, seed %d" % [count, SEED])
	var before := _counts()
	var made: Array[int] = [0]
	var check_some := func(size: int, seed_of_batch: int) -> void:
		var damage := func(_i: int) -> PackedByteArray:
			return mutator.mutate(_renamed(pool, random), pool[random.randi() % pool.size()])
		var buffers := range(size).map(damage)
		var list: Variant = LIST if seed_of_batch % 2 else {"classes": LIST, "unlisted": null, "metadata": true}
		var found: Array = quietly(call_method.bind(&"bytes_to_vars", [buffers, list]))
		var others := found.filter(func(value: Variant) -> bool: return not _is_listed(value))
		check(others.is_empty(), "batch seed %d made %s" % [seed_of_batch, others])
		made[0] += found.size() - found.count(null)
	in_batches(count, BATCH, SEED, random, check_some)
	check(made[0] > count / 20 and made[0] < count, "one verdict is too rare: %d" % made)
	_check_counts(before, "damaged bytes")


## Bytes of the pool, at times with another class or script in them.
func _renamed(pool: Array[PackedByteArray], random: RandomNumberGenerator) -> PackedByteArray:
	var bytes := pool[random.randi() % pool.size()]
	if random.randi() % 4:
		return bytes
	var names := PATHS if random.randi() % 2 else CLASSES
	var old := var_to_bytes(names[random.randi() % names.size()]).slice(4)
	return Values.replaced(bytes, old, var_to_bytes(names[random.randi() % names.size()]).slice(4))


func _pool() -> Array[PackedByteArray]:
	var item := Item.new()
	item.title = "sword"
	item.parts = [Curve.new(), Item.new()]
	item.content = {"k": [Gradient.new(), Vector2(1, 2)], &"n": Item.new()}
	var typed: Array[Item] = [item]
	var node := Node.new()
	var values: Array = [item, typed, [1, Curve.new()], {"a": Gradient.new()}, [Derived.new()], Resource.new(), [node]]
	var pool := Values.engine_bytes(values, true)
	node.free()
	for script: String in PATHS:
		pool.append(Values.object("Resource", {"resource_name": "n", "script": script, "number": 5, "title": "t"}))
	return pool


func _is_listed(value: Variant) -> bool:
	if value is Object:
		if value.get_script() == Item:
			var item: Item = value
			return _is_listed(item.parts) and _is_listed(item.content)
		return value.get_class() in ["Curve", "Gradient", "EncodedObjectAsID"] and value.get_script() == null
	if value is Dictionary:
		return _is_listed(value.keys()) and _is_listed(value.values())
	return not value is Array or value.all(_is_listed)


func _counts() -> PackedInt32Array:
	return [object_count(), int(Performance.get_monitor(Performance.OBJECT_NODE_COUNT)), Derived.children]


func _check_counts(before: PackedInt32Array, what: String) -> void:
	check_value(_counts(), before, "objects, nodes and objects of the unlisted class after " + what)
	check(not ResourceLoader.has_cached(NEVER_LOADED), "a script was loaded")
