extends Node
## A game that saves and is ended at any moment, for scripts/crash-test.sh. Arguments after
## `-- --run files/crash_game`: what to do, and a folder for it.
##
## kill    looks at what the last one left, then saves generations until it is killed: one by one, or
##         several under way, by tasks and at once; encrypted and with backups if there is a password
## look    looks at what the last one left
## quit    begins saves in the manner that the third argument says, by as many threads as the
##         fourth does, and quits
## verify  looks at what all of those who quit left in the folder
##
## Its own notes are in files beside the folder of the saves, as they have to outlive it.

const Files := preload("files_base.gd")

const SAVE := "game.save"
const LAST_LINE := "done"
## What is left in a folder by one who quits, and the generation of the first save in it.
const QUIT_GENERATION := 20
const END := "end"
const MODES: PackedInt32Array = [-1, -1, -1, 2, 1, 3]
## How many large parts, how many numbers in each, and how many small parts.
const SIZES: Array[Array] = [
	[0, 0, 0], [0, 0, 200], [1, 1 << 18, 0], [0, 0, 20_000], [60, 20_000, 1000], [3000, 500, 0], [20, 1 << 18, 0]
]

var _arguments := OS.get_cmdline_user_args().slice(2)
var _folder := _arguments[1]
var _saves := _folder.path_join("saves")
var _path := _saves.path_join(SAVE)
var _backup := _path + ".bak"
## Null, or that of all saves, which keep backups then.
var _key: Variant = _arguments[2] if _arguments.size() == 3 else null
var _awaited: VarBatchTask
## What may lie in the folder of the saves.
var _named: PackedStringArray = [SAVE]
## The newest generation that was said to be saved by this process.
var _reported := 0
## Of the run before: the generation it began with, the last one that it began, the last one that was saved, and those
## under way.
var _found := 0
var _began := 0
var _saved := 0
var _under_way: Dictionary[int, bool] = {}


func _ready() -> void:
	DirAccess.make_dir_recursive_absolute(_saves)
	match _arguments[0]:
		"kill":
			var generation := _look()
			_note_ready()
			await _save_for_ever(generation + 1)
		"look":
			_look()
			_end()
		"quit":
			VarBatch.set_thread_count(_arguments[3].to_int())
			await _quit(_arguments[2])
		"verify":
			_verify()
			_end()


## A save that is begun when all is over.
func _exit_tree() -> void:
	if _arguments[0] == "quit" and _arguments[2] == "exit tree":
		_begin(0)


## Looks at the save, and notes "good" or "bad" and what is known of it. Returns its generation.
func _look() -> int:
	_read_notes()
	var generation := 0
	var is_good := true
	var backup := 0
	if FileAccess.file_exists(_backup):
		backup = _generation_in(_backup)
		# So that it is not loaded in place of the save.
		DirAccess.remove_absolute(_backup)
	if FileAccess.file_exists(_path):
		generation = _generation_in(_path)
		is_good = generation >= _saved and generation <= _began and backup in range(generation + 1)
	else:
		is_good = _saved == 0
	var left := 0
	var others: PackedStringArray = []
	for named: String in Files.names(_saves):
		if named.begins_with("."):
			left += 1
			DirAccess.remove_absolute(_saves.path_join(named))
		elif not named in _named:
			is_good = false
			others.append(named)
	var verdict := "good" if is_good else "bad: backup %d, other files %s" % [backup, others]
	var text := "%s: generation %d, saved %d, began %d, left %d, saving %d, overtaken %d"
	text = text % [verdict, generation, _saved, _began, left, _under_way.size(), _count_overtaken()]
	print(text)
	_append("results", text)
	_append("notes", "found %d" % generation)
	return generation


func _read_notes(from := "notes") -> void:
	for line: String in FileAccess.get_file_as_string(_folder.path_join(from)).split("\n", false):
		var noted := line.to_int()
		if line.begins_with("found "):
			_found = noted
			_saved = noted
			_began = noted
			_under_way.clear()
		elif line.begins_with("began "):
			_began = noted
			_under_way[noted] = true
		else:
			_under_way.erase(noted)
			if line.begins_with("saved "):
				_saved = maxi(_saved, noted)


func _count_overtaken() -> int:
	return _under_way.keys().filter(func(other: int) -> bool: return other < _saved).size()


