extends Node
## Base of every suite: the checks, and the errors and warnings that a test expects.
##
## A failed check is noted and the test goes on. Values are compared by type and by the engine's
## own bytes of them, never by `==` alone: it holds for 0.0 and -0.0 and not for NaN and NaN.

const Child := preload("child.gd")
const ErrorLog := preload("error_log.gd")
const Equal := preload("equal.gd")
const Generator := preload("generator.gd")
const Scripted := preload("scripted.gd")
const Values := preload("values.gd")
const Engines := Values.Engines
const Packed := Values.Packed

## Begins the text of a warning, wherever texts of errors and warnings stand in one list.
const WARNING := "warning: "

## Lines that a call prints at most, and one more for the others, as it ends where errors are of
## byte arrays or of a file.
const MAX_LINES := 20
const MORE := "%d more errors are not printed"
const OF_BUFFERS := "; VarBatch.validate() returns all errors"
const OF_FILES := "; the command-line tool lists them: varbatch check --all"

## What lines add to errors about bytes that validate() returns without it.
const CUT_OR_DAMAGED := "; the bytes are cut off or damaged"

const THREAD_COUNTS: PackedInt32Array = [1, 2, 3]
## So many failures end a test of generated values.
const MAX_FAILURES := 8

## Set by all.gd, which runs the suites.
var errors: ErrorLog
## How much of the tests of generated values is run, 1.0 for all.
var share := 0.1
## True in a run that tests fewer sizes and thread counts.
var is_quick := false
## True if the library was built to tell the engine of each saved file, as it does in a browser.
var tells_of_files := false
var failures: PackedStringArray = []
## True for a test of buffers with bytes after their values: losses.gd looks at the warnings.
var ignores_rest := false
var checks := 0
## What the action gave that logged() called last.
var returned: Variant
## What those returned that would have been threads.
var _results: Array = []

## Limits of time count so many times.
static var slowness := 1
## How many calls of in_turns() there were in this run.
static var _turn := 0


## Called after each test. What was logged and not expected is a failure.
func finish() -> void:
	Engine.print_error_messages = true
	_refuse_logged()


func check(is_good: bool, what: String) -> void:
	checks += 1
	if not is_good:
		failures.append(what)


func check_int(found: int, expected: int, what: String) -> void:
	check(found == expected, "%s: expected %d, found %d" % [what, expected, found])


## [param started] is from Time.get_ticks_msec(), as [param max_msec] is.
func check_time(started: int, max_msec: int, what: String) -> void:
	var elapsed := Time.get_ticks_msec() - started
	check(elapsed < max_msec * slowness, "%s took %d ms" % [what, elapsed])


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


func check_same(found: Array, expected: Array, what: String) -> void:
	var at := Equal.first_unequal(found, expected)
	if found.size() != expected.size():
		check_int(found.size(), expected.size(), "size of %s" % what)
	elif at >= 0:
		check_value(found[at], expected[at], "%s[%d]" % [what, at])
	checks += 1


## Two results: those that are arrays of many values are told apart quickly. Such a one is the
## caller's: it takes anything.
func check_like(found: Variant, expected: Variant, what: String) -> void:
	if not expected is Array or (expected as Array).is_typed():
		check_value(found, expected, what)
		return
	if not found is Array:
		check(false, "%s: found a %s" % [what, type_string(typeof(found))])
		return
	var array: Array = found
	check(not array.is_typed() and not array.is_read_only(), "%s: not a plain array" % what)
	check_same(array, expected as Array, what)


## How many of [param count] generated values are to be tested in this run.
func part_of(count: int) -> int:
	return maxi(1, roundi(count * share))


func sized_part_of(count: int) -> int:
	return count / 10 if is_quick else count


## Returns all of [param counts], or one of them in a quick run: the next one at each call.
func in_turns(counts: PackedInt32Array) -> PackedInt32Array:
	if not is_quick:
		return counts
	_turn += 1
	return [counts[_turn % counts.size()]]


## Calls [param action] with the size of each batch and a seed of its own, which is set, so that a failure can be looked
## at without all before it; on other numbers of threads each time. Ends where too much fails.
func in_batches(count: int, size: int, seed_number: int, random: RandomNumberGenerator, action: Callable) -> void:
	for first: int in range(0, count, size):
		random.seed = seed_number + first
		VarBatch.set_thread_count(first / size % 3)
		action.call(mini(size, count - first), seed_number + first)
		if failures.size() >= MAX_FAILURES:
			return


## Sets each of these numbers of threads in turn, or only the next of them in a quick run.
func by_threads(counts := THREAD_COUNTS) -> Threads:
	return Threads.new(in_turns(counts))


## Calls [param action], which must log exactly [param count] errors, each with [param must_contain] in it, and no
## warnings, and leave [param code] as the last error, if that is given. Those that are only counted count. Returns what
## the action returns.
func expect_errors(action: Callable, count: int, must_contain: String, code := -1) -> Variant:
	var result: Variant = expect_logged(action, count, 0, must_contain)
	if code >= 0:
		check_int(VarBatch.get_last_error(), code, "last error with: " + must_contain)
	return result


