extends "res://demo/any_run.gd"
## Saves the same values in each way while the engine runs frames, one step per frame. The game
## rests between the saves, which shows what an idle frame takes. Then compares the files.
##
## A round is: rest, store_var in a loop, rest, save_vars, rest, save_vars_async, rest.

enum State { MAKE, REST, SAVE, COMPARE, DONE }

const Data = preload("res://bench/files/data.gd")
const Options = preload("res://demo/options.gd")
const Phase = preload("res://demo/save/phase.gd")
const Place = preload("res://bench/place.gd")
const Way = preload("res://demo/save/way.gd")

const REST_USEC := 600_000
## During this part of a rest, the text announces what comes next.
const _ANNOUNCE_USEC := 300_000
const _ENGINE := 1
const _SAVE_VARS := 2
const _SAVE_VARS_ASYNC := 3

## The rows of the table: idle, then the ways to save, in order.
var ways: Array[Way] = [
	Way.new(Way.IDLE),
	Way.new("store_var, in a loop"),
	Way.new("VarBatch.save_vars"),
	Way.new("VarBatch.save_vars_async"),
]
var options: Options
## The current or last round, counted from 1, with its rests and saves.
var round_number := 0
var phases: Array[Phase] = []
## What the game shows its player about saving, and the saved part, from 0 to 1.
var notice := ""
var saved_fraction := 0.0

var _state := State.MAKE
var _values: Array = []
var _place := Place.new("varbatch_demo_")
var _rounds_left := 0
var _saved_count := 0
## The next or current way.
var _way := _ENGINE
var _task: VarBatchTask
var _started_usec := 0
var _last_usec := 0


func _init(run_options: Options) -> void:
	options = run_options


## Runs more rounds; their samples are added to the existing ones.
func begin() -> void:
	super()
	_saved_count = 0
	_rounds_left = options.save_round_count
	_state = State.MAKE
	status = "Making %d MiB of packed arrays" % options.mib
	_stop_if(_place.prepare(options.mib, ways.size() - 1))


func advance() -> bool:
	var now := Time.get_ticks_usec()
	if _state == State.REST or _state == State.SAVE:
		# The frame that has just ended, with all its work.
		phases[-1].add(now - _last_usec)
	_last_usec = now
	match _state:
		State.MAKE:
			_make()
		State.REST:
			_rest()
		State.SAVE:
			if saved_fraction == 1.0:
				_end_save()
		State.COMPARE:
			_compare()
	is_finished = _state == State.DONE
	return not is_finished


func progress() -> float:
	if is_finished:
		return 1.0
	var saves := float(_saved_count) / (options.save_round_count * (ways.size() - 1))
	return 0.1 + 0.9 * saves


func tidy() -> void:
	if _task != null:
		_task.cancel()
		_task.wait()
		_task = null
	_place.remove_all()


## The number of complete rounds.
func round_count() -> int:
	return ways[-1].longest_usec.size()


func _make() -> void:
	if _values.is_empty():
		_values = Data.mixed(1 << 20, options.mib)
	else:
		_begin_round()


func _begin_round() -> void:
	_place.remove_files()
	phases = []
	_rounds_left -= 1
	round_number += 1
	_way = _ENGINE
	_last_usec = Time.get_ticks_usec()  # The work so far is not a frame of the round.
	notice = "Just playing"
	_begin_rest()


func _begin_rest() -> void:
	_state = State.REST
	_begin_phase(ways[0])
	_set_status("resting, to see idle frames")


func _rest() -> void:
	var rested := phases[-1].usec()
	if rested < REST_USEC:
		if rested > REST_USEC - _ANNOUNCE_USEC and _way < ways.size():
			notice = "Next: " + ways[_way].label
			saved_fraction = 0.0
		return
	ways[0].longest_usec.append(phases[-1].longest_usec)
	if _way < ways.size():
		_begin_save()
	elif _rounds_left > 0:
		_begin_round()
	else:
		_state = State.COMPARE


func _begin_save() -> void:
	var way := ways[_way]
	_state = State.SAVE
	_begin_phase(way)
	_set_status(way.label)
	notice = "Saving with " + way.label
	saved_fraction = 0.0
	var path := _place.path(way.label)
	_started_usec = Time.get_ticks_usec()
	match _way:
		_ENGINE:
			Place.store(path, _values)
			_on_saved(OK)
		_SAVE_VARS:
			_on_saved(VarBatch.save_vars(path, _values))
		_SAVE_VARS_ASYNC:
			_task = VarBatch.save_vars_async(path, _values)
	way.blocked_usec.append(Time.get_ticks_usec() - _started_usec)
	if _way == _SAVE_VARS_ASYNC:
		_task.progressed.connect(_on_progressed)
		_task.finished.connect(_on_saved)


func _on_progressed(fraction: float) -> void:
	saved_fraction = minf(fraction, 0.99)


func _on_saved(error: Error) -> void:
	var way := ways[_way]
	var usec := Time.get_ticks_usec() - _started_usec
	way.saved_usec.append(usec)
	saved_fraction = 1.0
	notice = "Saved in %.2f s" % (usec / 1_000_000.0)
	if error != OK:
		_stop_if("%s: %s" % [way.label, error_string(error)])


## The frame with the save has ended.
func _end_save() -> void:
	_task = null
	ways[_way].longest_usec.append(phases[-1].longest_usec)
	_saved_count += 1
	_way += 1
	_begin_rest()


func _compare() -> void:
	notice = "Just playing"
	saved_fraction = 0.0
	status = "Comparing the files"
	for way: Way in ways.slice(_SAVE_VARS):
		if problem.is_empty():
			_stop_if(Place.difference(_place.path(ways[_ENGINE].label), _place.path(way.label)))
	if problem.is_empty():
		status = "All files equal"
		_state = State.DONE
		tidy()


func _begin_phase(way: Way) -> void:
	phases.append(Phase.new(way, 0 if phases.is_empty() else phases[-1].end_usec))


func _set_status(text: String) -> void:
	status = "Round %d: %s" % [round_number, text]


func _stop_if(what: String) -> void:
	if not what.is_empty():
		problem = what
		status = what
		_state = State.DONE
		tidy()
