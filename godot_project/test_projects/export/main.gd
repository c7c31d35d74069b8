extends Node
## The game that scripts/export-test.sh exports: compares VarBatch with the engine's own functions.
## Closes with "N passed, N failed". Arguments after `--`: `first` quits while saves are under way,
## `second` looks at what the first has left.

const Item := preload("res://item.gd")

const EXTENSION := "res://addons/varbatch/varbatch.gdextension"
## A file of frames that is in the pack.
const PACKED := "res://packed.dat"
const PACKED_COUNT := 50_000
const MODES: Dictionary[int, String] = {
	VarBatch.COMPRESSION_NONE: "uncompressed",
	FileAccess.COMPRESSION_ZSTD: "Zstandard",
	FileAccess.COMPRESSION_DEFLATE: "Deflate",
	FileAccess.COMPRESSION_GZIP: "GZip",
}
## Enough that a save is under way when the game quits.
static var _large_size := 8 << 20 if OS.has_feature("web") else 64 << 20

var _passed := 0
var _failed := 0


func _ready() -> void:
	var arguments := " ".join(OS.get_cmdline_user_args())
	match arguments:
		"first":
			await _first()
		"second":
			_second()
		_:
			_check(false, "the arguments are: " + arguments)
	print("%d passed, %d failed" % [_passed, _failed])
	get_tree().quit(0 if _failed == 0 else 1)


func _first() -> void:
	# What another game of this test left.
	_remove_saves()
	# What a save leaves that was killed: the first one here removes it.
	FileAccess.open("user://.varbatch-0", FileAccess.WRITE).store_string("half a save")
	_test_export()
	for threads: int in [1, 4] if OS.has_feature("threads") else [1]:
		VarBatch.set_thread_count(threads)
		_check(VarBatch.get_thread_count() == threads, "%d threads" % threads)
		_test_batches("%d threads" % threads)
	for mode: int in MODES:
		_test_files(mode)
		await _test_tasks(mode)
	# In a browser there is no folder of the game.
	if not OS.has_feature("web"):
		_test_path(OS.get_executable_path().get_base_dir().path_join("beside the game.save"))
		_test_path("res://written by the game.save")
	_test_pack()
	await _test_pack_tasks()
	_test_full_objects()
	_test_undo()
	_test_changes()
	_test_errors()
	await _quit_while_saving()


## This game is an export, and so has no editor, no project folder and no library in it.
func _test_export() -> void:
	_check(OS.has_feature("template"), "a template")
	_check(ProjectSettings.globalize_path("res://").is_empty(), "no project folder")
	_check(GDExtensionManager.get_loaded_extensions() == PackedStringArray([EXTENSION]), "loaded")
	_check(VarBatch.get_thread_count() > 0, "threads")


func _test_batches(what: String) -> void:
	var values := _values()
	var buffers: Array[PackedByteArray] = []
	buffers.assign(values.map(func(value: Variant) -> PackedByteArray: return var_to_bytes(value)))
	_check(VarBatch.vars_to_bytes(values) == buffers, "vars_to_bytes, " + what)
	_check_equal(VarBatch.bytes_to_vars(buffers), values, "bytes_to_vars, " + what)
	_check(VarBatch.var_to_bytes(values) == var_to_bytes(values), "var_to_bytes, " + what)
	_check_equal(VarBatch.bytes_to_var(var_to_bytes(values)), values, "bytes_to_var, " + what)
	var frames := _engine_frames(values)
	_check(VarBatch.vars_to_frames(values) == frames, "vars_to_frames, " + what)
	_check_equal(VarBatch.frames_to_vars(frames), values, "frames_to_vars, " + what)


func _test_files(mode: int) -> void:
	var values := _values()
	var path := _save_of(mode)
	_check(VarBatch.save_vars(path, values, false, mode) == OK, "save_vars, " + MODES[mode])
	_check_equal(_engine_load(path, mode), values, "the engine loads it, " + MODES[mode])
	_check_equal(VarBatch.load_vars(path), values, "load_vars, " + MODES[mode])
	_engine_save(path, values, mode)
	_check_equal(VarBatch.load_vars(path), values, "the engine saved it, " + MODES[mode])
	_check(VarBatch.save_var(path, values, false, mode) == OK, "save_var, " + MODES[mode])
	_check_equal(_engine_load(path, mode), [values], "the engine loads one, " + MODES[mode])
	_check_equal(VarBatch.load_var(path), values, "load_var, " + MODES[mode])


func _test_tasks(mode: int) -> void:
	var values := _values()
	var path := _save_of(mode)
	var error: int = await VarBatch.save_vars_async(path, values, false, mode).finished
	_check(error == OK, "save_vars_async, " + MODES[mode])
	_check_equal(_engine_load(path, mode), values, "the engine loads a task's, " + MODES[mode])
	var loaded: Variant = await VarBatch.load_vars_async(path).finished
	_check_equal(loaded, values, "load_vars_async, " + MODES[mode])
	error = await VarBatch.save_var_async(path, values, false, mode).finished
	_check(error == OK, "save_var_async, " + MODES[mode])
	loaded = await VarBatch.load_var_async(path).finished
	_check_equal(loaded, values, "load_var_async, " + MODES[mode])


