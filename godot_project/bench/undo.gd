extends RefCounted
## Section: finds the changes of an edit of many nodes, and how nodes differ in pairs, with
## VarBatchUndoRecorder and with a loop.

const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const UndoProbes = preload("res://bench/undo_probes.gd")

## The target speed, as a multiple of the loop's.
const TARGET := 3.0
const COMPARE_TARGET := 5.0
const NODES := 10_000
const REFERENCES: PackedInt32Array = [10_000, 100_000]
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
	session.report.start_table("Undo: compare 10,000 pairs of nodes, and map what belongs together")
	var compare := Result.new("undo", "Node2D, all stored", NODES, 0, "compare_all")
	compare.target = COMPARE_TARGET
	if session.wants(compare.name):
		session.time(compare, UndoProbes.Compare.new(NODES))
	for count: int in REFERENCES:
		var map := Result.new("undo", "resources", count, 0, "map_references")
		if session.wants(map.name):
			session.time(map, UndoProbes.Map.new(count))
