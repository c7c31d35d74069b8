extends Node
## Runs the suites: every function test_* of each suite's script, in a fresh instance of it. A suite
## is a script in one of the folders below that extends support/suite.gd, but for bases: *_base.gd.
##
##     godot --headless --path godot_project res://conformance/all.tscn [-- [OPTION] [FILTER ...]]
##
## A filter keeps the tests whose "folder/suite/test" contains it, for instance `undo/` or `undo/deep/`. `--long` tests
## all of the generated values instead of a tenth, `--quick` fewer sizes and thread counts. `--slow` is for emulated
## machines: all limits of time count 20 times. `--browser-files` is for a library with the feature of that name.
## `--godot3` runs the suites of scripts/godot3-test.sh instead. A run is good only if it ends with the line "N passed,
## 0 failed", N over 0, and exit status 0. It says so itself, so a script that does not load or a filter that matches
## nothing is a failure too.
##
## With `-- --run SCRIPT ...` it runs one of these scripts instead, as a process of its own: the
## game of scripts/crash-test.sh, and run_alone() of a suite, which support/child.gd starts.

const Child := preload("support/child.gd")
const ErrorLog := preload("support/error_log.gd")
const Suite := preload("support/suite.gd")

## Failures printed of one test; the rest are counted.
const SHOWN_FAILURES := 4

## How much of the generated values is tested without `--long`.
const USUAL_SHARE := 0.1

## How many times as slow a slow machine is.
const SLOWNESS := 20

## First those that look at the most this process ever used, which others would hide.
const FOLDERS: PackedStringArray = [
	"hostile", "values", "engines", "batches", "files", "changes", "undo", "state", "store", "documents", "tasks"
]

## What a browser lacks, and the tests that need it: their names, or how these begin.
const IN_BROWSERS: Dictionary[String, Array] = {
	"no threads":
	[
		"values/nesting/test_deepest_nesting_on_threads",
		"values/errors/test_without_lines",
		"values/errors/test_threads",
		"files/open_files/test_tcp",
	],
	"no threads, so that a task works on a value in one step": ["tasks/progress/"],
	"no sockets": ["files/open_files/test_packets"],
	"no processes, and no shell": ["files/errors/test_without_", "files/append/test_without_", "store/order/test_two_processes", "hostile/memory/test_growth", "hostile/memory/test_validate", "hostile/numbers/", "hostile/shapes/", "undo/memory/"],
	"no files of the project but what was exported":
	["documents/api/test_the_help_has_what_there_is", "documents/api/test_icons", "documents/documents/", "values/codes/"],
}

## How suites begin that look at files that a real Godot 3 made.
const GODOT3 := "from_godot3_"

var _filters := PackedStringArray()
var _share := USUAL_SHARE
var _is_quick := false
var _tells_of_files := false
var _errors := ErrorLog.new()
var _passed := 0
var _failed := 0
var _skipped := 0


func _ready() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments and arguments[0] == "--run":
		_run_alone(load(_path_of(arguments[1])) as GDScript)
		return
	var is_godot3 := false
	for argument: String in arguments:
		match argument:
			"--long":
				_share = 1.0
			"--slow":
				Suite.slowness = SLOWNESS
			"--quick":
				_is_quick = true
			"--browser-files":
				_tells_of_files = true
			"--godot3":
				is_godot3 = true
			_:
				_filters.append(argument)
	print("Godot %s, %s" % [Engine.get_version_info().string, _build_name()])
	if not ClassDB.class_exists(&"VarBatch"):
		_fail("setup", ["class VarBatch is missing: build it first (scripts/build.sh)"])
	else:
		_errors.open()
		if not _errors.is_open():
			print("This engine has no Logger: logged errors are not checked.")
		for suite: String in _suites():
			if suite.get_file().begins_with(GODOT3) == is_godot3:
				await _run_suite(suite)
		_errors.close()
	print("%d passed, %d failed%s" % [_passed, _failed, ", %d skipped" % _skipped if _skipped else ""])
	get_tree().quit(0 if _failed == 0 and _passed > 0 else 1)


