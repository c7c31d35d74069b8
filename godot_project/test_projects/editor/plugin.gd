@tool
extends EditorPlugin
## A tool that aligns nodes, as a plugin of the editor has it, and its undo. Closes with
## "N passed, N failed", and the editor with it.

const EXTENSION := "res://addons/varbatch/varbatch.gdextension"
const SCENE := "res://addons/editor_test/scene.tscn"
const ROUNDS := 3
const RecorderTest := preload("res://addons/editor_test/recorder.gd")
const ScatterPlugin := preload("res://addons/scatter/plugin.gd")
## Frames in which the editor must have opened the scene.
const PATIENCE := 600

var _passed := 0
var _failed := 0


func _enter_tree() -> void:
	_run.call_deferred()


func _run() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	await _test_reload()
	EditorInterface.open_scene_from_path(SCENE)
	var frames := 0
	while EditorInterface.get_edited_scene_root() == null and frames < PATIENCE:
		frames += 1
		await get_tree().process_frame
	var root := EditorInterface.get_edited_scene_root()
	_check(root != null, "the scene is open")
	if root != null:
		_test_tool(root)
		_test_mixed_histories(root)
		_test_nothing(root)
		_test_scatter(root)
		var recorder := RecorderTest.new()
		recorder.check = _check
		recorder.manager = get_undo_redo()
		recorder.run(root)
	print("%d passed, %d failed" % [_passed, _failed])
	get_tree().quit(0 if _failed == 0 else 1)


## The library is reloaded while tasks are under way: whoever awaits one goes on, and all works after.
func _test_reload() -> void:
	var path := "user://reload.dat"
	var large := PackedByteArray()
	large.resize(64 << 20)
	for threads: int in [1, 2]:
		VarBatch.set_thread_count(threads)
		var heard: Array = []
		_await_save(path, [large], heard)
		_await_frames([large, large], heard)
		_check(heard.is_empty(), "tasks are under way, %d threads" % threads)
		var status := GDExtensionManager.reload_extension(EXTENSION)
		_check(status == GDExtensionManager.LOAD_STATUS_OK, "the library is reloaded")
		heard.sort()
		_check(heard == ["cancelled", "saved", "saved again"], "awaited in a reload: %s" % [heard])
		_check(VarBatch.load_vars(path) == [large], "saved in a reload")
		var result: Array = await VarBatch.vars_to_bytes_async([1, 2]).finished
		_check(result.size() == 2, "a task after a reload")
		# Not from within the signal, which the library emits that is to be reloaded.
		await get_tree().process_frame
	DirAccess.remove_absolute(path)


func _await_save(path: String, values: Array, heard: Array) -> void:
	var code: int = await VarBatch.save_vars_async(path, values).finished
	heard.append("saved" if code == OK else error_string(code))
	code = await VarBatch.save_vars_async(path, values).finished
	heard.append("saved again" if code == OK else error_string(code))


func _await_frames(values: Array, heard: Array) -> void:
	var task := VarBatch.vars_to_frames_async(values)
	await task.finished
	heard.append("cancelled" if task.get_error() == ERR_SKIP else "not cancelled")


## The worked example: what a button of the plugin would do with the selected nodes.
func align(nodes: Array[Node], recorder: VarBatchUndoRecorder) -> int:
	recorder.record_all(nodes)
	for index: int in nodes.size():
		nodes[index].position = Vector2(index * 64, nodes[0].position.y)
		nodes[index].set_meta(
			&"history", (nodes[index].get_meta(&"history", []) as Array) + [index]
		)
		nodes[index].tags.append("aligned")
	return recorder.commit(get_undo_redo(), "Align Nodes")


func _test_tool(root: Node) -> void:
	var nodes := root.get_children()
	for node: Node in nodes:
		node.set_meta(&"history", ["made"])
	var before := _state_of(nodes)
	_check(align(nodes, VarBatchUndoRecorder.new()) == 3 * nodes.size() - 1, "modifications")
	var after := _state_of(nodes)
	var manager := get_undo_redo()
	var history := manager.get_history_undo_redo(manager.get_object_history_id(root))
	_check(history.get_current_action_name() == "Align Nodes", "the name of the action")
	_check(manager.get_object_history_id(root) != EditorUndoRedoManager.GLOBAL_HISTORY, "history")
	for turn: int in ROUNDS:
		_check(history.undo(), "undo")
		_check(_state_of(nodes) == before, "undone")
		nodes[1].tags.append("changed in place")
		_check(history.redo(), "redo")
		_check(_state_of(nodes) == after, "done again")


