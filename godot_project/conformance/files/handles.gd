extends "handles_base.gd"
## While too many files are open, nothing can be said of a file: it is neither damaged nor missing. What can be done is done,
## all else says so.


func test_saves() -> void:
	if not _begins():
		return
	for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, "pass"]]:
		var ends: Array[int] = []
		for left: int in 8:
			check_int(VarBatch.save_var(path, "old", false, stored_as[0] as int, stored_as[1]), OK, "saving")
			# This process does not know it.
			var old := FileAccess.get_file_as_bytes(path)
			write(path, old)
			var taken := _take(left)
			logged(call_method.bind("save_var", [path, "new", false] + stored_as + [true]))
			ends.append(returned as int)
			taken.clear()
			var names := [path.get_file(), "taken"]
			if ends[-1] == OK:
				names.insert(1, _bak.get_file())
				check_bytes(FileAccess.get_file_as_bytes(_bak), old, "the backup, %d handles left" % left)
			else:
				check_int(ends[-1], FULL, "%d handles left" % left)
				check_bytes(FileAccess.get_file_as_bytes(path), old, "the old file, %d handles left" % left)
			check_names(names, "%d handles left" % left)
			DirAccess.remove_absolute(_bak)
		check(OK in ends and FULL in ends, "codes: %s" % [ends])


## A task waits for handles, also with a file that is written and only has to take its place.
func test_tasks_wait() -> void:
	if not _begins():
		return
	for left: int in 6:
		for keeps_backup: bool in [false, true]:
			check_int(VarBatch.save_var(path, "old"), OK, "saving")
			write(path, FileAccess.get_file_as_bytes(path))
			var taken := _take(left)
			var task := VarBatch.save_var_async(path, "new", false, -1, null, keeps_backup)
			OS.delay_msec(50)
			taken.clear()
			check_int(task.wait() as int, OK, "%d handles left: %s" % [left, task.get_error_message()])
			check_value(VarBatch.load_var(path), "new", "the new file")
			check_value(VarBatch.load_var(_bak), "old" if keeps_backup else null, "the backup")
			DirAccess.remove_absolute(_bak)


## Tasks that are more than there are handles wait for each other, not one of them in vain: whoever has begun can end.
func test_many_tasks() -> void:
	if not _begins():
		return
	for method: String in ["save_var_async", "append_vars_async"]:
		var tasks: Array[VarBatchTask] = []
		for is_first: bool in [true, false]:
			var taken := _take(12)
			for index: int in 200:
				var value: Variant = index if method == "save_var_async" else [index]
				tasks.append(call_method(method, ["%s/%s-%d" % [folder, method, index], value]))
			var codes := {}
			for task in tasks:
				codes[task.wait()] = task.get_error_message()
			taken.clear()
			check_value(codes, {OK: ""}, "%s, new files: %s" % [method, is_first])
			tasks.clear()


## Where there is no room at all, all tasks give up together, not one after the other.
func test_no_room() -> void:
	if not _begins():
		return
	check_int(VarBatch.save_var(path, 1), OK, "saving")
	for threads: int in [0, 1]:
		VarBatch.set_thread_count(threads)
		var taken := _take(0)
		var begun := Time.get_ticks_msec()
		var tasks: Array[VarBatchTask] = []
		for index: int in 10:
			tasks.append(VarBatch.load_var_async(path))
			for method: String in ["save_var_async", "append_vars_async"]:
				tasks.append(call_method(method, ["%s/%s-%d" % [folder, method, index], [index]]))
		for task in tasks:
			logged(task.wait)
			check_int(task.get_error(), FULL, "without room")
		var passed := Time.get_ticks_msec() - begun
		# The second time there has been none for long.
		check(passed > (1500 if threads == 0 else 0) and passed < 10_000, "%d ms, %d threads" % [passed, threads])
		taken.clear()
	VarBatch.set_thread_count(0)


## A whole backup is loaded, or it is said that there is no handle for it; and not instead of a newer file that is whole.
func test_loads() -> void:
	if not _begins():
		return
	for form: String in ["load_var", "load_bytes"]:
		var key: Variant = "pass" if form == "load_bytes" else null
		var good: Variant = VarBatch.var_to_bytes(5) if key else 5
		var none: Variant = PackedByteArray() if key else null
		var arguments: Array = [path, key] if key else [path]
		var codes: Array[int] = []
		for is_damaged: bool in [true, false] if not key else [true]:
			check_int(call_method("save_bytes" if key else "save_var", [_bak, good, -1, key] if key else [_bak, good]), OK, "saving")
			check_int(VarBatch.save_var(path, Curve2D.new(), true), OK, "saving")
			if is_damaged:
				write(path, FileAccess.get_file_as_bytes(path if not key else _bak).slice(0, -4))
			for left: int in 6:
				var taken := _take(left)
				logged(call_method.bind(form, arguments))
				taken.clear()
				var code := VarBatch.get_last_error()
				codes.append(code)
				var expected: Array = [OK, FULL] if is_damaged else [ERR_INVALID_DATA, FULL]
				check(code in expected, "%s, %d handles left, code %d" % [form, left, code])
				check_value(returned, good if code == OK else none, "what was loaded")
			logged(call_method.bind("save_var", [path, 1]))
			check(FileAccess.file_exists(path + ".set-aside"), "set aside")
			DirAccess.remove_absolute(path + ".set-aside")
		check(FULL in codes and OK in codes, "codes: %s" % [codes])