## A generation is called after all before it. So the file must never be older than one that was
## reported, even if earlier ones are under way.
func _save_for_ever(from: int) -> void:
	var generation := from
	while true:
		VarBatch.set_thread_count(generation % 4)
		# The calls in order: a save at once or by a task, a frame, the end of the last task, and how to
		# wait for the tasks: at once, by signals or by looking.
		var all := "s tw ta t-cw tsw tsw tsl sttl tttt-scl tttt-scl".split(" ")
		var calls := all[randi() % all.size()]
		var cancelled := -1
		var tasks: Dictionary[int, VarBatchTask] = {}
		for call_name: String in calls:
			match call_name:
				"s":
					_note(generation, _save(generation) as int)
					generation += 1
				"t":
					tasks[generation] = _save(generation, "_async")
					generation += 1
				"-":
					await get_tree().process_frame
				"c":
					cancelled = tasks.keys()[-1]
					tasks[cancelled].cancel()
				"a":
					await tasks[generation - 1].finished
				"l":
					await _end_of(tasks, cancelled)
		for number: int in tasks:
			_note(number, tasks[number].wait() as int, number == cancelled)
		var found := _load(_path)
		if found and found[0] < _reported:
			_append("results", "bad: generation %d came after %d was saved" % [found[0], _reported])


func _save(generation: int, form := "") -> Variant:
	var values := make(generation)
	_append("notes", "began %d" % generation)
	var mode := mode(generation) if _key == null else -1
	return Files.call_method("save_vars" + form, [_path, values, false, mode, _key, _key != null])


func _load(from: String) -> Array:
	return VarBatch.load_vars(from, false, 0, -1, _key)


## That of a file that is whole, else -1.
func _generation_in(from: String) -> int:
	return generation_of(_load(from))


func _end_of(tasks: Dictionary[int, VarBatchTask], cancelled: int) -> void:
	while tasks:
		await get_tree().process_frame
		for generation: int in tasks.keys():
			if tasks[generation].is_finished():
				_note(generation, tasks[generation].get_error(), generation == cancelled)
				tasks.erase(generation)


func _note(generation: int, error: int, may_be_cancelled := false) -> void:
	if error == OK:
		_reported = maxi(_reported, generation)
	_append("notes", "%s %d" % ["saved" if error == OK else "skipped", generation])
	if error != OK and not (may_be_cancelled and error == ERR_SKIP):
		_append("results", "bad: save of generation %d: error %d" % [generation, error])


## Begins what the kind says, and quits.
func _quit(kind: String) -> void:
	match kind:
		"at once":
			_begin(0)
		"exit tree":
			pass
		"close":
			_begin(0)
			get_tree().root.close_requested.emit()
			print(LAST_LINE)
			return
		"frames":
			_begin(0)
			await get_tree().process_frame
			await get_tree().process_frame
		"thread":
			var thread := Thread.new()
			thread.start(_begin.bind(0))
			thread.wait_to_finish()
		"compressed":
			_begin(0, FileAccess.COMPRESSION_ZSTD)
		"held":
			set_meta(&"held", [_begin(0), VarBatch.vars_to_bytes_async(make(6))])
		"listened to":
			_begin(0).finished.connect(func(_result: Variant) -> void: print("finished"))
		"connected":
			_begin(0).finished.connect(_on_finished)
		"awaited":
			_await.call_deferred()
		"many":
			for i: int in 7:
				_begin(i, mode(i))
			_begin_others()
		_:
			_begin_two(kind.get_slice(", ", 0), kind.get_slice(", ", 1))
	print(LAST_LINE)
	get_tree().quit()


## The task is not held by the function: what that holds is never freed when a game ends while it
## waits, of any class (see rust/docs/DECISIONS.md).
func _await() -> void:
	_keep_awaited()
	await _awaited.finished
	_on_finished()


func _keep_awaited() -> void:
	_awaited = _begin(0)


func _on_finished(_result: Variant = null) -> void:
	print("finished")


