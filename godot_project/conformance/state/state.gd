extends "state_base.gd"
## What VarBatchState captures and restores, against the engine's own bytes of the same values.

const ROUNDS := 3

## The types of which the suites have more values than one.
var _types: Array = [TYPE_STRING] + range(TYPE_STRING_NAME, TYPE_ARRAY + 1)


func test_order() -> void:
	var nodes := make_nodes(3)
	state.add(nodes[1], ["rotation", "position"])
	state.add_all([nodes[0], nodes[2]], ["position"])
	state.add(nodes[1], ["scale", "rotation"])
	for at: int in 3:
		nodes[at].position = Vector2(at, at + 10)
	nodes[1].rotation = 0.5
	var expected: Array = [nodes[1].rotation, Vector2(1, 11), Vector2(0, 10), Vector2(2, 12), Vector2.ONE]
	check_capture(expected, "in the order of adding, each once")
	check_value(state.capture_values(), [PackedByteArray([0, 5])] + expected, "the values")
	check_value(state.get_objects(), [nodes[1], nodes[0], nodes[2]], "the objects")
	state.remove(nodes[0])
	state.remove(nodes[0])
	state.remove(null)
	expected.remove_at(2)
	check_capture(expected, "without one")
	state.remove(nodes[1])
	check_capture([Vector2(2, 12)], "without two")
	check_value(state.get_objects(), [nodes[2]], "the objects that are left")
	state.add(nodes[1], ["rotation"])
	check_capture([Vector2(2, 12), nodes[1].rotation], "added again")
	check_value(numbers_in(state.capture()), PackedByteArray([3, 1, 1, 1]), "numbers")
	state.clear()
	check_capture([], "nothing")
	check_restore(state.capture(), "nothing")
	state.add(nodes[1], ["rotation"])
	check_value(numbers_in(state.capture()), PackedByteArray([6, 1]), "numbers go on")


func test_every_type() -> void:
	var boxes: Array = []
	var values: Array = []
	for type: int in TYPE_MAX:
		var found: Array = Engines.of(type) if type in _types else [type_convert(null, type)]
		for value: Variant in found:
			# Captures keep the class of what is in a container, where the engine writes that of a stand-in.
			if not "EncodedObjectAsID".to_ascii_buffer().hex_encode() in var_to_bytes(value).hex_encode():
				values.append(value)
				boxes.append(box(value))
	state.add_all(boxes, ["value"])
	check_capture(values, "values of all types")
	var bytes := state.capture()
	for turn: int in ROUNDS:
		for at: int in boxes.size():
			boxes[at].value = [&"a", 1, null][(at + turn) % 3]
		quietly(state.restore.bind(bytes, true))
		for at: int in boxes.size():
			var value: Variant = boxes[at].value
			check(not value is EncodedObjectAsID or is_same(value, values[at]), "a stand-in for an object in value %d" % at)
			if not typeof(values[at]) in [TYPE_OBJECT, TYPE_CALLABLE, TYPE_DICTIONARY, TYPE_ARRAY]:
				# Texts may lose a byte order mark.
				check_bytes(var_to_bytes(value), var_to_bytes(bytes_to_var(var_to_bytes(values[at]))), "value %d" % at)
	for at: int in boxes.size():
		boxes[at].value = values[at]
	var kept := state.capture_values()
	boxes.map(func(object: Box) -> void: object.value = 7)
	check_int(expect_lines(state.restore_values.bind(kept), []), OK, "restore_values")
	check_capture(values, "values of all types, restored")


func test_what_differs() -> void:
	var object := Counting.new()
	state.add(object, ["first", "second", "third"])
	object.set_all([1, "two", [3]])
	var bytes := state.capture()
	object.sets.clear()
	check_restore(bytes, "the same")
	check_value(object.sets, [], "what was set of the same")
	object.third.append(4)
	object.sets.clear()
	check_restore(bytes, "one differs")
	check_value(object.sets, ["third"], "what was set")
	check_value(object.third, [3], "what differs inside")
	object.set_all([1.0, &"two", PackedInt32Array([3])])
	object.sets.clear()
	check_restore(bytes, "types differ")
	check_value(object.sets, ["first", "second", "third"], "what was set, in order")
	object.set_all([-0.0, NAN, "\u00e4".repeat(9000)])
	bytes = state.capture()
	object.set_all([0.0, 1.0, "\u00e4".repeat(8999) + "\u00f6"])
	check_restore(bytes, "numbers and a long text")
	check_capture([-0.0, NAN, "\u00e4".repeat(9000)], "numbers and a long text")
	object.sets.clear()
	check_restore(bytes, "numbers and a long text, again")
	check_value(object.sets, [], "what was set of numbers and a long text")


