extends RefCounted
## The GDScript examples of the documents, as they stand there, and what they say that they print.
##
## An example is a [code]```gdscript[/code] block of a Markdown page or a [codeblock] of the class help. What it prints
## is said by its comments: [code]# Prints TEXT[/code], or [code]# Prints:[/code] and a comment for each line.

## Every document with examples, relative to the project's folder.
const DOCUMENTS: PackedStringArray = [
	"../README.md", "../addons/varbatch/README.md", "../CONTRIBUTING.md", "../rust/docs/DELTA.md",
	"../rust/DESIGN.md", "../rust/docs/DIALECTS.md", "../rust/docs/FORMAT.md", "../rust/plugin/docs/VarBatch.xml",
	"../rust/plugin/docs/VarBatchState.xml", "../rust/plugin/docs/VarBatchStore.xml",
	"../rust/plugin/docs/VarBatchTask.xml", "../rust/plugin/docs/VarBatchUndoRecorder.xml",
]

const PRINTS := "# Prints "


## The examples of all documents: {"where": "README.md:42", "code": String}.
static func all() -> Array[Dictionary]:
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
				if is_help:
					code = code.xml_unescape()
				examples.append({"where": "%s:%d" % [path.get_file(), from + 1], "code": code})
				from = -1
	return examples


## Whether it holds functions, and so is the body of a class, not of a function.
static func is_class_body(code: String) -> bool:
	return code.begins_with("func ") or "\nfunc " in code


## The lines that an example says it prints.
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
