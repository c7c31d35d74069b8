extends "../tasks/tasks_base.gd"
## Values that are added to a file: its bytes are those of the engine's loop over all values, and
## whatever cannot be added changes nothing. What is cut off and what is not is tested byte by byte in
## rust/storage/tests, file_append.rs and file_append_tail.rs; the order of the calls in order.gd.

const NEW: Array = ["new", 2]
const COMPRESSED := "expected a file without compression, found a compressed one"
const DAMAGED := "expected whole records and at most the beginning of one, found something else"
const ONE_VALUE := "expected values with their lengths, found what can be one value without a length"


func test_appends() -> void:
	var all: Array = []
	for count: int in Threads.new(THREAD_COUNTS):
		for part: Array in [[1], [], NEW, [[], {}, null], sized(300, func(i: int) -> int: return i * 9)]:
			check_int(VarBatch.append_vars(path, part), OK, "appending %d values" % part.size())
			var task := VarBatch.append_vars_async(path, part)
			check_value(task.wait(), OK as int, "a task that appends")
			check_over(task, "a task that appends, %d threads" % count)
			all.append_array(part + part)
			check_bytes(FileAccess.get_file_as_bytes(path), stored(all), "the file")
	var typed: Array[Vector2i] = [Vector2i.ONE]
	check_int(VarBatch.append_vars(path, typed), OK, "a typed array")
	check_value(VarBatch.load_vars(path)[-1], Vector2i.ONE, "its element")
	check_names([path.get_file()], "appends")


## A crash in the middle, and a power cut after the length of the file reached the disk and before its
## data did: what is whole is loaded, and the rest makes way.
func test_torn_ends() -> void:
	var torn := stored([["torn", 5]])
	var zeros := filled_bytes(4096)
	var text := '"%s": ' % path
	for before: Array in [[], NEW, range(3000)]:
		var whole := stored(before)
		var start := text + "value %d: expected a value, found " % before.size()
		var rows: Dictionary[PackedByteArray, String] = {
			zeros: start + "nothing but zeros (4096 bytes), at byte %d" % whole.size(),
			torn.slice(0, 9): text,
			torn.slice(0, -1): text,
		}
		for end: PackedByteArray in rows:
			write(path, whole + end)
			check_forms("load_vars", [path], before, ERR_FILE_CORRUPT, [rows[end]])
			check_int(VarBatch.append_vars(path, NEW), OK, "appending behind a torn end")
			check_bytes(FileAccess.get_file_as_bytes(path), stored(before + NEW), "in the end")


## Files of others, a high score as var_to_bytes() writes it, and none.
func test_what_is_not_of_values() -> void:
	write(path, '{"name": "Ada"}'.to_utf8_buffer())
	_check_refused(ERR_FILE_UNRECOGNIZED, DAMAGED)
	for value: Variant in [3, 2.0, "Ada", [1, 2, 3], {"hp": 3}]:
		write(path, var_to_bytes(value))
		_check_refused(ERR_FILE_UNRECOGNIZED, ONE_VALUE)
	for mode: int in [FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_GZIP]:
		VarBatch.save_vars(path, NEW, false, mode)
		_check_refused(ERR_FILE_UNRECOGNIZED, COMPRESSED)
	DirAccess.remove_absolute(path)
	DirAccess.make_dir_absolute(path)
	_check_refused(ERR_FILE_CANT_OPEN, "")
	path = folder + "/missing/log"
	_check_refused(ERR_FILE_NOT_FOUND, "")


## All of it or nothing, whether there was a file or not.
func test_values_that_cannot_be_encoded() -> void:
	var deep: Variant = Engines.nested(2000, [])
	for old: Array in [[], NEW]:
		for bad: Array in [[1, deep], many() + [deep]]:
			DirAccess.remove_absolute(path)
			if old:
				VarBatch.save_vars(path, old)
			_check_refused(ERR_INVALID_DATA, "value %d: " % (bad.size() - 1), bad)
			check_names([path.get_file()] if old else [], "a value that cannot be encoded")


func test_objects() -> void:
	var curve := Curve.new()
	curve.add_point(Vector2(0.5, 1))
	check_int(VarBatch.append_vars(path, [1, [curve]], true), OK, "an object in full")
	check_value(VarBatch.append_vars_async(path, [curve], true).wait(), OK as int, "by a task")
	var found := VarBatch.load_vars(path, true)
	check_int(found.size(), 3, "values")
	check_value(found[2], curve, "the object")
	var warning := WARNING + '"%s": saved only the ID of 1 object' % path
	check_forms("append_vars", [path, [curve]], OK as int, OK, [warning])
	for flag: Variant in [2, null]:
		var code := ERR_INVALID_PARAMETER
		check_forms("append_vars", [path, NEW, flag], code, code, ['cannot append to "%s": ' % path])
	check_int(VarBatch.load_vars(path, true).size(), 5, "values in the end")


## A script that the engine runs for a value may append to the same file: nobody waits for himself.
func test_an_object_that_appends() -> void:
	for form: String in ["append_vars", "append_vars_async"]:
		DirAccess.remove_absolute(path)
		var inner: Array[int] = []
		var outer := Meddler.new()
		Meddler.on_get = func() -> void: inner.append(VarBatch.append_vars(path, ["inner"]))
		check_value(call_and_wait(form, [path, [outer], true]), OK as int, "the outer append")
		Meddler.reset()
		check(inner.size() > 0 and inner.max() == OK, "the inner ones: %s" % [inner])
		var found := VarBatch.load_vars(path, true)
		check_int(found.size(), inner.size() + 1, "values")
		check(found[-1] is Meddler, "the outer one is the last")


## That values cannot be appended to the file, which stays as it is.
func _check_refused(code: int, why: String, added := NEW) -> void:
	var before := FileAccess.get_file_as_bytes(path)
	check_forms("append_vars", [path, added], code, code, ['cannot append to "%s": %s' % [path, why]])
	check_bytes(FileAccess.get_file_as_bytes(path), before, "the file")