func test_paths() -> void:
	var object: Node2D = node(Node2D.new())
	object.set_meta(&"bag", {"rope": 1, "at": Vector3(1, 2, 3)})
	object.position = Vector2(3, 4)
	object.transform.origin.x = 3
	var paths := ["position:y", "transform:x:y", "metadata/bag:at:z", "metadata/bag:rope", ":rotation:"]
	var lines: PackedStringArray = [CLASS + 'add: %s has no property "position:w"' % shown(object)]
	expect_lines(state.add.bind(object, paths.slice(0, 4) + ["position:w"]), lines)
	var expected: Array = paths.slice(0, 4).map(object.get_indexed)
	check_capture(expected, "parts")
	var bytes := state.capture()
	object.position = Vector2(7, 8)
	object.get_meta(&"bag").rope = 5
	object.get_meta(&"bag").at = Vector3(7, 8, 9)
	check_restore(bytes, "parts")
	check_capture(expected, "restored parts")
	check_value(object.position, Vector2(7, 4), "the rest of a position")
	check_value(object.get_meta(&"bag"), {"rope": 1, "at": Vector3(7, 8, 3)}, "the rest of a bag")
	# A property may have such a name itself.
	var listed := Listed.new()
	listed.extra = ["position:y", "a:b"]
	listed.values = {"position:y": 3, "a:b": [4]}
	state.clear()
	state.add(listed, ["position:y", "a:b"])
	check_capture([3, [4]], "names that look like paths")


func test_empty_names() -> void:
	var objects: Array[Object] = [node(Node2D.new()), node(Label.new()), Gradient.new(), StandardMaterial3D.new()]
	for object: Object in objects + [Listed.new(), box(1)] as Array[Object]:
		object.set_meta(&"tag", [1])
		state.clear()
		state.add(object)
		var is_stored := func(of: Dictionary) -> bool: return of.usage & PROPERTY_USAGE_STORAGE and of.name != "script"
		var list := object.get_property_list().filter(is_stored)
		var expected := list.map(func(of: Dictionary) -> Variant: return object.get(of.name as StringName))
		check_capture(expected, "stored properties of a %s" % object.get_class())
	# What one of them stores, others of its class may not.
	var listed: Array = range(4).map(func(_at: int) -> Listed: return Listed.new())
	for at: int in 4:
		listed[at].extra = range(at).map(func(i: int) -> String: return "extra %d" % i)
		listed[at].keeps_extra = at % 2 == 1
	state.clear()
	state.add_all(listed)
	check_capture([1, 1, 0, listed[1].extra, 1, 0, 0, 1, 0, 0, 0, listed[3].extra], "lists that scripts make")


func test_errors() -> void:
	var object: Node2D = node(Node2D.new())
	object.name = "Ghost"
	var freed: Variant = Engines.freed_object()
	var named := 'Node2D "Ghost" (id %d)' % object.get_instance_id()
	var missing := '%s has no property "hp"' % named
	expect_lines(state.add.bind(null, ["hp"]), [CLASS + "add: expected an object, found null"])
	check_int(VarBatch.get_last_error(), ERR_INVALID_DATA, "last error")
	check(VarBatch.get_last_error_message() == "expected an object, found null", "the message")
	var line := func(property: String) -> String: return CLASS + 'add: %s has no property "%s"' % [named, property]
	expect_lines(state.add.bind(object, ["hp", "position", "queue_free", "ready"]), ["hp", "queue_free", "ready"].map(line))
	state.remove(object)
	var no_object := "expected an object, found "
	var problems: Array = [missing, no_object + "null", no_object + "a freed object", no_object + "int", missing]
	var lines := range(5).map(func(at: int) -> String: return CLASS + "add_all: object %d: %s" % [at, problems[at]])
	expect_lines(state.add_all.bind([object, null, freed, 5, object], ["hp", "rotation"]), lines)
	check_capture([0.0], "what was added nevertheless")
	state.add(object, ["position"])
	check_int(VarBatch.get_last_error(), OK, "last error of what succeeds")
	var deep := box(Engines.nested(1100))
	state.clear()
	state.add(deep, ["other", "value"])
	var text := 'capture: %s, property "value": ' % shown(deep)
	check_bytes(expect_errors(state.capture, 1, text, ERR_INVALID_DATA) as PackedByteArray, [], "a value that is too deep")


