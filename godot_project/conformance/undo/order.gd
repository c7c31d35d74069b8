extends "undo_base.gd"
## Properties whose setters change or limit others.


## What was recorded is as it was, whichever order setters need and whatever they change beside it.
func test_setters_that_change_others() -> void:
	var edits: Array[Callable] = [
		func(of: Array) -> void: of[0].set_anchors_preset(Control.PRESET_FULL_RECT),
		func(of: Array) -> void: of[0].set_anchors_preset(Control.PRESET_CENTER, true),
		func(of: Array) -> void: of[0].set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT),
		func(of: Array) -> void: of[0].anchor_right = 0.5,
		func(of: Array) -> void: of[0].size += Vector2(10, 10),
		func(of: Array) -> void: of[1].button_pressed = true,
		func(of: Array) -> void: edit(of[3] as Clamped, {"max_hp": 20, "hp": 15}),
	]
	var button := Button.new()
	edit(button, {"toggle_mode": true, "button_group": ButtonGroup.new(), "button_pressed": true})
	var other: Button = button.duplicate()
	other.button_pressed = false
	var objects: Array = [Control.new(), other, button, Clamped.new()]
	for object: Control in objects.slice(0, 3):
		add_child(node(object))
	edit(objects[0] as Control, {"position": Vector2(3, 4), "size": Vector2(100, 50)})
	var state := func() -> PackedByteArray: return var_to_bytes(objects.map(state_of) + [objects[0].get_rect()])
	var before: PackedByteArray = state.call()
	for at: int in edits.size():
		for is_complete: bool in [false, true]:
			recorder.record_all(objects, [], [], is_complete)
			edits[at].call(objects)
			var after: PackedByteArray = state.call()
			check(recorder.commit(history, "edit") > 0, "nothing changed by edit %d" % at)
			check_turns(state, before, after, "edit %d" % at)
			history.undo()
	# Only what was recorded: a part of a value, beside which the rest stays as it is.
	recorder.record(objects[0], ["position:x"])
	objects[0].position = Vector2(50, 60)
	check_int(recorder.commit(history, "edit"), 1, "modifications")
	history.undo()
	check((objects[0] as Control).position == Vector2(3, 60), "a part of a value")


## In any order of the properties; and setters that never agree are told once.
func test_chains() -> void:
	for turn: int in part_of(400):
		var count := 2 + turn % 79
		var object := chain_of(count, turn)
		var before := state_of(object)
		recorder.record_all([object], [], [], turn % 2 == 1)
		set_chain(object, count, 1)
		var after := state_of(object)
		check_int(recorder.commit(history, "edit"), count, "modifications")
		expect_lines(check_turns.bind(state_of.bind(object), before, after, "a chain of %d, seed %d" % [count, turn]), [])
		history.clear_history()
	var pair := Opposed.new()
	recorder.record(pair)
	pair.a = 2
	check_int(recorder.commit(history, "edit"), 2, "modifications")
	var text := CLASS + 'undo: skipped 1 value: RefCounted (id %d), property "' % pair.get_instance_id()
	expect_logged(history.undo, 0, 1, text)


## Undoing moves a property that the edit did not change. It is set again, and that moves others: all stay as they were.
func test_what_moved_properties_move() -> void:
	var control: Label = node(Label.new())
	add_child(control)
	edit(control, {"layout_mode": 1, "anchor_right": 0.25, "anchor_left": 0.25, "offset_left": 6.0, "offset_bottom": -4.0})
	recorder.record(control)
	control.anchor_left = 0
	check_int(recorder.commit(history, "edit"), 1, "modifications")
	edit(control, {"anchors_preset": Control.PRESET_BOTTOM_LEFT, "grow_vertical": 0, "offset_top": 9.0, "offset_right": 4.0})
	var state := state_of(control)
	quietly(history.undo)
	check(state_of(control) == state, "another state than before")


## What was recorded of an object in several calls is one state: a setter of one part moves another.
func test_parts_of_an_object() -> void:
	for order: Array in [[["offset_left"], []], [["anchor_left"], ["offset_left"]], [["offset_left"], ["anchor_left"]]]:
		var control: Control = node(Control.new())
		add_child(control)
		control.offset_left = 10
		for names: Array in order:
			recorder.record(control, names)
		var state := func() -> PackedByteArray: return var_to_bytes([control.anchor_left, control.offset_left])
		var before: PackedByteArray = state.call()
		control.anchor_left = 0.5
		control.offset_left = 10
		recorder.commit(history, "edit")
		check_turns(state, before, state.call() as PackedByteArray, "in the parts %s" % [order])


## Whoever listens to a setter may change any other property, in any order: also one that the edit has not changed, unless the
## listener is connected later.
func test_listeners() -> void:
	for turn: int in 4:
		var is_late := turn > 1
		var nodes := make_nodes(2)
		nodes.map(add_child)
		var listener := func() -> void:
			nodes[0].position.x += 1
			nodes[1].process_mode = Node.PROCESS_MODE_DISABLED
		if not is_late:
			(nodes[1] as Node2D).visibility_changed.connect(listener)
		var state := func() -> PackedByteArray: return var_to_bytes(nodes.map(state_of))
		var before: PackedByteArray = state.call()
		recorder.record_all([nodes[turn % 2], nodes[1 - turn % 2]])
		edit(nodes[1] as Node, {"visible": false, "process_mode": Node.PROCESS_MODE_ALWAYS if is_late else Node.PROCESS_MODE_INHERIT})
		edit(nodes[0] as Node, {"position": Vector2(7, 7)})
		check_int(recorder.commit(history, "edit"), 3 if is_late else 2, "modifications")
		if is_late:
			(nodes[1] as Node2D).visibility_changed.connect(listener)
		check_turns(state, before, state.call() as PackedByteArray, "turn %d" % turn)


## Another script changes nothing else, also where a Control without a parent tells another layout than it stores.
func test_another_script_of_a_control() -> void:
	var control: Control = node(Control.new())
	edit(control, {"anchor_right": 0.5, "offset_left": 12.0})
	var before := state_of(control)
	recorder.record_complete(control)
	control.set_script(Range_)
	check_int(recorder.commit(history, "edit"), 2, "modifications")
	check_turns(state_of.bind(control), before, state_of(control), "another script")


class Range_:
	extends Control
	@export var least := 1


class Clamped:
	@export var hp := 10:
		set(new):
			hp = mini(new, max_hp)
	@export var max_hp := 10:
		set(new):
			max_hp = new
			hp = mini(hp, new)


class Opposed:
	var _values := [1, 5]
	@export var a: int:
		get:
			return _values[0]
		set(new):
			_values = [new, -new]
	@export var b: int:
		get:
			return _values[1]
		set(new):
			_values = [-new, new]
