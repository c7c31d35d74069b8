extends RefCounted
## The changes of a person's edit, and the cost of finding them.

## The modifications, as returned by VarBatchUndoRecorder.flush().
var modifications: Array[Dictionary] = []
## The time of record_all() and flush() together, in microseconds.
var usec := 0
## Bytes of the delta and of a snapshot of the whole field.
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