func test_damage() -> void:
	var objects: Array = [box([1, "two"]), box(PackedStringArray(["three"])), box({4: 5.5})]
	state.add_all(objects, ["value"])
	var bytes := state.capture()
	objects.map(func(object: Box) -> void: object.value = "untouched")
	var untouched := state.capture()
	var refused := func(damaged: PackedByteArray, what: String, code := ERR_INVALID_DATA) -> void:
		check_int(expect_errors(state.restore.bind(damaged), 1, CLASS + "restore: ", code) as int, code, what)
		check_bytes(state.capture(), untouched, "changed by " + what)
	for length: int in bytes.size():
		refused.call(bytes.slice(0, length), "%d bytes" % length, ERR_FILE_CORRUPT if length else ERR_FILE_EOF)
	var typed: Array[int] = [1, 2, 3]
	for other: Variant in [null, 5, {1: 2}, [], [1, 2], [1, 2, 3, 4], typed, PackedInt32Array([1, 2, 3])]:
		refused.call(var_to_bytes(other), str(other))
	refused.call(bytes + var_to_bytes(1), "a capture with a value behind it")
	var full := var_to_bytes_with_objects([1, 2, Resource.new()])
	refused.call(full, "an object in full")
	expect_errors(state.restore.bind(full), 1, "(bytes_to_var() has allow_objects)")
	var numbered := PackedByteArray([0, 3])
	for other: Variant in [[1], typed, [numbered, 1, 2], [numbered, 1, 2, 3, 4], 1.5]:
		var line := CLASS + "restore: expected what capture() returns, found another value"
		check_restore(var_to_bytes(other), str(other), [line], ERR_INVALID_DATA)
		check_int(quietly(state.get_missing_count.bind(var_to_bytes(other))), -1, str(other))
	for values: Array in [[], [1, 2, 3], [numbered, 1, 2], [numbered, 1, 2, 3, 4]]:
		var line := CLASS + "restore_values: expected what capture_values() returns, found another Array"
		check_int(expect_lines(state.restore_values.bind(values), [line]), ERR_INVALID_PARAMETER, "another count")
	check_bytes(state.capture(), untouched, "changed by values")
	# Random damage: refused, or a value for each property.
	for turn: int in part_of(3000):
		var damaged := bytes.duplicate()
		damaged[hash(turn) % damaged.size()] = hash([turn]) % 256
		check(quietly(state.restore.bind(damaged, true)) is int, "restore() has failed")
		check_int(state.capture_values().size(), 4, "values after damage")


func test_hostile() -> void:
	var boxes: Array = []
	for type: int in _types:
		boxes.append_array(Engines.of(type).map(box))
	state.add_all(boxes, ["value"])
	# Containers of scripts, which captures have not, next to an object.
	var object := RefCounted.new()
	var containers: Array = [[null] as Array[Box], {null: null} as Dictionary[Box, Box]].map(var_to_bytes_with_objects)
	var foreign := filled(boxes.size(), _array([containers[0], var_to_bytes(object), containers[1]]))
	var buffers: Array[PackedByteArray] = [state.capture(), _array([var_to_bytes(numbers_in(state.capture()))] + foreign)]
	for turn: int in part_of(10_000):
		var damaged := buffers[turn % 2].duplicate()
		for change: int in turn % 4:
			damaged[hash([turn, change]) % damaged.size()] = hash([change, turn]) % 256
		check(quietly(state.restore.bind(damaged, true)) is int, "restore() has failed")
	check_int(state.capture_values().size(), 1 + boxes.size(), "values after damage")
	check_restore(buffers[1], "containers of scripts")
	check(boxes[1].value == [[null], object, {null: null}], "found %s" % [boxes[1].value])


func _array(values: Array) -> PackedByteArray:
	var bytes := Values.header(TYPE_ARRAY) + Values.u32(values.size())
	for value: PackedByteArray in values:
		bytes.append_array(value)
	return bytes


func test_deltas() -> void:
	var nodes := make_nodes(20)
	state.add_all(nodes, ["position", "rotation", "name"])
	var captures: Array[PackedByteArray] = []
	for turn: int in 5:
		for at: int in range(turn, 20, 5):
			nodes[at].position += Vector2(turn, at)
		captures.append(state.capture())
	for turn: int in 4:
		var delta := VarBatch.make_delta(captures[turn], captures[turn + 1])
		check_bytes(VarBatch.apply_delta(captures[turn], delta), captures[turn + 1], "a delta")
		var changes := VarBatch.diff(captures[turn], captures[turn + 1])
		check_int(changes.size(), 4, "changes")
		check_value(changes[0].path, [3 * (turn + 1) + 1], "the path of a change")
		check_restore(captures[turn], "capture %d" % turn)
		check_int(hash(state.capture()), hash(captures[turn]), "hash of capture %d" % turn)