## The same of errors and warnings. [param only_own] is for where the engine logs lines of its own: of
## objects that fail inside it, and conversions that it complains about.
func expect_logged(
	action: Callable, error_count: int, warning_count: int, must_contain: String, only_own := false
) -> Variant:
	_refuse_logged()
	var result: Variant = action.call()
	checks += 1
	var found := Vector2i.ZERO
	var texts := PackedStringArray()
	for text: String in _take_texts():
		var is_warning := text.begins_with(WARNING)
		var more := more_of(text)
		if only_own and not text.trim_prefix(WARNING).begins_with("VarBatch."):
			continue
		texts.append(text)
		found += more if more else Vector2i(int(not is_warning), int(is_warning))
		if not more and not must_contain in text:
			failures.append("expected a line with '%s', found: %s" % [must_contain, text])
	if errors.is_open() and found != Vector2i(error_count, warning_count):
		var counts: Array = [error_count, warning_count, must_contain, found.x, found.y]
		var text := "expected %d errors and %d warnings with '%s', found %d and %d: "
		failures.append(text % counts + " | ".join(texts.slice(0, 3)))
	return result


## What a call prints of all its errors and warnings: errors go first where there are too many.
## [param advice] is where all errors can be found.
func bounded(texts: PackedStringArray, advice := "") -> PackedStringArray:
	if texts.size() <= MAX_LINES:
		return texts
	var all := Array(texts)
	var error_texts := all.filter(func(text: String) -> bool: return not text.begins_with(WARNING))
	var warnings := all.filter(func(text: String) -> bool: return text.begins_with(WARNING))
	var shown := (error_texts + warnings).slice(0, MAX_LINES)
	var more_errors := maxi(error_texts.size() - MAX_LINES, 0)
	var more_warnings := texts.size() - MAX_LINES - more_errors
	var line := "%d more errors and %d more warnings are not printed" % [more_errors, more_warnings] + advice
	if more_warnings == 0:
		line = MORE % more_errors + advice
	elif more_errors == 0:
		line = WARNING + MORE.replace("errors", "warnings") % more_warnings
	return PackedStringArray(all.filter(shown.has) + [line])


## The number of errors and of warnings that [param text] says were not printed.
func more_of(text: String) -> Vector2i:
	var counts := Vector2i.ZERO
	var words := text.split(" ") if " not printed" in text else PackedStringArray()
	for i: int in range(2, words.size()):
		if words[i - 1] == "more":
			counts[0 if words[i].begins_with("error") else 1] = words[i - 2].to_int()
	return counts


## Calls [param action], which must log exactly these texts, in this order. Warnings begin with
## WARNING. Returns what the action returns.
func expect_lines(action: Callable, expected: PackedStringArray) -> Variant:
	_refuse_logged()
	var result: Variant = action.call()
	var texts := _take_texts()
	checks += 1
	if errors.is_open() and texts != expected:
		var at := 0
		while at < mini(texts.size(), expected.size()) and texts[at] == expected[at]:
			at += 1
		var texts_at: Array = [at, expected.slice(at, at + 1), texts.slice(at, at + 1)]
		var text := "expected %d lines, found %d, first difference in line %d: expected %s, found %s"
		failures.append(text % ([expected.size(), texts.size()] + texts_at))
	return result


## Calls a method of VarBatch by its name, and waits for its task if it starts one. It must log exactly
## these lines, which here begin behind "VarBatch.NAME: ": in part where they begin or end in "...". It
## must give [param expected]. A call tells its first error with [param code] or, without one, the code of
## what is said of bytes or values; without an error its first warning. A task tells all lines.
func check_call(method: StringName, arguments: Array, expected: Variant, lines: PackedStringArray, code := -1) -> void:
	_refuse_logged()
	var result: Variant = call_method(method, arguments)
	var error: int = VarBatch.get_last_error()
	var message := VarBatch.get_last_error_message()
	var task: VarBatchTask = result if result is VarBatchTask else null
	if task:
		result = task.wait()
		error = task.get_error()
		message = task.get_error_message()
	var found := _take_texts()
	var what := "VarBatch.%s gives %s" % [method, " | ".join(lines).left(400)]
	check_like(result, expected, what)
	check(not errors.is_open() or found.size() == lines.size(), "%s: %s" % [what, found.slice(0, 3)])
	var told_at := Array(lines).find_custom(func(line: String) -> bool: return not line.begins_with(WARNING))
	var is_ok := told_at < 0
	told_at = maxi(told_at, 0)
	var first := lines[told_at].trim_prefix(WARNING) if lines else ""
	var told := PackedStringArray()
	for i: int in mini(lines.size(), found.size()):
		var start := WARNING if lines[i].begins_with(WARNING) else ""
		var text := lines[i].trim_prefix(WARNING)
		start += "VarBatch.%s: " % method
		var end := found[i].trim_prefix(start)
		check(found[i].begins_with(start) and _is_line(end, text), "%s: %s" % [what, found[i]])
		if task or i == told_at:
			told.append(end)
	code = _code_of(message, first) if code < 0 else code
	message = message.replace(CUT_OR_DAMAGED, "")
	var is_told := message == "\n".join(told) if errors.is_open() else _is_line(message, first)
	check(is_told, "%s: the message is %s" % [what, message])
	check_int(error, OK if is_ok else code, what + ": last error")


