extends "../files/files_base.gd"
## Nothing is lost without a word: what a save keeps only the ID of, or nothing, is counted in one warning with the path to
## the first; the bytes are the engine's all the same. Bytes after values: each call tells them in one line, with the dialect
## that reads all of them.

signal something
const ADVICE := "; pass true as full_objects to save objects with their properties"
const MODES: PackedInt32Array = [VarBatch.COMPRESSION_NONE, FileAccess.COMPRESSION_ZSTD]
const FOUND := "expected nothing after the value, found %d bytes, at byte %d; they are ignored"
const GODOT_3_HINT := "; all of it can be read in DIALECT_GODOT_3: see transcode() and transcode_file()"

var _object := RefCounted.new()
var _rid := RenderingServer.canvas_item_create()
## What Godot 3 writes for {"gold": 12, "name": "Ada Lovelace, countess"}: for Godot 4 a Transform3D, and 12 bytes.
var _old := VarBatch.var_to_bytes_in({"gold": 12, "name": "Ada Lovelace, countess"}, GODOT_3)


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		RenderingServer.free_rid(_rid)


## What is null, or was freed, is saved as what it is.
func test_what_is_lost() -> void:
	var one := {"player": {"weapon": _object}}
	var freed := Node.new()
	var callable := Callable(freed, &"get_name")
	var its_signal := freed.ready
	freed.free()
	var of_one := "only the ID of 1 object; it is value " + "%s" + ADVICE
	var of_each := "only the IDs of 2 objects, 1 Signal and 1 RID and nothing of 1 Callable"
	var of_many := "only the IDs of %d objects; the first is value %s" + ADVICE
	for row: Array in [
		[[1, one], of_one % '1["player"]["weapon"]'],
		[[_object], of_one % "0"],
		[[self, one], of_many % [2, "0"]],
		[[[], [1, [2, _object, _object]], one], of_many % [3, "1[1][1]"]],
		[[{_object: 1}], of_one % "0[key 0]"],
		[[[null, _object] as Array[RefCounted]], of_one % "0[1]"],
		# The engine writes the ID of this object, not the one that it holds.
		[[Engines.encoded_id()], of_one % "0"],
		[[{"f": test_tasks}], 'nothing of 1 Callable; it is value 0["f"]'],
		[[func() -> void: pass], "nothing of 1 Callable; it is value 0"],
		[[1, check_int.bind(1), [finish]], "nothing of 2 Callables; the first is value 1"],
		[[[something]], "only the ID of 1 Signal; it is value 0[0]"],
		[[_rid, _rid], "only the IDs of 2 RIDs; the first is value 0"],
		[
			[{"all": [1, something, _object, _object, finish, _rid]}],
			of_each + '; the first is value 0["all"][1]' + ADVICE
		],
		[[null, freed, callable, its_signal, Callable(), Signal(), RID()], ""],
		[[[freed, {"f": callable, "s": its_signal}], {"r": [RID(), Callable()]}], ""],
		[Engines.nested(1024), ""],
		[[], ""],
	]:
		_check(row[0] as Array, row[1] as String)


## The first in order, whatever thread has seen it, and however the values are cut up; and in objects.
func test_threads_and_full_objects() -> void:
	var many := range(9000).map(func(i: int) -> Dictionary: return {"bytes": _noise.slice(0, i % 50), "list": [i]})
	for at: int in [8999, 2500, 2501, 7777]:
		many[at].list = [_object, many[at].list, finish]
	var text := "only the IDs of 4 objects and nothing of 4 Callables; the first is value "
	_check(many, text + '2500["list"][0]' + ADVICE)
	_check(["text", many], text + '1[2500]["list"][0]' + ADVICE)
	var curve := Curve2D.new()
	_check([curve, {"curve": [curve]}], "", true)
	_check([curve, finish], "nothing of 1 Callable; it is value 1", true)
	curve.set_meta(&"state", {"f": finish, "r": [_rid]})
	text = "only the ID of 1 RID and nothing of 1 Callable; the first is value "
	_check([1, {"curve": curve}], text + '1["curve"].metadata/state["f"]', true)
	var advice := "; save the resource_path of what is a file of the project"
	text = '1 object with code, which no list of classes loads; it is value 0["s"]'
	_check([{"s": script_of("extends RefCounted")}], text + advice, true)
	var images := [64, 512].map(func(size: int) -> Image: return Image.create_empty(size, 128, false, Image.FORMAT_RGBA8))
	_check(images, 'all pixels of 1 image; it is value 1.data["data"]' + advice, true)
	var animation := Animation.new()
	_check([animation, 1], "", true)
	animation.set_meta(&"state", [finish])
	_check([animation], "nothing of 1 Callable; it is value 0.metadata/state[0]", true)


