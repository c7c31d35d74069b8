extends Node
## Base of every suite: the checks, and the errors that a test expects.
##
## A failed check is noted and the test goes on. Values are compared by type and by the engine's
## own bytes of them, never by `==` alone: it holds for 0.0 and -0.0 and not for NaN and NaN.

const ErrorLog := preload("error_log.gd")
const Equal := preload("equal.gd")

## Set by the runner.
var errors: ErrorLog
var failures: PackedStringArray = []
var checks := 0


## A suite's own scene, run as the main scene, runs itself.
func _ready() -> void:
	if get_tree().current_scene == self:
		var script: GDScript = load("res://conformance/runner.gd")
		var runner: Node = script.new()
		add_child(runner)
		runner.call(&"run", PackedStringArray([scene_file_path]))


## Called by the runner after each test. What was logged and not expected is a failure.
func finish() -> void:
	_refuse_logged()


func check(is_good: bool, what: String) -> void:
	checks += 1
	if not is_good:
		failures.append(what)


func check_int(found: int, expected: int, what: String) -> void:
	check(found == expected, "%s: expected %d, found %d" % [what, expected, found])


func check_bytes(found: PackedByteArray, expected: PackedByteArray, what: String) -> void:
	checks += 1
	if found != expected:
		failures.append("%s: %s" % [what, Equal.byte_difference(found, expected)])


## Same type and same bytes, objects compared by class and stored properties.
func check_value(found: Variant, expected: Variant, what: String) -> void:
	checks += 1
	var difference := Equal.difference(found, expected)
	if not difference.is_empty():
		failures.append("%s: %s" % [what, difference])


## Calls [param action], which must log exactly [param count] errors, each with
## [param must_contain] in it. Returns what the action returns.
func expect_errors(action: Callable, count: int, must_contain: String) -> Variant:
	_refuse_logged()
	var result: Variant = action.call()
	var texts := _take_texts()
	_check_texts(texts, count, must_contain)
	return result


## The same, for values that go through the engine's own functions, which log lines of their own:
## of all lines only those of VarBatch are counted.
func expect_own_errors(action: Callable, count: int, must_contain: String) -> Variant:
	_refuse_logged()
	var result: Variant = action.call()
	var own := PackedStringArray()
	for text: String in _take_texts():
		if text.begins_with("VarBatch."):
			own.append(text)
	_check_texts(own, count, must_contain)
	return result


## Calls [param action] with the engine's error messages switched off, VarBatch's among them:
## only for asking the engine itself about bad input.
func quietly(action: Callable) -> Variant:
	Engine.print_error_messages = false
	var result: Variant = action.call()
	Engine.print_error_messages = true
	return result


func _check_texts(texts: PackedStringArray, count: int, must_contain: String) -> void:
	checks += 1
	if not errors.is_open():
		return
	if texts.size() != count:
		var all := " | ".join(texts.slice(0, 3))
		failures.append(
			"expected %d errors with '%s', found %d: %s" % [count, must_contain, texts.size(), all]
		)
		return
	for text: String in texts:
		if not must_contain in text:
			failures.append("expected an error with '%s', found: %s" % [must_contain, text])


## The texts logged since the last look. A script error is never expected.
func _take_texts() -> PackedStringArray:
	var texts := PackedStringArray()
	for entry: Dictionary in errors.take():
		var text: String = entry.text
		if entry.kind == ErrorLog.KIND_SCRIPT:
			failures.append("script error: %s" % text)
		else:
			texts.append(text)
	return texts


func _refuse_logged() -> void:
	for text: String in _take_texts():
		failures.append("unexpected error logged: %s" % text)