## Both write and read the same file at this path.
func _test_path(path: String) -> void:
	var values: Array = [path, PackedInt32Array(range(9))]
	_check(VarBatch.save_vars(path, values) == OK, "saved: " + path)
	_check_equal(_engine_load(path, VarBatch.COMPRESSION_NONE), values, "the engine loads: " + path)
	_engine_save(path, [path], VarBatch.COMPRESSION_NONE)
	_check_equal(VarBatch.load_var(path), path, "the engine saved: " + path)


func _test_pack() -> void:
	var expected := _engine_load(PACKED, VarBatch.COMPRESSION_NONE)
	_check(expected.size() == PACKED_COUNT, "the pack has %d values" % expected.size())
	_check_equal(VarBatch.load_vars(PACKED), expected, "load_vars from the pack")
	_check(VarBatch.load_var("res://none.dat", "default") == "default", "a file that is not there")


func _test_pack_tasks() -> void:
	var expected := _engine_load(PACKED, VarBatch.COMPRESSION_NONE)
	var loaded: Variant = await VarBatch.load_vars_async(PACKED).finished
	_check_equal(loaded, expected, "load_vars_async from the pack")


## The path of a script stays the same in an export, although its file has another name.
func _test_full_objects() -> void:
	var object := Item.new()
	object.count = 7
	object.content = [Gradient.new(), {"position": Vector2(1, 2)}]
	var bytes := var_to_bytes_with_objects([object])
	_check(VarBatch.var_to_bytes([object], true) == bytes, "objects with their properties")
	var found: Array = VarBatch.bytes_to_var(bytes, true)
	_check(found.size() == 1 and found[0] is Item, "an object with its script")
	_check(var_to_bytes_with_objects(found) == bytes, "the properties of that object")


func _test_undo() -> void:
	var nodes: Array[Node2D] = [Node2D.new(), Node2D.new()]
	var recorder := VarBatchUndoRecorder.new()
	var history := UndoRedo.new()
	nodes[1].set_meta(&"tags", ["made"])
	recorder.record_all(nodes)
	nodes[0].position.y = 8
	nodes[1].get_meta(&"tags").append("moved")
	_check(recorder.commit(history, "Move") == 2, "modifications")
	_check(history.undo(), "undo")
	_check(nodes[0].position == Vector2.ZERO and nodes[1].get_meta(&"tags") == ["made"], "undone")
	_check(history.redo(), "redo")
	_check(nodes[0].position == Vector2(0, 8), "a property, done again")
	_check(nodes[1].get_meta(&"tags") == ["made", "moved"], "metadata, done again")
	history.free()
	for node: Node2D in nodes:
		node.free()


func _test_changes() -> void:
	var before := var_to_bytes({"gold": 1, "bag": ["rope"]})
	var after := var_to_bytes({"gold": 2, "bag": ["rope", "lamp"]})
	var changes := VarBatch.diff(before, after)
	_check(changes.size() == 2, "diff: %s" % [changes])
	_check(VarBatch.patch(before, changes) == after, "patch")
	var delta := VarBatch.make_delta(before, after)
	_check(VarBatch.apply_delta(before, delta) == after, "delta")
	var broken := after.slice(0, -4)
	var reports := VarBatch.validate([after, broken])
	_check(reports.size() == 2 and reports[0].is_empty() and not reports[1].is_empty(), "validate")
	_check(VarBatch.describe(after).get("size") == after.size(), "describe")
	# Godot 3 counts Vector3 as 7.
	var old := "070000000000803f0000004000004040".hex_decode()
	var found := VarBatch.transcode(old, VarBatch.DIALECT_GODOT_3, VarBatch.DIALECT_GODOT_4)
	_check(found == var_to_bytes(Vector3(1, 2, 3)), "transcode")


func _test_errors() -> void:
	Engine.print_error_messages = false
	_check(VarBatch.bytes_to_var(var_to_bytes("text").slice(0, 6)) == null, "a broken buffer")
	_check(VarBatch.get_last_error() == ERR_FILE_CORRUPT, "its error")
	_check(VarBatch.save_var("user://no folder/a.save", 1) != OK, "a folder that is not there")
	Engine.print_error_messages = true