func test_not_exported() -> void:
	var script := script_of("extends RefCounted\nvar hp := 5\n@export var mp := 1\nvar _cache := 2\nstatic var all := 3")
	script.take_over_path("res://not_exported.gd")
	var line := WARNING + 'VarBatch.save_var: "%s": not saved, as they have no @export: hp of res://not_exported.gd' % path
	for lines: Array in [[line] if OS.is_debug_build() else [], []]:
		var save := func() -> int: return VarBatch.save_var(path, {"player": script.new()}, true)
		check_int(expect_lines(save, PackedStringArray(lines)) as int, OK, "save")


## What no list can load: also in open files, and where only the script says so.
func test_what_cannot_be_loaded() -> void:
	var script := script_of("extends RefCounted\nfunc _init(_of: int) -> void:\n\tpass")
	script.take_over_path("res://needs_arguments.gd")
	var unmade := "cannot be loaded, as _init() needs arguments: objects of res://needs_arguments.gd"
	var code := "saved 1 object with code, which no list of classes loads; %s; save the resource_path of what is a file of the project"
	var file := FileAccess.open(path, FileAccess.WRITE)
	for found: Array in [
		["save_var", [path, script.new(1), true], '"%s": %s' % [path, unmade], OS.is_debug_build()],
		["store_var", [file, script.new(1), true], unmade, OS.is_debug_build()],
		["store_var", [file, {"s": script}, true], code % 'it is ["s"]', true],
		["store_vars", [file, [1, script], true], code % "it is value 1", true],
		["vars_to_bytes", [[script], true], "", false],
	]:
		var expected: Array = [WARNING + "VarBatch.%s: %s" % [found[0], found[2]]] if found[3] else []
		expect_lines(call_method.bind(StringName(found[0]), found[1]), PackedStringArray(expected))
	var typed := Array([], TYPE_OBJECT, &"RefCounted", script_of("extends RefCounted"))
	check_call(&"var_to_bytes", [typed, true], PackedByteArray(), ["...found an inner class, or a script without a file..."])


func test_one_value() -> void:
	for found: Array in [
		[{"player": [1, _object]}, 'only the ID of 1 object; it is ["player"][1]' + ADVICE],
		[_object, "only the ID of 1 object; it is the value itself" + ADVICE],
		[[finish, finish], "nothing of 2 Callables; the first is [0]"],
	]:
		check_forms("save_var", [path, found[0]], OK as int, OK, [WARNING + '"%s": saved %s' % [path, found[1]]], true)
		check_bytes(FileAccess.get_file_as_bytes(path), stored([found[0]]), found[1])


func test_tasks() -> void:
	var text := '"%s": saved only the ID of 1 object; it is value 0%s' % [path, ADVICE]
	var expected := PackedStringArray([WARNING + "VarBatch.save_vars_async: " + text])
	for how: String in ["waited for", "awaited", "cancelled"]:
		var task := VarBatch.save_vars_async(path, [_object, _noise])
		var is_done := [false]
		task.finished.connect(func(_result: int) -> void: is_done[0] = true)
		if how == "cancelled":
			task.cancel()
		if how != "awaited":
			task.wait()
		while not is_done[0]:
			await get_tree().process_frame
		var lines := _take_texts()
		var is_lost := task.get_error() == OK
		check(is_lost or how == "cancelled", "%s: %d" % [how, task.get_error()])
		check(task.get_error_message() == (text if is_lost else ""), task.get_error_message())
		if errors.is_open():
			check(lines == (expected if is_lost else PackedStringArray()), "%s: %s" % [how, lines])


func test_other_calls() -> void:
	var there := folder + "/missing/x.bin"
	var missing := ERR_FILE_NOT_FOUND
	check_forms("save_vars", [there, [_object]], missing, missing, ['cannot save "%s"' % there])
	var deep: Array = [_object, Engines.nested(1026)]
	check_call(&"save_vars", [path, deep], ERR_INVALID_DATA, ['cannot save "%s": value 1: ...' % path])
	check_call(&"var_to_bytes", [_object], var_to_bytes(_object), [])
	check_call(&"vars_to_frames", [[_object]], stored([_object]), [])