func _run_alone(script: GDScript) -> void:
	var node: Node = script.new()
	add_child(node)
	if node is Suite:
		await node.call(&"run_alone")
		for failure: String in (node as Suite).failures:
			print(Child.FAILURE + failure)
		print(Child.LAST_LINE)
		get_tree().quit()


func _path_of(script: String) -> String:
	return "res://conformance/%s.gd" % script


func _suites() -> PackedStringArray:
	var suites := PackedStringArray()
	for folder: String in FOLDERS:
		var files := DirAccess.get_files_at("res://conformance/" + folder)
		files.sort()
		for file: String in files:
			if file.ends_with(".gd") and not file.ends_with("_base.gd"):
				suites.append(folder.path_join(file.get_basename()))
	return suites


## False for what the suites use. What does not load is taken for one, and fails.
func _is_suite(script: GDScript) -> bool:
	var base: Script = script
	while base and base != Suite:
		base = base.get_base_script()
	return script == null or not script.can_instantiate() or base == Suite


func _run_suite(suite_name: String) -> void:
	var script: GDScript = load(_path_of(suite_name))
	if not _is_suite(script):
		return
	if script == null or not script.can_instantiate():
		_fail(suite_name, ["its script does not load"])
		return
	var tests := _tests_of(script, suite_name)
	if tests.is_empty():
		return
	var failed_before := _failed
	var started := Time.get_ticks_msec()
	for test: StringName in tests:
		await _run_test(script, suite_name, test)
	var seconds := (Time.get_ticks_msec() - started) / 1000.0
	var failed := _failed - failed_before
	print("%-29s %3d tests, %d failed, %.2f s" % [suite_name, tests.size(), failed, seconds])


func _run_test(script: GDScript, suite_name: String, test: StringName) -> void:
	var suite: Suite = script.new()
	suite.errors = _errors
	suite.share = _share
	suite.is_quick = _is_quick
	suite.tells_of_files = _tells_of_files
	add_child(suite)
	await suite.call(test)
	suite.finish()
	ClassDB.class_call_static(&"VarBatch", &"set_thread_count", 0)
	var failures := suite.failures
	if suite.checks == 0:
		failures.append("it checked nothing")
	suite.free()
	if failures.is_empty():
		_passed += 1
	else:
		_fail("%s/%s" % [suite_name, test], failures)


func _tests_of(script: GDScript, suite_name: String) -> Array[StringName]:
	var tests: Array[StringName] = []
	for method: Dictionary in script.get_script_method_list():
		var test: StringName = method.name
		if not test.begins_with("test_") or test in tests or not _is_kept(suite_name, test):
			continue
		var reason := _why_skipped("%s/%s" % [suite_name, test])
		if reason.is_empty():
			tests.append(test)
		else:
			_skipped += 1
			print("SKIP %s/%s: %s" % [suite_name, test, reason])
	return tests


func _why_skipped(test: String) -> String:
	for reason: String in IN_BROWSERS if OS.has_feature("web") else {}:
		if IN_BROWSERS[reason].any(test.begins_with):
			return reason
	return ""


func _is_kept(suite_name: String, test: StringName) -> bool:
	var full_name := "%s/%s" % [suite_name, test]
	return _filters.is_empty() or Array(_filters).any(func(filter: String) -> bool: return filter in full_name)


func _fail(where: String, failures: PackedStringArray) -> void:
	_failed += 1
	var text := "; ".join(failures.slice(0, SHOWN_FAILURES))
	if failures.size() > SHOWN_FAILURES:
		text += "; and %d more" % (failures.size() - SHOWN_FAILURES)
	print("FAIL %s: %s" % [where, text])


func _build_name() -> String:
	if OS.has_feature("editor"):
		return "editor build"
	return "debug template" if OS.is_debug_build() else "release template"
