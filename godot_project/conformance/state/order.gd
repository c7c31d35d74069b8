extends "state_base.gd"
## Captures from before objects came and went, and setters that touch other properties.

const RandomProperties := preload("../support/random_properties.gd")
const LIMITED := """
extends RefCounted
var sets := 0
var max_hp := 100
var hp := 100:
	set(new):
		hp = mini(new, max_hp)
		sets += 1
var speed := 1.0:
	set(new):
		speed = new
		max_hp = 0
var kept := 1:
	set(new):
		kept = 2
"""

var _random := RandomNumberGenerator.new()


## Against a Dictionary for each capture: from what was added of an object to its value. What is added again is another.
func test_births_and_deaths() -> void:
	_random.seed = 54
	var alive: Dictionary[Node2D, int] = {}
	var captures: Array[Array] = []
	var now := func() -> Dictionary:
		var found := {}
		for known: Node2D in alive:
			found.merge({alive[known]: known.position, -alive[known]: known.rotation})
		return found
	for step: int in range(1, part_of(50_000)):
		var one: Node2D = null if alive.is_empty() else alive.keys()[_random.randi() % alive.size()]
		var action := _random.randi_range(0, 9)
		if action == 1 and one:
			alive.erase(one)
			one.free()
			quietly(state.capture)
			state.get_objects().filter(func(known: Variant) -> bool: return not is_instance_valid(known)).map(state.remove)
		elif action < 4 and alive.size() < 30:
			if action == 0 and one:
				state.remove(one)
			else:
				one = Node2D.new()
			alive[one] = step
			state.add(one, ["position"])
			state.add(one, ["rotation", "position"])
		elif action < 6:
			captures.push_front([state.capture(), state.capture_values(), now.call()])
			captures.resize(mini(captures.size(), 20))
		elif action < 8 and captures:
			var old: Array = captures[_random.randi() % captures.size()]
			var expected: Dictionary = now.call()
			var known: Array = old[2].keys().filter(func(key: int) -> bool: return key in expected)
			known.map(func(key: int) -> void: expected[key] = old[2][key])
			check_int(state.get_missing_count(old[0] as PackedByteArray), old[2].size() - known.size(), "step %d" % step)
			var error: int = state.restore(old[0]) if step % 2 else state.restore_values(old[1])
			check(error == OK and now.call() == expected, "restored in step %d" % step)
		elif one:
			one.position.x = step
			one.rotation = step
	alive.keys().map(func(known: Node) -> void: known.free())


## Two states that add and remove in the same order make the same captures, whatever was in them.
func test_peers() -> void:
	var peers: Array[VarBatchState] = [VarBatchState.new(), VarBatchState.new()]
	var nodes: Array = peers.map(func(_peer: VarBatchState) -> Array: return make_nodes(4))
	for at: int in 2:
		peers[at].add_all(nodes[at].slice(0, 3) as Array, ["position", "rotation"])
		peers[at].remove(nodes[at][1] as Node)
		peers[at].add(nodes[at][3] as Node, ["position"])
	nodes[0].map(func(moved: Node2D) -> void: moved.position.x = 7)
	var bytes := peers[0].capture()
	check_value(numbers_in(bytes), PackedByteArray([0, 2, 2, 3]), "numbers")
	check(peers[1].capture() != bytes and peers[1].restore(bytes) == OK, "of a peer")
	check_bytes(peers[1].capture(), bytes, "of a peer")


func test_order() -> void:
	var object: Object = script_of(LIMITED).new()
	for names: Array in [["hp", "max_hp"], ["max_hp", "hp"], ["sets", "hp", "max_hp"], ["speed", "max_hp"], ["max_hp", "speed"]]:
		_check_order(object, names, [100, 100, 100], [5, 5, 5])
	var child := Node2D.new()
	var parent: Node2D = node(Node2D.new())
	parent.add_child(child)
	parent.position = Vector2(1, 2) / 3.0
	for names: Array in [["rotation", "global_position"], ["global_transform", "scale"], ["skew", "transform"]]:
		_check_order(child, names, names.map(child.get), [3.0, Vector2(7, 7)])
	# Angles of more than half a turn, which no basis has.
	var turned: Node3D = node(Node3D.new())
	turned.rotation = Vector3(4.10177, -4.183983, -2.585222)
	for other: String in ["transform", "basis", "quaternion", "rotation_degrees"]:
		_check_order(turned, [other, "rotation"], [turned.get(other), turned.rotation], [null, Vector3.ONE])
	var sides := ["anchor_right", "offset_left", "anchor_left", "offset_right"]
	_check_order(node(Control.new()), sides, [0.2, 5.0, 0.1, 9.0], [0.95, 1.0, 0.9, 3.0])
	# Where nothing interferes, each is set once. What the object cannot hold at all is told once.
	state.clear()
	state.add(object, ["hp"])
	object.set("max_hp", 100)
	object.set("sets", 0)
	var bytes := state.capture()
	object.set("hp", 6)
	check_restore(bytes, "one property")
	check_int(object.get("sets") as int, 2, "times that it was set")
	state.add(object, ["kept"])
	bytes = state.capture()
	object.set("kept", 3)
	var text := 'restore: skipped 1 value: %s, property "kept": the object keeps another value, whatever is set first'
	check_restore(bytes, "what cannot be held", [WARNING + CLASS + text % shown(object)])


func test_chains() -> void:
	for turn: int in part_of(400):
		var count := 2 + turn % 79
		var object := chain_of(count, turn)
		state.clear()
		state.add(object)
		var bytes := state.capture()
		for restore: Callable in [state.restore.bind(bytes), state.restore_values.bind(state.capture_values())]:
			set_chain(object, count, 1)
			check_int(expect_lines(restore, []), OK, "restore a chain of %d" % count)
			check_bytes(state.capture(), bytes, "a chain of %d, seed %d" % [count, turn])