func _check(values: Array, text: String, objects := false) -> void:
	var expected := stored(values, objects)
	for count: int in Threads.new(THREAD_COUNTS):
		for mode: int in MODES:
			var lines := [WARNING + '"%s": saved %s' % [path, text]] if text else []
			check_forms("save_vars", [path, values, objects, mode], OK as int, OK, lines, true)
			check_int(read_loop(path, objects, mode).size(), values.size(), "values, " + text)
			if mode < 0:
				check_bytes(FileAccess.get_file_as_bytes(path), expected, "file of %s" % text)


func test_bytes_behind_one_value() -> void:
	var line := WARNING + FOUND % [_old.size() - 52, 52] + GODOT_3_HINT
	for arguments: Array in [[_old], [_old, false], [_old, true], [_old, [&"Resource"]]]:
		check_call(&"bytes_to_var", arguments, bytes_to_var(_old), [line])
	var bytes := var_to_bytes("text") + PackedByteArray([255])
	line = WARNING + "expected nothing after the value, found 1 byte, at byte 12; they are ignored"
	check_call(&"bytes_to_var", [bytes], "text", [line])
	check_call(&"bytes_to_var_in", [bytes, GODOT_4], "text", [line])
	# Values one after the other, which a script reads by their offsets.
	check_call(&"bytes_to_var", [var_to_bytes("one") + var_to_bytes([2, 2]) + var_to_bytes(null)], "one", [])


func test_bytes_behind_many_values() -> void:
	var int_and_more := var_to_bytes(5) + PackedByteArray([255, 255])
	var values := filled(3000, 5)
	var buffers := filled(3000, var_to_bytes(5))
	for at: int in [7, 800, 2999]:
		buffers[at] = int_and_more
	var frames := frames_of(buffers)
	for count: int in by_threads():
		var line := WARNING + "%s 7: expected nothing after the value, found 2 bytes, at byte %d; they are ignored, as after 2 more values"
		check_forms("bytes_to_vars", [buffers], values, OK, [line % ["buffer", 8]], true)
		check_forms("frames_to_vars", [frames], values, OK, [line % ["value", 7 * 12 + 12]], true)
		write(path, frames)
		line = line.replace("%s 7", '"%s": value 7') % [path, 7 * 12 + 12]
		check_forms("load_vars", [path], values, OK, [line], true)
		check_forms("load_vars", [path, false, 8, 5], filled(5, 5), OK, [], true)


## Only the dialect that reads all of those values is named.
func test_saves_of_another_engine() -> void:
	write(path, frame(_old) + frame(_old))
	var line := WARNING + '"%s": value 0: ' % path + FOUND % [_old.size() - 52, 56] + ", as after 1 more values" + GODOT_3_HINT
	check_forms("load_vars", [path], [bytes_to_var(_old), bytes_to_var(_old)], OK, [line], true)
	write(path, frame(_old))
	check_forms("load_var", [path, 7], bytes_to_var(_old), OK, [line.replace(", as after 1 more values", "")], true)
	# It is kept, and is no backup.
	for keep_backup: bool in [false, true]:
		var aside := '...it is kept as "%s.set-aside%s"' % [path.get_file(), "-2" if keep_backup else ""]
		write(path, frame(_old))
		logged(func() -> void: VarBatch.load_var(path))
		check_call(&"save_var", [path, 1, false, -1, null, keep_backup], OK, [WARNING + aside])
	write(path, frame(_old))
	check_call(&"save_var", [path, 1, false, -1, null, true], OK, [WARNING + "...it is kept as..."])
	check(not FileAccess.file_exists(path + ".bak"), "a backup")
	write(path, frame(_old) + frame(var_to_bytes(5) + PackedByteArray([9])))
	line = line.trim_suffix(GODOT_3_HINT)
	check_forms("load_vars", [path], [bytes_to_var(_old), 5], OK, [line], true)


## With the dialects swapped, twice the same, or others, a file in place stays as it is.
func test_a_file_in_place_is_not_destroyed() -> void:
	write(path, frame(_old))
	for row: Array in [[GODOT_4, GODOT_3], [GODOT_4, GODOT_4], [GODOT_4, VarBatch.DIALECT_PANDEMONIUM]]:
		var code := ERR_FILE_UNRECOGNIZED
		var text := "...nothing was written, force = true leaves them out; its values can be read in DIALECT_GODOT_3..."
		check_call(&"transcode_file", [path, path, row[0], row[1]], code, [text], code)
		check_bytes(FileAccess.get_file_as_bytes(path), frame(_old), "the file")
	check_int(VarBatch.transcode_file(path, path, GODOT_3, GODOT_4), OK, "the right ones")
	check_value(VarBatch.load_var(path), {"gold": 12, "name": "Ada Lovelace, countess"}, "its value")
