extends RefCounted
## Section: the effect of `save_vars_async` on a game at 60 frames per second: the time of the call,
## the time until the file is complete, and the longest frame meanwhile, against the longest of as
## many frames of the same idle game. `vars_to_frames` is measured too, as it is the walk that
## blocks. The game learns between two frames that the save is finished, so the time is exact to a
## frame.

const Data = preload("res://bench/files/data.gd")
const Place = preload("res://bench/place.gd")
const Session = preload("res://bench/session.gd")
const Turns = preload("res://bench/files/turns.gd")

const _DATA: Array[String] = [Data.PACKED, Data.SAVE_GAME, Data.MILLION]
const _RESTING_FRAMES := 10
const _MEASURES: Array[String] = [
	"call, ms", "finished, ms", "longest frame, ms", "idle, ms", "`vars_to_frames`, ms"
]

var _tree: SceneTree = Engine.get_main_loop()
var _path := ""
var _result: Variant = null
var _last_usec := 0


func run(session: Session) -> void:
	var place := session.place
	_path = place.path("saved")
	Engine.max_fps = 60
	OS.low_processor_usage_mode = false
	for name: String in _DATA:
		var title := Data.title(name, session.options.mib)
		if not session.wants("tasks/" + title):
			continue
		var values := Data.make(name, session.options.mib)
		Place.store(place.path("expected"), values)
		var runs: Array[PackedFloat64Array] = []
		for turn in session.options.runs + 1:
			var measured := await _measure(values, place)
			if turn > 0:
				runs.append(measured)
			elif not session.verify("tasks/" + title, _difference(place)):
				return
		_print(session, title, runs)
	Engine.max_fps = 0
	place.remove_files()


## Returns the time of each measure.
func _measure(values: Array, place: Place) -> PackedFloat64Array:
	await _rest(place)
	_result = null
	# The call is at the start of a frame, as in _process.
	var started := Time.get_ticks_usec()
	var task := VarBatch.save_vars_async(_path, values)
	var blocked := Turns.msec_since(started)
	task.finished.connect(func(result: Variant) -> void: _result = result)
	var longest := 0.0
	var frame_count := 0
	while _result == null:
		longest = maxf(longest, await _frame())
		frame_count += 1
	var finished := Turns.msec_since(started)
	await _rest(place)
	var idle := 0.0
	for _idle_frame in frame_count:
		idle = maxf(idle, await _frame())
	started = Time.get_ticks_usec()
	VarBatch.vars_to_frames(values)
	return [blocked, finished, longest, idle, Turns.msec_since(started)]


## Waits until the disk and the frames have settled.
func _rest(place: Place) -> void:
	place.settle()
	for _frame_number in _RESTING_FRAMES:
		await _frame()


## Waits until the next frame begins; returns the milliseconds since the last one began.
func _frame() -> float:
	await _tree.process_frame
	var now := Time.get_ticks_usec()
	var msec := (now - _last_usec) / 1000.0
	_last_usec = now
	return msec


func _difference(place: Place) -> String:
	if _result != OK:
		return "finished with %s" % _result
	return Place.difference(place.path("expected"), _path)


func _print(session: Session, title: String, runs: Array[PackedFloat64Array]) -> void:
	Turns.print_title(
		"Tasks: save_vars_async of %s, %d runs at 60 frames a second" % [title, runs.size()],
		["", "median (min to max)"]
	)
	var line := {}
	for index in _MEASURES.size():
		var times: PackedFloat64Array = []
		for measured: PackedFloat64Array in runs:
			times.append(measured[index])
		Turns.print_row([_MEASURES[index], Turns.spread(times, "%.2f")])
		line[_MEASURES[index].replace("`", "").replace(", ", "_")] = times
	session.report.add_json("tasks/" + title, line)