## The code of the first error of [param message], which begins with [param first].
func _code_of(message: String, first: String) -> Error:
	var start := first.trim_prefix("...").trim_suffix("...")
	var line := message.get_slice(start, 1).get_slice("\n", 0)
	var code := ERR_FILE_CORRUPT if line.ends_with(CUT_OR_DAMAGED) else ERR_INVALID_DATA
	return ERR_FILE_EOF if "for a header, found 0, at byte 0" in start + line else code


## By name, as a static method of the engine's classes is no Callable.
static func call_method(method: StringName, arguments: Array) -> Variant:
	return ClassDB.callv(&"class_call_static", [&"VarBatch", method] + arguments)


static func filled(count: int, value: Variant = null) -> Array:
	var array: Array = []
	array.resize(count)
	array.fill(value)
	return array


static func filled_bytes(count: int, value := 0) -> PackedByteArray:
	var bytes := PackedByteArray()
	bytes.resize(count)
	bytes.fill(value)
	return bytes


## A script that is no file.
func script_of(source: String) -> GDScript:
	var script := GDScript.new()
	script.source_code = source
	check_int(script.reload(), OK, "a script")
	return script


## Calls [param action], and returns what it logged.
func logged(action: Callable) -> PackedStringArray:
	_refuse_logged()
	var result: Variant = action.call()
	returned = result
	return _take_texts()


## Calls [param action] while each error that is logged calls [param on_error]: where the errors are
## heard at all. Returns what the action returns.
func with_logger(on_error: Callable, action: Callable) -> Variant:
	var logger := ErrorLog.add_logger(&"on_error", on_error.unbind(2))
	var result: Variant = action.call()
	OS.call(&"remove_logger", logger)
	return result


## Calls [param action] with all messages switched off, VarBatch's among them: for asking the engine
## itself about bad input.
func quietly(action: Callable) -> Variant:
	Engine.print_error_messages = false
	var result: Variant = action.call()
	Engine.print_error_messages = true
	return result


## Starts [param count] threads, each of which calls [param work] with its number. Where there are none, all is done
## at once.
func start_threads(count: int, work: Callable) -> Array[Thread]:
	var threads: Array[Thread] = []
	if not OS.has_feature("threads"):
		_results = range(count).map(work)
		return threads
	for i: int in count:
		threads.append(Thread.new())
		check_int(threads[-1].start(work.bind(i)), OK, "start of a thread")
	return threads


func any_alive(threads: Array[Thread]) -> bool:
	return threads.any(func(thread: Thread) -> bool: return thread.is_alive())


## Waits for [param threads] to end, and returns what they return.
func end_threads(threads: Array[Thread]) -> Array:
	var results := threads.map(func(thread: Thread) -> Variant: return thread.wait_to_finish())
	return results if OS.has_feature("threads") else _results


## The texts logged since the last look. A script error is never expected.
func _take_texts() -> PackedStringArray:
	var texts := PackedStringArray()
	for entry: Dictionary in errors.take():
		var text := (entry.text as String).replace(CUT_OR_DAMAGED, "")
		if entry.kind == ErrorLog.KIND_SCRIPT:
			failures.append("script error: %s" % text)
		elif entry.kind != ErrorLog.KIND_WARNING:
			texts.append(text)
		elif not (ignores_rest and ": expected nothing after the value, found " in text):
			texts.append(WARNING + text)
	return texts


func _refuse_logged() -> void:
	for text: String in _take_texts():
		failures.append("unexpected line logged: %s" % text)


## Whether it is as expected, begins so where that ends in "...", or has that in it where that begins
## with "..." as well.
func _is_line(found: String, expected: String) -> bool:
	if expected.begins_with("..."):
		return expected.trim_prefix("...").trim_suffix("...") in found
	if expected.ends_with("..."):
		return found.begins_with(expected.trim_suffix("..."))
	return found == expected


class Threads:
	## Numbers of threads, each of which is set when it is its turn.
	var _left: PackedInt32Array

	func _init(counts: PackedInt32Array) -> void:
		_left = counts.duplicate()

	func _iter_init(_at: Array) -> bool:
		return not _left.is_empty()

	func _iter_next(_at: Array) -> bool:
		_left.remove_at(0)
		return not _left.is_empty()

	func _iter_get(_at: Variant) -> int:
		VarBatch.set_thread_count(_left[0])
		return _left[0]