## Tasks that are dropped.
func _begin_others() -> void:
	var values := make(6)
	var frames := VarBatch.vars_to_frames([Resource.new(), values], true)
	VarBatch.vars_to_bytes_async(values)
	VarBatch.vars_to_frames_async(values)
	VarBatch.frames_to_vars_async(frames, true)
	VarBatch.bytes_to_vars_async(VarBatch.vars_to_bytes(values))
	VarBatch.load_vars_async(_path)
	VarBatch.save_vars_async(_path + ".cancelled", values).cancel()


func _begin(number: int, mode := -1) -> VarBatchTask:
	var to := _path if number == 0 else "%s.%d" % [_path, number]
	return VarBatch.save_vars_async(to, make(QUIT_GENERATION + number), false, mode)


## Calls for one file, which holds what they give one after the other. The last one at once is small: an
## earlier task takes longer.
func _begin_two(first: String, second: String) -> void:
	var to := _path + ".1"
	var older := make(QUIT_GENERATION)
	var newer := make(QUIT_GENERATION + 1)
	match second:
		"cancelled":
			VarBatch.save_vars_async(to, newer)
			VarBatch.save_vars_async(to, older).cancel()
		"append", "append at once":
			VarBatch.save_vars_async(to, newer.slice(0, -2))
			VarBatch.append_vars_async(to, [newer[-2]])
			Files.call_method("append_vars" + ("" if second.ends_with("at once") else "_async"), [to, [newer[-1]]])
		_:
			var older_path := to if second != "spelled" else _saves.path_join("../saves/%s.1" % SAVE)
			Files.call_method("save_vars" + ("_async" if first == "task" else ""), [older_path, older])
			Files.call_method("save_vars" + ("_async" if second == "task" else ""), [to, newer])


## Each folder is one run that quit. What was begun is there, whole, and nothing else.
func _verify() -> void:
	for kind: String in DirAccess.get_directories_at(_folder):
		if kind == "saves":
			continue
		var saves := _folder.path_join(kind).path_join("saves")
		var expected := PackedStringArray([SAVE])
		for i: int in range(1, 7) if kind.begins_with("many") else []:
			expected.append("%s.%d" % [SAVE, i])
		var first := QUIT_GENERATION
		if kind.contains(", ") and kind.get_slice(", ", 0) in ["task", "save"]:
			expected = [SAVE + ".1"]
			first += 1
		var found := Files.names(saves)
		var is_good := found == expected
		for i: int in expected.size():
			is_good = is_good and _generation_in(saves.path_join(expected[i])) == first + i
		print("%s: quit %s: %s" % ["good" if is_good else "bad", kind, found])


func _end() -> void:
	print(LAST_LINE)
	get_tree().quit()


## The id of this process, for who is to kill it: what started it may be a script. In one step, so
## that it is never read in part.
func _note_ready() -> void:
	var beside := _folder.path_join("ready.new")
	var file := FileAccess.open(beside, FileAccess.WRITE)
	file.store_line(str(OS.get_process_id()))
	file.close()
	DirAccess.rename_absolute(beside, _folder.path_join("ready"))


## Kept by the system though the process is killed the moment after.
func _append(to: String, text: String) -> void:
	var at := _folder.path_join(to)
	if not FileAccess.file_exists(at):
		FileAccess.open(at, FileAccess.WRITE).close()
	var file := FileAccess.open(at, FileAccess.READ_WRITE)
	file.seek_end()
	file.store_string(text + "\n")


## Of a size that the generation decides: from next to nothing to some 20 MB.
static func make(generation: int) -> Array:
	var values: Array = [generation, 0]
	var size: Array = SIZES[generation % SIZES.size()]
	for i: int in size[0] as int:
		var numbers := PackedInt32Array()
		numbers.resize(size[1] as int)
		numbers.fill(generation)
		numbers[0] = i
		values.append(numbers)
	var part := func(i: int) -> Dictionary: return {"generation": generation, "i": i, "text": "part %d" % i}
	values += range(size[2] as int).map(part) + [[generation, END]]
	values[1] = values.size()
	return values


static func mode(generation: int) -> int:
	return MODES[generation % MODES.size()]


## The generation of values that are whole and all of one. -1 otherwise.
static func generation_of(values: Array) -> int:
	if values.size() < 3 or not values[0] is int or not values[1] is int:
		return -1
	var generation: int = values[0]
	var is_whole: bool = values[1] == values.size() and var_to_bytes(values) == var_to_bytes(make(generation))
	return generation if is_whole else -1