## A resource with a file, a node outside of the scene, and nodes of it in one action: that of the scene, which is
## only saved if it is. Also inside of an action that has begun, more than once.
func _test_mixed_histories(root: Node) -> void:
	var outside := Node2D.new()
	get_tree().root.add_child(outside)
	var resource := Gradient.new()
	resource.take_over_path("res://mixed.tres")
	var objects: Array = [resource, outside, root.get_child(0), root]
	var recorder := VarBatchUndoRecorder.new()
	var before := _state_of(objects)
	recorder.record_all(objects)
	root.get_child(0).position += Vector2(5, 0)
	outside.rotation = 1
	resource.offsets = [0.25, 0.75]
	root.process_priority = 4
	_check(recorder.commit(get_undo_redo(), "Mix") == 4, "modifications of several histories")
	var after := _state_of(objects)
	var manager := get_undo_redo()
	var history := manager.get_history_undo_redo(manager.get_object_history_id(root))
	for turn: int in ROUNDS:
		history.undo()
		_check(_state_of(objects) == before, "several histories, undone")
		history.redo()
		_check(_state_of(objects) == after, "several histories, done again")
	manager.create_action("Strokes", UndoRedo.MERGE_DISABLE, root)
	for stroke: int in 3:
		recorder.record_all(objects)
		resource.offsets = [0.5, 0.6 + stroke * 0.1]
		root.process_priority += 1
		_check(recorder.commit(manager, "Stroke") == 2, "modifications of a stroke")
	manager.commit_action(false)
	var strokes := _state_of(objects)
	for turn: int in ROUNDS:
		history.undo()
		_check(_state_of(objects) == after, "strokes, undone")
		history.redo()
		_check(_state_of(objects) == strokes, "strokes, done again")
	history.undo()
	history.undo()
	outside.free()


## The worked example, as its menu items do it with the selected nodes.
func _test_scatter(root: Node) -> void:
	var nodes := root.get_children()
	for node: Node in nodes:
		EditorInterface.get_selection().add_node(node)
	var example: ScatterPlugin = null
	for plugin: Node in get_parent().get_children():
		if plugin is ScatterPlugin:
			example = plugin
	_check(example != null, "the example is enabled")
	var manager := get_undo_redo()
	var history := manager.get_history_undo_redo(manager.get_object_history_id(root))
	var edits: Dictionary[String, String] = {
		"scatter_selected": "Scatter Nodes", "align_selected": "Align Nodes"
	}
	for edit: String in edits:
		var before := _state_of(nodes)
		example.call(edit)
		var after := _state_of(nodes)
		_check(after != before, edit)
		_check(history.get_current_action_name() == edits[edit], "an action of %s" % edit)
		for turn: int in ROUNDS:
			history.undo()
			_check(_state_of(nodes) == before, "%s, undone" % edit)
			history.redo()
			_check(_state_of(nodes) == after, "%s, done again" % edit)


func _test_nothing(root: Node) -> void:
	var manager := get_undo_redo()
	var history := manager.get_history_undo_redo(manager.get_object_history_id(root))
	var count := history.get_history_count()
	var recorder := VarBatchUndoRecorder.new()
	recorder.record(root)
	_check(recorder.commit(manager, "Nothing") == 0, "modifications of nothing")
	_check(history.get_history_count() == count, "actions of nothing")


func _state_of(objects: Array) -> PackedByteArray:
	var states: Array = []
	for object: Object in objects:
		for property: Dictionary in object.get_property_list():
			if property.usage & PROPERTY_USAGE_STORAGE:
				states.append([property.name, object.get(property.name as StringName)])
	return var_to_bytes(states)


func _check(is_good: bool, what: String) -> void:
	if is_good:
		_passed += 1
	else:
		_failed += 1
		print("FAIL %s" % what)
