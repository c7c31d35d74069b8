extends "../files/handles_base.gd"
## While too many files are open, a store is opened whole or not at all, and each call says so. No store has the name of a file
## that another one needs.


## With the journal of a killed game, and new.
func test_stores_are_whole_or_not_opened() -> void:
	if not _begins():
		return
	var store := VarBatchStore.open(path)
	check_int(store.save_vars({"hp": 1}), OK, "saving")
	check_int(store.close(), OK, "close")
	store = VarBatchStore.open(path)
	check_int(store.save_vars({"hp": 2, "late": "yes"}), OK, "saving")
	var codes: Array[int] = []
	for left: int in 14:
		var killed := folder + "/killed"
		for end: String in ["", "-wal"]:
			write(killed + end, FileAccess.get_file_as_bytes(path + end))
		for at: String in [killed, folder + "/new"]:
			var taken := _take(left)
			var opened: Array[VarBatchStore] = [null]
			logged(func() -> void: opened[0] = VarBatchStore.open(at))
			var code := VarBatch.get_last_error()
			taken.clear()
			codes.append(code)
			check(code in [OK, FULL], "%d handles left, code %d" % [left, code])
			check(opened[0] != null or code == FULL, "what was opened, %d handles left" % left)
			for again: VarBatchStore in [opened[0], null]:
				var found := again if again else VarBatchStore.open(at)
				check_value(found.load_vars(["hp", "late"]), [2, "yes"] if at == killed else [null, null], "%d handles left" % left)
				check_int(found.save_var("more", left), OK, "a save, %d handles left" % left)
				check_int(found.close(), OK, "close")
			check_int(VarBatchStore.remove(at), OK, "remove")
	check(OK in codes and FULL in codes, "codes: %s" % [codes])
	check_int(store.close(), OK, "close")


func test_backups() -> void:
	if not _begins():
		return
	var store := VarBatchStore.open(path)
	check_int(store.save_var("hp", 2), OK, "saving")
	var codes: Array[int] = []
	for left: int in 8:
		var taken := _take(left)
		var task := store.backup_async(folder + "/backup")
		logged(func() -> void: task.wait())
		taken.clear()
		codes.append(task.get_error())
		check(codes[-1] in [OK, FULL], "%d handles left: %s" % [left, task.get_error_message()])
		check("too many files are open" in task.get_error_message() or codes[-1] == OK, "the text: %s" % task.get_error_message())
	check(OK in codes and FULL in codes, "codes: %s" % [codes])
	check_value(VarBatchStore.open(folder + "/backup").load_var("hp"), 2, "the backup")
	check_int(store.close(), OK, "close")


func test_names_of_side_files() -> void:
	var store := VarBatchStore.open(path)
	check_int(store.save_var("hp", 2), OK, "saving")
	var needed := "a store beside it needs a file of that name"
	for end: String in ["-journal", "-shm", "-lock", "-wal", "-varbatch-new", "-varbatch-copy"]:
		var copy := store.backup_async(path + end)
		check_int(expect_errors(copy.wait, 1, needed) as int, ERR_BUSY, end)
		check_int(store.backup_async(folder + "/backup").wait() as int, OK, "a backup after %s" % end)
		check_int(store.save_var("hp", end), OK, "a save after %s" % end)
	check_int(store.close(), OK, "close")
	check_value(VarBatchStore.open(path).load_var("hp"), "-varbatch-copy", "what was saved")


## Also where a store is opened again, once all is erased: a load tries it, too.
func test_what_is_in_the_way() -> void:
	if not is_unix():
		return
	var text := path.get_file() + "%s\" beside it is a folder, a pipe or a link that leads nowhere"
	DirAccess.make_dir_absolute(path + "-varbatch-new")
	var opens := func() -> VarBatchStore: return VarBatchStore.open(path)
	check_value(expect_errors(opens, 1, text % "-varbatch-new", ERR_FILE_CANT_OPEN), null, "a folder")
	DirAccess.remove_absolute(path + "-varbatch-new")
	var store := VarBatchStore.open(path)
	check_int(store.save_var("hp", 2), OK, "saving")
	var link := ProjectSettings.globalize_path(path + "-journal")
	check_int(OS.execute("ln", ["-s", link + "-nothing", link]), OK, "a link")
	check_int(store.erase_all(), OK, "erase all")
	expect_errors(store.load_var.bind("hp"), 1, text % "-journal", ERR_FILE_CANT_OPEN)
	check_int(OS.execute("rm", [link]), OK, "without the link")
	check_value(store.load_var("hp"), null, "what was erased")
	check_int(VarBatch.get_last_error(), OK, "a load")
	check_int(store.save_var("hp", 3) + store.close(), OK, "saving")
