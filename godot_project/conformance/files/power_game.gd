extends Node
## A game that saves and appends until it is ended, for scripts/crash-test.sh --power. Arguments
## after `-- --run files/power_game`: what to do, a folder on the disk whose power is cut, and a
## file elsewhere for the notes of what was begun and what was said to be done.
##
## write  saves and appends, at once and by tasks
## look   looks at what a power cut left in the folder, and appends to it

const Files := preload("files_base.gd")

const SAVE := "game.save"
## Saves to new files that are kept, and records of a log.
const KEPT := 10
const LOG_LEN := 1000

var _arguments := OS.get_cmdline_user_args().slice(2)
var _folder := _arguments[1]
var _notes: FileAccess
## The last number of a save to the same file, of one to a new file, and of a record.
var _last: Dictionary[String, int] = {"save": 0, "new": 0, "append": 0}


func _ready() -> void:
	if _arguments[0] == "look":
		var done := _look()
		print("%s: %d done" % ["bad" if done < 0 else "good", absi(done)])
		get_tree().quit()
		return
	_notes = FileAccess.open(_arguments[2], FileAccess.WRITE)
	_note("pid", OS.get_process_id())
	while true:
		var kind: String = ["save", "new", "append", "append"].pick_random()
		if randi() % 2:
			_last[kind] += 1
			_note("began " + kind, _last[kind])
			_end(kind, _last[kind], _write(kind, _last[kind]) as int)
		else:
			var tasks: Array[VarBatchTask] = []
			for _i: int in 1 + randi() % 3:
				_last[kind] += 1
				_note("began " + kind, _last[kind])
				tasks.append(_write(kind, _last[kind], "_async"))
				tasks[-1].finished.connect(_on_finished.bind(tasks[-1], kind, _last[kind]))
			while tasks.any(func(task: VarBatchTask) -> bool: return not task.is_finished()):
				await get_tree().process_frame
		if randi() % 10 == 0:
			await get_tree().process_frame


func _on_finished(_result: Variant, task: VarBatchTask, kind: String, number: int) -> void:
	_end(kind, number, task.get_error())


func _end(kind: String, number: int, error: int) -> void:
	_note(("done " if error == OK else "failed ") + kind, number)
	if kind == "new" and number > KEPT:
		_note("gone new", number - KEPT)
		DirAccess.remove_absolute(_path("new", number - KEPT))


## At once, or by a task where [param form] is "_async".
func _write(kind: String, number: int, form := "") -> Variant:
	var to := _path(kind, number)
	if kind == "append":
		return Files.call_method("append_vars" + form, [to, [record(number)]])
	return Files.call_method("save_vars" + form, [to, _values(number), false, -1 if number % 3 else 2])


func _path(kind: String, number: int) -> String:
	var named := SAVE
	if kind == "new":
		named = "new-%d" % number
	elif kind == "append":
		named = "log-%d" % (number / LOG_LEN)
	return _folder.path_join(named)


func _values(number: int) -> Array:
	var part := func(i: int) -> Dictionary: return {"number": number, "i": i}
	return [number] + range([1, 30, 400, 3000][number % 4] as int).map(part) + [record(number * 7), number]


static func record(number: int) -> Array:
	var numbers := PackedInt32Array()
	numbers.resize([1, 100, 1000, 20_000][number % 4] if number % 5 else 3)
	numbers.fill(number)
	return [number, numbers]


## Kept by the system when this process is stopped the moment after.
func _note(what: String, number: int) -> void:
	_notes.store_line("%s %d" % [what, number])
	_notes.flush()


## Returns how many calls were said to be done, or less than 0 if anything of them is missing.
func _look() -> int:
	var done: Dictionary[String, Dictionary] = {"save": {}, "new": {}, "append": {}}
	var began: Dictionary[String, int] = {"save": 0, "new": 0, "append": 0}
	var count := 0
	var is_good := true
	for line: String in FileAccess.get_file_as_string(_arguments[2]).split("\n", false):
		var words := line.split(" ")
		match words[0]:
			"began":
				began[words[1]] = words[2].to_int()
			"done":
				done[words[1]][words[2].to_int()] = true
				count += 1
			"gone":
				done["new"].erase(words[2].to_int())
			"failed":
				is_good = false
				print(line)
	for named: String in Files.names(_folder):
		var path := _folder.path_join(named)
		var number := named.get_slice("-", 1).to_int()
		if named.begins_with("new-"):
			is_good = _is_whole(path, number, number) and is_good
			done["new"].erase(number)
		elif named.begins_with("log-"):
			is_good = _look_at_log(path, number, done["append"], began["append"]) and is_good
		elif named == SAVE:
			var last: int = done["save"].keys().reduce(maxi, 0)
			is_good = _is_whole(path, last, began["save"]) and is_good
			done["save"].clear()
		elif not named.begins_with(".varbatch-") and named != "lost+found":
			print("a file %s" % named)
			is_good = false
	for kind: String in done:
		if done[kind]:
			var lost: Array = done[kind].keys()
			print("%s: lost %d, the last one is %d" % [kind, lost.size(), lost.max()])
			is_good = false
	return count if is_good else mini(-count, -1)


func _is_whole(path: String, from: int, to: int) -> bool:
	var values := VarBatch.load_vars(path)
	var number: int = values[0] if values and values[0] is int else -1
	var is_whole := number >= from and number <= to and values == _values(number)
	if not is_whole:
		print("%s: %d, not %d to %d, or not whole" % [path, number, from, to])
	return is_whole


## Forgets the records that are there. One more must fit behind them.
func _look_at_log(path: String, log_number: int, done: Dictionary, last: int) -> bool:
	var values := VarBatch.load_vars(path)
	var number := maxi(log_number * LOG_LEN, 1)
	for value: Variant in values:
		if not value is Array or value != record(number) or number > last:
			break
		done.erase(number)
		number += 1
	# What nobody said was done may be refused only where nothing is kept.
	var error := VarBatch.append_vars(path, [record(0)])
	var after := VarBatch.load_vars(path)
	var whole := number - maxi(log_number * LOG_LEN, 1)
	if error == OK and after.size() > whole and after[-1] == record(0):
		return after.slice(0, whole) == values.slice(0, whole)
	print("%s: append: error %d, %d values, %d of %d before" % [path, error, after.size(), whole, values.size()])
	return error != OK and whole == 0
