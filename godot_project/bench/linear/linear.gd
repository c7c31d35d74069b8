extends Node
## Finds out if what a method takes grows faster than what it is given.
##
##     godot --headless --path godot_project res://bench/linear/linear.tscn [-- FILTER ...]
##
## Each case is timed with an input, with one of twice its size, and with one of four times its size, in
## turns. Of each size the shortest time counts. A case that seems to grow too fast is timed again and
## again before it fails. A filter keeps the cases whose name contains it.
## Each method of each class has a case, or is one of [constant CONSTANT].

const Case := preload("case.gd")
const Place := preload("../place.gd")
const Shapes := preload("shapes.gd")
const Timing := preload("../timing.gd")

const SECTIONS: Array[String] = ["in_memory", "in_files", "in_stores", "of_objects"]
const SCALES: Array[int] = [1, 2, 4]
## Max ratio of the time of the largest input to that of the smallest. It takes four times as long, and more if it
## is sorted, if it does not fit into a cache, or if only the larger ones are shared by threads. What is quadratic
## takes 16 times as long.
const MAX_RATIO := 7.0
## Added to the time of the smallest input, in microseconds: clocks and interrupts count more there.
const SLACK_USEC := 60.0
const ROUNDS := 3
## What seems to grow too fast is timed again for this long, as other programs may have run.
const MAX_MSEC := 2_000
## Free space for files, in MiB.
const FREE_MIB := 64

const CLASSES: Array[StringName] = [&"VarBatch", &"VarBatchState", &"VarBatchStore", &"VarBatchUndoRecorder", &"VarBatchTask"]
## Methods that are given nothing that could be large. A task ends with the method that began it.
const CONSTANT: Dictionary[StringName, Array] = {
	&"VarBatch":
	[
		"get_diagnostics",
		"get_last_error",
		"get_last_error_message",
		"get_thread_count",
		"get_type_table",
		"get_version",
		"is_printing_error_messages",
		"set_print_error_messages",
		"set_thread_count",
	],
	&"VarBatchStore": ["close", "get_path"],
	&"VarBatchTask":
	["cancel", "get_error", "get_error_message", "get_progress", "get_result", "is_finished", "wait"],
}

var _passed := 0
var _failed := 0
var _place := Place.new("varbatch_linear_")


func _ready() -> void:
	var problem := _place.prepare(FREE_MIB, 1)
	if problem:
		_fail(problem)
	else:
		var _block := Timing.warm_memory()
		_run(OS.get_cmdline_user_args())
	_place.remove_all()
	print("%d passed, %d failed" % [_passed, _failed])
	get_tree().quit(0 if _failed == 0 and _passed > 0 else 1)


func _run(filters: PackedStringArray) -> void:
	var names: PackedStringArray = []
	for section: String in SECTIONS:
		var script: GDScript = load("res://bench/linear/%s.gd" % section)
		var cases: Dictionary[String, Callable] = script.call(&"all", _place)
		names.append_array(cases.keys())
		for named: String in cases:
			if filters.is_empty() or Array(filters).any(func(filter: String) -> bool: return filter in named):
				_measure(named, cases[named])
		Shapes.clear()
	if filters.is_empty():
		_check_list(names)


func _check_list(names: PackedStringArray) -> void:
	for of: StringName in CLASSES:
		for method: Dictionary in ClassDB.class_get_method_list(of, true):
			var named: String = method.name
			var is_constant: bool = named in CONSTANT.get(of, [])
			var is_timed := Array(names).any(_is_of.bind("%s.%s" % [of, named]))
			# What a history calls begins with an underscore.
			if is_timed == is_constant and not named.begins_with("_"):
				_fail("%s.%s has %s" % [of, named, "a case, and is constant" if is_timed else "no case"])


## True if a case times a method. It is named after the method, and then what is given to it.
static func _is_of(case: String, method: String) -> bool:
	return case.get_slice(",", 0).get_slice(" ", 0) == method


func _measure(named: String, make: Callable) -> void:
	var sizes: Array[Case] = []
	for scale: int in SCALES:
		sizes.append(make.call(scale))
	var times: Array[float] = [INF, INF, INF]
	var ratio := INF
	var error := ""
	var turn := 0
	var started := Time.get_ticks_msec()
	while turn <= ROUNDS or (ratio > MAX_RATIO and Time.get_ticks_msec() - started < MAX_MSEC):
		for index in sizes.size():
			var usec := sizes[index].run()
			if VarBatch.get_last_error() != OK:
				error = VarBatch.get_last_error_message()
			if turn > 0:  # The first one warms up.
				times[index] = minf(times[index], usec)
		ratio = times[2] / (times[0] + SLACK_USEC)
		turn += 1
	var text := "%s: %d, %d and %d us" % [named, times[0], times[1], times[2]]
	if error:
		_fail("%s: %s" % [text, error])
	elif ratio <= MAX_RATIO:
		_passed += 1
		print("ok   %s" % text)
	else:
		_fail("%s: %.1f times as long with four times as much" % [text, ratio])


func _fail(text: String) -> void:
	_failed += 1
	print("FAIL %s" % text)
