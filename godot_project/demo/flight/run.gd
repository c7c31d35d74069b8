extends "res://demo/save/run.gd"
## Flies over a world that is saved once a second: first what has changed, with VarBatchStore, then
## for comparison all of it. The game rests between. Then loads it all, and compares.

const Land = preload("res://demo/flight/land.gd")

## With a display: here, a run that was killed leaves its world for the next one.
const KEPT := "user://varbatch_kept_world"
const CHUNKS_PER_STEP := 64
const _STORE := 1
## The name of the file with the number of saves that a killed run knew to be complete.
const _NOTE := "acknowledged"

var land: Land
## The number of saves in each way.
var save_count := 0
## How the last run ended, if it was killed.
var last_end := ""

var _saves_left := 0
## The MiB that had been written when the way began, and those of all chunks that were saved.
var _written_before := 0.0
var _given_mib := 0.0


func _init(run_options: Options) -> void:
	super(run_options)
	ways = [ways[0]]
	for label: String in ["VarBatchStore, changes", "save_vars, all", "save_vars_async, all"]:
		ways.append(Way.new(label))
	save_count = options.save_round_count
	# Not the folder of the other saves: theirs is removed while the store is open.
	_place.folder += "_world"
	if DisplayServer.get_name() != "headless":
		save_count *= 5
		_place.folder = ProjectSettings.globalize_path(KEPT)


func begin() -> void:
	super()
	if not problem.is_empty() or land != null:
		return
	status = "Making a world"
	land = Land.new(options.chunk_count, options.world_seed)
	land.open(_place.path("world.db"))
	if land.save_number > 0 and land.problem.is_empty():
		var note := FileAccess.open(_place.path(_NOTE), FileAccess.READ)
		if note != null and note.get_64() > land.save_number:
			land.problem = "save %d is there, but a later one was acknowledged" % land.save_number
		else:
			last_end = "The last run was killed after save %d: all of it is here" % land.save_number
			print("demo: ", last_end)


func advance() -> bool:
	if problem.is_empty():
		_stop_if(land.problem)
	super()
	if (_state == State.REST or _state == State.SAVE) and not phases[-1].frames.is_empty():
		var steering := Input.get_vector("ui_left", "ui_right", "ui_up", "ui_down")
		land.fly(phases[-1].frames[-1], steering)
	if _state == State.SAVE and _task == null and _saves_left > 0:
		if phases[-1].usec() >= (save_count - _saves_left) * 1_000_000:
			_save()
	return not is_finished


func progress() -> float:
	return 1.0 if is_finished else 0.1 + 0.3 * _saved_count


func tidy() -> void:
	if land != null:
		land.close()
		land = null
	super()


## Ends this process in the middle of a save, without any cleaning up.
func kill() -> void:
	print("demo: killed after save %d was acknowledged" % land.save_number)
	var note := FileAccess.open(_place.path(_NOTE), FileAccess.WRITE)
	note.store_64(land.save_number)
	note.close()
	land.save()
	OS.kill(OS.get_process_id())


## Makes the world and saves it, loads what is around the player, and begins.
func _make() -> void:
	if land.grow(CHUNKS_PER_STEP):
		return
	land.flush()
	if land.loaded.is_empty():
		land.fly(0, Vector2.ZERO)
		return
	phases = []
	_rounds_left = 0
	round_number += 1
	_way = _STORE
	_last_usec = Time.get_ticks_usec()
	_begin_rest()


## Begins a phase with several saves.
func _begin_save() -> void:
	_state = State.SAVE
	_begin_phase(ways[_way])
	_set_status(ways[_way].label + ", once a second")
	saved_fraction = 0.0
	_saves_left = save_count
	_written_before = _written_mib()


func _save() -> void:
	_saves_left -= 1
	_started_usec = Time.get_ticks_usec()
	var path := _place.path("all.dat")
	var count := land.changed.size() if _way == _STORE else land.chunks.size()
	_given_mib += count * Land.CHUNK_KIB / 1_024.0
	match _way:
		_STORE:
			_task = land.save()
		_SAVE_VARS:
			_on_saved(VarBatch.save_vars(path, land.chunks.values()))
		_:
			_task = VarBatch.save_vars_async(path, land.chunks.values())
	if _task != null:
		_task.finished.connect(_on_saved)


func _on_saved(error: Error) -> void:
	super(error)
	_task = null
	saved_fraction = 1.0 if _saves_left == 0 else 0.0
	if _way == _STORE:
		land.end_save(error)


func _end_save() -> void:
	ways[_way].written_mib.append((_written_mib() - _written_before) / save_count)
	super()


func _compare() -> void:
	land.flush()
	_stop_if(land.difference())
	if problem.is_empty():
		status = "All chunks equal"
		_state = State.DONE


## Returns how much this process has written so far; where the system does not tell, what it saved.
func _written_mib() -> float:
	var file := FileAccess.open("/proc/self/io", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line := file.get_line()
		if line.begins_with("wchar: "):
			return line.get_slice(" ", 1).to_int() / float(Place.MIB)
	return _given_mib
