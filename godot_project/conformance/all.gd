extends "runner.gd"
## Every suite: the quick ones first, and broken before those that use much memory, so that its look
## at the most this process ever used means something.

const SUITES: PackedStringArray = [
	"api",
	"kinds",
	"types",
	"broken",
	"broken_text",
	"guesses",
	"strings",
	"alive",
	"containers",
	"nesting",
	"typed",
	"objects",
	"meddling",
	"validate",
	"describe",
	"dialects",
	"dialects_errors",
	"dialects_objects",
	"paths",
	"memory",
	"freed",
	"batches",
	"reads",
	"frames",
	"streams",
	"packets",
	"threads",
	"files",
	"file_paths",
	"file_errors",
	"file_damage",
	"compressed",
	"compressed_damage",
	"transcode_files",
	"transcode_file_errors",
	"tasks",
	"task_values",
	"task_errors",
	"task_threads",
	"task_objects",
	"tasks_cancel",
	"any_thread",
	"soak",
	"packed",
	"packed_large",
	"many_texts",
	"differential",
	"mutations",
]


func _ready() -> void:
	var paths := PackedStringArray()
	for suite: String in SUITES:
		paths.append("res://conformance/%s.tscn" % suite)
	run(paths)
