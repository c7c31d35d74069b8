extends "../support/suite.gd"
## Every GDScript example of every document runs, and prints what it says that it prints.
##
## An example is a [code]```gdscript[/code] block of a Markdown page or a [codeblock] of the class help. What it prints
## is said by its comments: [code]# Prints TEXT[/code], or [code]# Prints:[/code] and a comment for each line.

const HEAD := 'extends "res://conformance/documents/documents.gd".Stage\n'
const RUN := "\nfunc run() -> void:\n"
## Every document with examples, relative to the project's folder.
const DOCUMENTS: PackedStringArray = [
	"../README.md", "../addons/varbatch/README.md", "../CONTRIBUTING.md", "../rust/docs/DELTA.md",
	"../rust/DESIGN.md", "../rust/docs/DIALECTS.md", "../rust/docs/FORMAT.md", "../rust/plugin/docs/VarBatch.xml",
	"../rust/plugin/docs/VarBatchState.xml", "../rust/plugin/docs/VarBatchStore.xml",
	"../rust/plugin/docs/VarBatchTask.xml", "../rust/plugin/docs/VarBatchUndoRecorder.xml",
]
const PRINTS := "# Prints "

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
	var examples := _all_examples()
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
	var fitting := _contexts.filter(func(context: Dictionary) -> bool: return context.of in code)
	check(fitting.size() <= 1, "%s: two contexts fit" % example.where)
	var context: Dictionary = fitting[0] if fitting else {}
	used[context.get("of")] = true
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
	check(stage.failures.is_empty(), "%s: %s" % [example.where, stage.failures])
	stage.free()
	var lines := _take_texts()
	check(lines.is_empty(), "%s: it logged: %s" % [example.where, lines])
	if _logger:
		var expected := printed_lines(code)
		check(printed == expected, "%s: it says %s, it printed %s" % [example.where, expected, printed])


func _source(code: String, context: Dictionary) -> String:
	var is_class_body := is_class_body(code)
	var body := [context.get("before", ""), "" if is_class_body else code, context.get("after", ""), "pass"]
	var source: String = HEAD + context.get("members", "") + "\n" + (code if is_class_body else "") + RUN
	return source + "\n".join(body).indent("\t") + "\n"


func _add_printed(text: String) -> void:
	_mutex.lock()
	_printed += text
	_mutex.unlock()


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


## The examples of all documents: {"where": "README.md:42", "code": String}.
static func _all_examples() -> Array[Dictionary]:
	var examples: Array[Dictionary] = []
	var folder := project_folder()
	for document: String in DOCUMENTS:
		var path := folder.path_join(document).simplify_path()
		if not FileAccess.file_exists(path):
			continue
		var is_help := path.ends_with(".xml")
		var begin := "[codeblock]" if is_help else "```gdscript"
		var end := "[/codeblock]" if is_help else "```"
		var lines := FileAccess.get_file_as_string(path).split("\n")
		var from := -1
		for number: int in lines.size():
			var line := lines[number].strip_edges()
			if from < 0 and line == begin:
				from = number + 1
			elif from >= 0 and line == end:
				var code := "\n".join(lines.slice(from, number)).dedent()
				code = code.xml_unescape() if is_help else code
				examples.append({"where": "%s:%d" % [path.get_file(), from + 1], "code": code})
				from = -1
	return examples


static func is_class_body(code: String) -> bool:
	return code.begins_with("func ") or "\nfunc " in code


static func printed_lines(code: String) -> PackedStringArray:
	var lines := PackedStringArray()
	var is_list := false
	for line: String in code.split("\n"):
		var text := line.strip_edges()
		if is_list and text.begins_with("# "):
			lines.append(text.trim_prefix("# "))
			continue
		is_list = text.ends_with("# Prints:")
		if "# Prints an empty line." in text:
			lines.append("")
		elif PRINTS in text:
			lines.append(text.get_slice(PRINTS, 1))
	return lines


## Scripts that start a template give it links to the project's files or a copy, as it takes no
## `--path`, and name the project in the environment.
static func project_folder() -> String:
	var project := DirAccess.open("res://")
	if project.is_link("conformance"):
		return project.read_link("conformance").get_base_dir()
	if OS.has_environment("VARBATCH_PROJECT"):
		return OS.get_environment("VARBATCH_PROJECT")
	return ProjectSettings.globalize_path("res://")


## What an example of a document runs in: the scene that it speaks of, and what is wrong.
class Stage:
	extends Node
	var failures: PackedStringArray = []

	func _init() -> void:
		for child: Node in [ProgressBar.new(), Sprite2D.new()]:
			child.name = child.get_class()
			add_child(child)

	func expect(is_good: bool, what: String) -> void:
		if not is_good:
			failures.append(what)