## All these saves are to be whole and complete when the game has ended.
func _quit_while_saving() -> void:
	var values := _large_values()
	for mode: int in MODES:
		_check(VarBatch.save_var(_large_save_of(mode), "old", false, mode) == OK, "an old save")
	var tasks: Array[VarBatchTask] = []
	for mode: int in MODES:
		tasks.append(VarBatch.save_vars_async(_large_save_of(mode), values, false, mode))
	_check(not tasks.all(func(task: VarBatchTask) -> bool: return task.is_finished()), "under way")
	# A browser stores nothing of what is saved after a game quits.
	if OS.has_feature("web"):
		for task: VarBatchTask in tasks:
			await task.finished


func _second() -> void:
	var names: PackedStringArray = []
	for mode: int in MODES:
		var loaded := VarBatch.load_vars(_large_save_of(mode))
		_check(loaded == _large_values(), "saved while the game quit, " + MODES[mode])
		_check_equal(VarBatch.load_var(_save_of(mode)), _values(), "a save, " + MODES[mode])
		names.append(_save_of(mode).get_file())
		names.append(_large_save_of(mode).get_file())
	var folder := DirAccess.open("user://")
	folder.include_hidden = true
	var found := Array(folder.get_files()).filter(_is_of_a_save)
	names.sort()
	found.sort()
	_check(PackedStringArray(found) == names, "nothing else is left: %s" % [found])
	# In Wine they would stay.
	_remove_saves()


func _remove_saves() -> void:
	for file: String in DirAccess.get_files_at("user://"):
		DirAccess.remove_absolute("user://" + file)


## A value of each type that a file can hold, and enough of them for several threads.
func _values() -> Array:
	var typed: Array[Vector2i] = [Vector2i.ONE, Vector2i.UP]
	var typed_keys: Dictionary[String, int] = {"a": 1, "b": -1}
	var values: Array = [null, true, -1, 1 << 40, 0.1, NAN, "text", "日本語😀", &"name", ^"a/b:c"]
	values.append_array([Vector2(1, 2), Vector2i(3, 4), Rect2(1, 2, 3, 4), Rect2i(5, 6, 7, 8)])
	values.append_array([Vector3(1, 2, 3), Vector3i(4, 5, 6), Vector4(1, 2, 3, 4), Vector4i.ONE])
	values.append_array([Transform2D(1, Vector2.ONE), Plane(1, 2, 3, 4), Quaternion(1, 2, 3, 4)])
	values.append_array([AABB(Vector3.ONE, Vector3.ONE), Basis.FLIP_X, Transform3D.FLIP_Y])
	values.append_array([Projection.IDENTITY, Color.RED, [], {}, typed, typed_keys])
	values.append_array([PackedByteArray([1, 2, 3]), PackedInt32Array(range(300_000))])
	values.append_array([PackedInt64Array([1 << 40]), PackedFloat32Array([0.5])])
	values.append_array([PackedFloat64Array([0.1]), PackedStringArray(["a", "é"])])
	values.append_array([PackedVector2Array([Vector2.ONE]), PackedVector3Array([Vector3.ONE])])
	values.append_array([PackedColorArray([Color.BLUE]), PackedVector4Array([Vector4.ONE])])
	values.append({"nested": [values.duplicate(), {Vector2i.ONE: [typed]}]})
	for i: int in 5000:
		values.append({"id": i, "name": "item %d" % i, "position": Vector3(i, 0.5, -i)})
	return values


func _large_values() -> Array:
	var bytes := PackedByteArray()
	bytes.resize(_large_size)
	bytes.fill(7)
	return [bytes, "the last value"]


func _is_of_a_save(file: String) -> bool:
	return file.contains("save") or file.contains("varbatch")


func _save_of(mode: int) -> String:
	return "user://%s.save" % MODES[mode]


func _large_save_of(mode: int) -> String:
	return "user://%s, large.save" % MODES[mode]


func _engine_frames(values: Array) -> PackedByteArray:
	var stream := StreamPeerBuffer.new()
	for value: Variant in values:
		stream.put_var(value)
	return stream.data_array


func _open(path: String, flags: FileAccess.ModeFlags, mode: int) -> FileAccess:
	if mode == VarBatch.COMPRESSION_NONE:
		return FileAccess.open(path, flags)
	return FileAccess.open_compressed(path, flags, mode as FileAccess.CompressionMode)


func _engine_save(path: String, values: Array, mode: int) -> void:
	var file := _open(path, FileAccess.WRITE, mode)
	for value: Variant in values:
		file.store_var(value)


func _engine_load(path: String, mode: int) -> Array:
	var values: Array = []
	var file := _open(path, FileAccess.READ, mode)
	while file != null and file.get_position() < file.get_length():
		values.append(file.get_var())
	return values


## Equal in their bytes, as a NaN is not equal to itself.
func _check_equal(found: Variant, expected: Variant, what: String) -> void:
	_check(var_to_bytes(found) == var_to_bytes(expected), what)


func _check(is_good: bool, what: String) -> void:
	if is_good:
		_passed += 1
	else:
		_failed += 1
		print("FAIL %s" % what)
