extends RefCounted
## What an edit of a person has changed, and what it took to find out.

## As VarBatchUndoRecorder.flush() tells them.
var modifications: Array[Dictionary] = []
## What record_all() and flush() took together, in microseconds.
var usec := 0
## Of the whole field, before and after the edit.
var delta_size := 0
var snapshot_size := 0


## The modifications as texts: the node, the path of the property, the old value and the new one.
func rows() -> Array[PackedStringArray]:
	var lines: Array[PackedStringArray] = []
	for row: Dictionary in modifications:
		var node: Node = row.object
		var values := "%s → %s" % [_short(row.old), _short(row.new)]
		lines.append(PackedStringArray([node.name, row.property, values]))
	return lines


static func _short(value: Variant) -> String:
	if value is float:
		return str(snappedf(value, 0.01) + 0.0)  # Not -0.0.
	if value is Vector2:
		return "(%d, %d)" % [roundi(value.x), roundi(value.y)]
	return str(value)