func test_values_are_copies() -> void:
	var object := box({"list": [1], "bytes": PackedByteArray([1])})
	object.other = PackedInt64Array([7])
	state.add(object, ["value", "other"])
	var expected: Array = [{"list": [1], "bytes": PackedByteArray([1])}, PackedInt64Array([7])]
	var values := state.capture_values()
	for turn: int in ROUNDS:
		object.value.list.append(2)
		object.value.bytes.append(2)
		object.other.append(2)
		check_value(values.slice(1), expected, "captured values, turn %d" % turn)
		check_int(state.restore_values(values), OK, "restore_values")
		check_capture(expected, "restored values, turn %d" % turn)


class Counting:
	var sets: Array = []
	var first: Variant:
		set(new):
			sets.append("first")
			first = new
	var second: Variant:
		set(new):
			sets.append("second")
			second = new
	var third: Variant:
		set(new):
			sets.append("third")
			third = new

	func set_all(values: Array) -> void:
		for at: int in 3:
			set(["first", "second", "third"][at], values[at])


## What would make an object large, or what the engine does not survive; also by way of another object.
func test_what_bytes_do_not_allow() -> void:
	var around: Path2D = node(Path2D.new())
	around.curve = Curve2D.new()
	var curve := Curve.new()
	var short := {"points": PackedVector3Array(filled(30, Vector3())), "tilts": PackedFloat32Array()}
	var text := 'restore: skipped 1 value: %s, property "%s": the bytes do not allow such a value, set it from code'
	var number := 0
	for case: Array in [[curve, "point_count", 1 << 20], [Curve3D.new(), "_data", short], [around, "curve:point_count", 1 << 20]]:
		state.clear()
		state.add(case[0] as Object, [case[1]])
		var expected: Array = [WARNING + CLASS + text % [shown(case[0] as Object), case[1]]]
		check_restore(var_to_bytes([PackedByteArray([number, 1]), case[2]]), str(case[1]), expected)
		number += 1
	# Also what is not there at first.
	state.clear()
	state.add(around, ["curve:point_count", "curve"])
	var values := state.capture_values()
	number += 2
	values[1] = 1 << 20
	around.curve = null
	check_restore(var_to_bytes(values), "postponed", [WARNING + CLASS + text % [shown(around), "curve:point_count"]])
	check_int(around.curve.point_count, 0, "points")
	state.clear()
	state.add(curve, ["point_count"])
	check_restore(var_to_bytes([PackedByteArray([number, 1]), 100]), "a small number", [])
	check_int(curve.point_count, 100, "points")


## Copies in memory have the limits of bytes: what is deeper, or contains itself, is an error, and nothing is lost.
func test_deep_values() -> void:
	var object := box(null)
	state.add(object, ["other", "value"])
	for depth: int in [99, 150, 1000]:
		object.value = Engines.nested(depth)
		var bytes := state.capture()
		var values: Array = expect_lines(state.capture_values, [])
		object.value = 5
		check_int(expect_lines(state.restore_values.bind(values), []), OK, "%d levels" % depth)
		check_bytes(state.capture(), bytes, "%d levels" % depth)
	var root := {"children": []}
	root.children = [{"parent": root}, {"parent": root}]
	for value: Variant in [root, Engines.nested(1100)]:
		object.value = value
		var text := 'capture_values: %s, property "value": ' % shown(object)
		check_value(expect_errors(state.capture_values, 1, text, ERR_INVALID_DATA), [], "what capture_values() returns")
		expect_errors(state.capture, 1, VarBatch.get_last_error_message().get_slice(", at byte", 0))
	object.value = 1
	var line := WARNING + CLASS + 'restore_values: skipped 1 value: %s, property "value": it is too deep or too large'
	line = line % shown(object) + " to be copied, or contains itself"
	check_int(expect_lines(state.restore_values.bind([PackedByteArray([0, 2]), 3, root]), [line]), OK, "own values")
	check_value([object.other, object.value], [3, 1], "what is set of own values")
	root.clear()


## Scripts without files are known only where the property still has one.
func test_inner_classes() -> void:
	var counted := Counting.new()
	var object := box([counted] as Array[Counting])
	state.add(object, ["value"])
	var bytes := state.capture()
	object.value = [] as Array[Counting]
	check_restore(bytes, "an inner class", [])
	check((object.value as Array).get_typed_script() == Counting, "the type of an Array")
	object.value = [[counted] as Array[Counting]]
	bytes = state.capture()
	var values := state.capture_values()
	object.value = 1
	var why := "a container in it has elements of a script that is not loaded from a file, and takes any object now"
	var line := WARNING + CLASS + 'restore: skipped 1 value: %s, property "value": %s' % [shown(object), why]
	check_restore(bytes, "an inner class inside", [line])
	check(object.value[0][0] == counted, "the object")
	check_int(expect_lines(state.restore_values.bind(values), []), OK, "values")
	check((object.value[0] as Array).get_typed_script() == Counting, "the type of an Array inside")
