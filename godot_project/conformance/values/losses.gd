extends "../files/files_base.gd"
## Nothing is lost without a word: what a save keeps only the ID of, or nothing, is counted in one
## warning with the path to the first. The bytes are the engine's all the same.

signal something

const ADVICE := "; pass true as full_objects to save objects with their properties"
const MODES: PackedInt32Array = [VarBatch.COMPRESSION_NONE, FileAccess.COMPRESSION_ZSTD]

var _object := RefCounted.new()
var _rid := RenderingServer.canvas_item_create()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		RenderingServer.free_rid(_rid)


## What is null, or was freed, is saved as what it is.
func test_what_is_lost() -> void:
	var one := {"player": {"weapon": _object}}
	var typed: Array[RefCounted] = [null, _object]
	# The engine writes the ID of this object, not the one that it holds.
	var encoded := Engines.encoded_id()
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
		[[typed], of_one % "0[1]"],
		[[encoded], of_one % "0"],
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
	var many := sized(9000, func(i: int) -> int: return i % 50)
	for i: int in many.size():
		many[i] = {"bytes": many[i], "list": [i]}
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
	# The engine encodes an Animation.
	var animation := Animation.new()
	_check([animation, 1], "", true)
	animation.set_meta(&"state", [finish])
	_check([animation], "nothing of 1 Callable; it is value 0.metadata/state[0]", true)


func test_one_value() -> void:
	for found: Array in [
		[{"player": [1, _object]}, 'only the ID of 1 object; it is ["player"][1]' + ADVICE],
		[_object, "only the ID of 1 object; it is the value itself" + ADVICE],
		[[finish, finish], "nothing of 2 Callables; the first is [0]"],
	]:
		var line := WARNING + '"%s": saved %s' % [path, found[1]]
		check_forms("save_var", [path, found[0]], OK as int, OK, [line], true)
		check_bytes(FileAccess.get_file_as_bytes(path), stored([found[0]]), found[1])


## Once, awaited too, where nobody asks. Nothing of a save that is cancelled.
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


## A save that fails says why, and no more; what is no save says nothing of it.
func test_other_calls() -> void:
	var there := folder + "/missing/x.bin"
	var missing := ERR_FILE_NOT_FOUND
	check_forms("save_vars", [there, [_object]], missing, missing, ['cannot save "%s"' % there])
	var deep: Array = [_object, Engines.nested(1026)]
	check_call(&"save_vars", [path, deep], ERR_INVALID_DATA, ['cannot save "%s": value 1: ...' % path])
	check_call(&"var_to_bytes", [_object], var_to_bytes(_object), [])
	check_call(&"vars_to_frames", [[_object]], stored([_object]), [])


## By each number of threads, compressed or not, at once and by tasks: one line, or none.
func _check(values: Array, text: String, objects := false) -> void:
	var expected := stored(values, objects)
	for count: int in Threads.new(THREAD_COUNTS):
		for mode: int in MODES:
			var lines := [WARNING + '"%s": saved %s' % [path, text]] if text else []
			check_forms("save_vars", [path, values, objects, mode], OK as int, OK, lines, true)
			check_int(read_loop(path, objects, mode).size(), values.size(), "values, " + text)
			if mode == VarBatch.COMPRESSION_NONE:
				check_bytes(FileAccess.get_file_as_bytes(path), expected, "file of %s" % text)