## Whoever listens to a setter may change what was set before it.
func test_listeners() -> void:
	var heard: Node2D = make_nodes(1)[0]
	add_child(heard)
	heard.visibility_changed.connect(func() -> void: heard.position.x += 1)
	state.add(heard, ["position", "visible"])
	var bytes := state.capture()
	for restore: Callable in [state.restore.bind(bytes), state.restore_values.bind(state.capture_values())]:
		heard.visible = false
		heard.position = Vector2(5, 5)
		check_int(expect_lines(restore, []), OK, "restore")
		check_bytes(state.capture(), bytes, "position and visible")
	# Its new size waits until it is shown.
	for name: String in ["visible", "localize_numeral_system"]:
		var sized: Control = node(Control.new())
		add_child(sized)
		sized.resized.connect(func() -> void: sized.pivot_offset = sized.size)
		state.clear()
		state.add(sized, ["pivot_offset", name])
		bytes = state.capture()
		sized.set(name, false)
		sized.hide()
		sized.custom_minimum_size = Vector2(300, 300)
		sized.pivot_offset = Vector2(5, 5)
		check_restore(bytes, name)
		check_bytes(state.capture(), bytes, name)


func _check_order(object: Object, names: Array, values: Array, others: Array) -> void:
	var set_all := func(all: Array) -> void:
		for at: int in names.size():
			object.set(names[at] as StringName, all[at % all.size()])
	state.clear()
	names.map(func(property: String) -> void: state.add(object, [property]))
	range(9).map(func(_turn: int) -> void: set_all.call(values))
	var captured := state.capture_values()
	for restore: Callable in [state.restore.bind(state.capture()), state.restore_values.bind(captured)]:
		set_all.call(others)
		check_int(expect_lines(restore, []), OK, "restore %s" % [names])
		check(_are_near(state.capture_values(), captured), "%s: %s for %s" % [names, state.capture_values(), captured])


func test_random_pairs() -> void:
	var properties := RandomProperties.new(_random)
	var classes := Array(RandomProperties.class_names).filter(ClassDB.can_instantiate)
	for turn: int in sized_part_of(20_000):
		_random.seed = turn
		var object: Object = ClassDB.instantiate(classes[_random.randi() % classes.size()] as StringName)
		var list: Array = properties._list_of(object) + [{name = &"meta", type = TYPE_INT}]
		var pair: Array = range(2).map(func(_at: int) -> Dictionary: return list[_random.randi() % list.size()])
		var values: Array = range(4).map(func(at: int) -> Variant: return properties.value(pair[at % 2] as Dictionary))
		var set_pair := func(all: Array, order: Array) -> void:
			order.map(func(at: int) -> void: object.set(pair[at].name as StringName, all[at]))
		state.clear()
		quietly(_check_pair.bind(object, pair, values, set_pair, "turn %d" % turn))
		if not object is RefCounted:
			quietly(object.free)


func _check_pair(object: Object, pair: Array, values: Array, set_pair: Callable, what: String) -> void:
	var names: Array = pair.map(func(property: Dictionary) -> String: return property.name)
	state.add(object, names)
	set_pair.call(values, [0, 1])
	var captured := state.capture_values()
	var bytes := state.capture()
	set_pair.call(values.slice(2), [0, 1])
	state.restore(bytes, true)
	var found := state.capture_values()
	var is_held := _are_near(found, captured)
	checks += 1
	for turn: int in 20:
		if not is_held and captured.size() == 3:
			set_pair.call(captured.slice(1), [turn % 2, 1 - turn % 2])
			if _are_near(state.capture_values(), captured):
				failures.append("%s: %s of %s: %s for %s" % [what, names, object, found, captured])
				return


func _are_near(found: Array, expected: Array) -> bool:
	var is_near := func(at: int) -> bool:
		var is_vector: bool = found[at] is Vector2 and expected[at] is Vector2
		return found[at].is_equal_approx(expected[at]) if is_vector else str(found[at]) == str(expected[at])
	return range(found.size()).all(is_near)


func test_defaults_of_parts() -> void:
	var items: ItemList = node(ItemList.new())
	items.add_item("")
	var atlas := TileSetAtlasSource.new()
	atlas.texture = ImageTexture.create_from_image(Image.create_empty(16, 16, false, Image.FORMAT_RGBA8))
	atlas.create_tile(Vector2i.ZERO)
	state.add_all([items, atlas])
	var captured: PackedByteArray = state.capture()
	items.set_item_text(0, "x")
	atlas.set("0:0/0/modulate", Color.RED)
	check_int(state.restore(captured), OK, "restored")
	check_value([items.get_item_text(0), atlas.get("0:0/0/modulate")], ["", Color.WHITE], "what had its default")


## What a script lists for the editor only: its setter may do something.
func test_tools() -> void:
	var tool_box: ToolBox = node(ToolBox.new())
	state.add(tool_box)
	var captured := state.capture()
	tool_box.built = true
	check_restore(captured, "nothing that is stored")
	check_int(tool_box.calls, 0, "calls of a setter")


class ToolBox:
	extends VBoxContainer
	var built := false
	var calls := 0

	func _get_property_list() -> Array[Dictionary]:
		return [{"name": "tools/built", "type": TYPE_BOOL, "usage": PROPERTY_USAGE_EDITOR}]

	func _get(property: StringName) -> Variant:
		return built if property == &"tools/built" else null

	func _set(property: StringName, _new: Variant) -> bool:
		calls += int(property == &"tools/built")
		return property == &"tools/built"
