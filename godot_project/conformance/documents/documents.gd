extends "../support/suite.gd"
## Every GDScript example of every document runs, and prints what it says that it prints.

const Examples := preload("extract.gd")

const HEAD := 'extends "res://conformance/documents/documents.gd".Stage\n'
const RUN := "\nfunc run() -> void:\n"

## What the examples leave out: the variables that they use, and whether they did what they say.
##
## A context begins with [code]===[/code] and a part of the example's text that no other example has.
## [code]members[/code] stands before it in its class, [code]before[/code] and [code]after[/code] run
## around it. An example that has functions is run by [code]after[/code].
var _contexts_text := FileAccess.get_file_as_string("res://conformance/documents/contexts.txt")
var _contexts := _read_contexts()
var _logger: RefCounted
var _printed := ""
var _mutex := Mutex.new()  # Any thread may print.


func test_examples() -> void:
	var examples := Examples.all()
	check(examples.size() > 20, "only %d examples were found" % examples.size())
	_logger = ErrorLog.add_logger(&"on_print", _add_printed)
	var used := {}
	var all := _contexts_text
	for example: Dictionary in examples:
		await _run(example, used)
		all += example.code
	for context: Dictionary in _contexts:
		check(used.has(context.of), "no example has: %s" % context.of)
	if _logger:
		OS.call(&"remove_logger", _logger)
		_logger = null
	for path: RegExMatch in RegEx.create_from_string("user://\\w+\\.\\w+").search_all(all):
		DirAccess.remove_absolute(path.get_string())


func _run(example: Dictionary, used: Dictionary) -> void:
	var code: String = example.code
	var context := {}
	for candidate: Dictionary in _contexts:
		if candidate.of in code:
			check(context.is_empty(), "%s: two contexts fit" % example.where)
			context = candidate
			used[candidate.of] = true
	var script := GDScript.new()
	script.source_code = _source(code, context)
	if script.reload() != OK:
		check(false, "%s: it does not compile:\n%s" % [example.where, script.source_code])
		return
	var stage: Stage = script.new()
	add_child(stage)
	_take_printed()
	await stage.call(&"run")
	var printed := _take_printed()
	for failure: String in stage.failures:
		check(false, "%s: %s" % [example.where, failure])
	stage.free()
	for text: String in _take_texts():
		check(false, "%s: it logged: %s" % [example.where, text])
	if _logger:
		var expected := Examples.printed_lines(code)
		check(printed == expected, "%s: it says %s, it printed %s" % [example.where, expected, printed])
	checks += 1


func _source(code: String, context: Dictionary) -> String:
	var is_class_body := Examples.is_class_body(code)
	var body := [context.get("before", ""), "" if is_class_body else code, context.get("after", ""), "pass"]
	var source: String = HEAD + context.get("members", "") + "\n" + (code if is_class_body else "") + RUN
	return source + "\n".join(body).indent("\t") + "\n"


func _add_printed(text: String) -> void:
	_mutex.lock()
	_printed += text
	_mutex.unlock()


## The lines since the last call.
func _take_printed() -> PackedStringArray:
	_mutex.lock()
	var text := _printed
	_printed = ""
	_mutex.unlock()
	return text.trim_suffix("\n").split("\n") if text else PackedStringArray()


## Each context, as the texts of its parts; of is what the example has.
func _read_contexts() -> Array[Dictionary]:
	var contexts: Array[Dictionary] = []
	for text: String in _contexts_text.split("=== ", false):
		var parts := text.split("--- ")
		var context := {"of": parts[0].strip_edges()}
		for part: String in parts.slice(1):
			context[part.get_slice("\n", 0)] = part.substr(part.find("\n") + 1)
		contexts.append(context)
	return contexts


## What an example of a document runs in: the scene that it speaks of, and what is wrong.
class Stage:
	extends Node
	var failures: PackedStringArray = []

	func _init() -> void:
		var bar := ProgressBar.new()
		bar.name = "ProgressBar"
		add_child(bar)
		var sprite := Sprite2D.new()
		sprite.name = "Sprite2D"
		add_child(sprite)

	func expect(is_good: bool, what: String) -> void:
		if not is_good:
			failures.append(what)
