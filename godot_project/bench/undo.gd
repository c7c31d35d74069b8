extends RefCounted
## Section: finds the changes of an edit of many nodes, with VarBatchUndoRecorder and with a loop.

const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const UndoProbes = preload("res://bench/undo_probes.gd")

## The target speed, as a multiple of the loop's.
const TARGET := 3.0
const NODES := 10_000
## The properties recorded of each node: these, or all that are stored.
const NAMED: Dictionary[String, PackedStringArray] = {
	"3 named": ["position", "rotation", "scale"], "all stored": []
}


func run(session: Session) -> void:
	session.report.start_table("Undo: record 10,000 nodes, change 3 properties of each, flush")
	for properties: String in NAMED:
		var result := Result.new("undo", "Node2D, " + properties, NODES, 0, "record and flush")
		result.target = TARGET
		if session.wants(result.name):
			session.time(result, UndoProbes.Edit.new(NODES, NAMED[properties]))
