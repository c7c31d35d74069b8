extends Node
## Runs suites: every function test_* of a suite's script, each in a fresh instance of its scene.
##
## Arguments after `--`: keep the tests whose "suite/test" contains one of them. `--long` tests all
## of the generated values instead of a tenth, `--quick` fewer sizes and thread counts. A run is good
## only if it ends with the line "N passed, 0 failed", N over 0, and exit status 0. It says so
## itself, so a script that does not load or a filter that matches nothing is a failure too.

const ErrorLog := preload("error_log.gd")
const Suite := preload("suite.gd")
const FileProbe := preload("file_probe.gd")
const MemoryProbe := preload("memory_probe.gd")
const UndoProbe := preload("undo_memory_probe.gd")

## Failures printed of one test; the rest are counted.
const SHOWN_FAILURES := 4

## The options to test fewer sizes and thread counts, and to test all of the generated values. How
## much of those is tested without it.
const QUICK := "--quick"
const LONG := "--long"
const USUAL_SHARE := 0.1

var _filters := PackedStringArray()
var _share := USUAL_SHARE
var _is_quick := false
var _errors := ErrorLog.new()
var _passed := 0
var _failed := 0


## Runs the suites of these scenes, then quits.
func run(scene_paths: PackedStringArray) -> void:
	for probe: GDScript in [MemoryProbe, FileProbe, UndoProbe]:
		if probe.get_script_constant_map().ARGUMENT in OS.get_cmdline_user_args():
			add_child(probe.new() as Node)
			return
	_read_arguments()
	print("Godot %s, %s" % [Engine.get_version_info().string, _build_name()])
	if not ClassDB.class_exists(&"VarBatch"):
		_fail("setup", ["class VarBatch is missing: build it first (scripts/build.sh)"])
	else:
		_errors.open()
		if not _errors.is_open():
			print("This engine has no Logger: logged errors are not checked.")
		for path: String in scene_paths:
			await _run_suite(path)
		_errors.close()
	print("%d passed, %d failed" % [_passed, _failed])
	get_tree().quit(0 if _failed == 0 and _passed > 0 else 1)


func _read_arguments() -> void:
	for argument: String in OS.get_cmdline_user_args():
		if argument == LONG:
			_share = 1.0
		elif argument == QUICK:
			_is_quick = true
		else:
			_filters.append(argument)


func _run_suite(scene_path: String) -> void:
	var suite_name := scene_path.get_file().get_basename()
	var scene: PackedScene = load(scene_path)
	var sample := scene.instantiate() if scene else null
	if not sample is Suite:
		_fail(suite_name, ["its scene or script does not load"])
		return
	var tests := _tests_of(sample as Suite, suite_name)
	sample.free()
	if tests.is_empty():
		return
	var failed_before := _failed
	var started := Time.get_ticks_msec()
	for test: StringName in tests:
		await _run_test(scene, suite_name, test)
	var seconds := (Time.get_ticks_msec() - started) / 1000.0
	var failed := _failed - failed_before
	print("%-8s %3d tests, %d failed, %.2f s" % [suite_name, tests.size(), failed, seconds])


func _run_test(scene: PackedScene, suite_name: String, test: StringName) -> void:
	var suite: Suite = scene.instantiate()
	suite.errors = _errors
	suite.share = _share
	suite.is_quick = _is_quick
	add_child(suite)
	_errors.take()
	await suite.call(test)
	suite.finish()
	var failures := suite.failures
	if suite.checks == 0:
		failures.append("it checked nothing")
	suite.free()
	if failures.is_empty():
		_passed += 1
	else:
		_fail("%s/%s" % [suite_name, test], failures)


func _tests_of(suite: Suite, suite_name: String) -> Array[StringName]:
	var tests: Array[StringName] = []
	var script: Script = suite.get_script()
	for method: Dictionary in script.get_script_method_list():
		var test: StringName = method.name
		if test.begins_with("test_") and not test in tests and _is_kept(suite_name, test):
			tests.append(test)
	return tests


func _is_kept(suite_name: String, test: StringName) -> bool:
	var full_name := "%s/%s" % [suite_name, test]
	for filter: String in _filters:
		if filter in full_name:
			return true
	return _filters.is_empty()


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
