extends "../support/suite.gd"
## What a history of many small edits of a large property takes: at most 1.1 times the property, and what the
## edits have changed. Each kind of value is looked at in a process of its own, which prints by how much it
## grew: "growth", when, bytes of memory.
##
## Measured is the memory in use (VmRSS of /proc/self/status), which counts what the library allocates as
## well. Blocks of more than 32 MiB go back to the system at once when they are freed.

const Box := preload("box.gd")

const MIB := 1 << 20
## More than 32: smaller blocks that were freed may stay with the process.
const PROPERTY_MIB := 40
const STEPS := 8
const SHARE := 1.1
## What was changed, what the engine keeps for an action, and what no two processes have alike.
const SLACK := 2 * MIB
const PART_LEN := 1 << 12

var _object := Box.new()
var _kind := ""
var _len := PROPERTY_MIB * MIB
var _rss := 0


func test_memory() -> void:
	for kind: String in ["bytes", "floats", "texts", "nested"]:
		var lines := Child.probe(self, "undo/memory", [kind])
		var growths := Array(lines).filter(func(of: String) -> bool: return of.begins_with("growth"))
		check_int(growths.size(), 4 if lines else 0, "measurements")
		for line: String in growths:
			var parts := line.split(";")
			# Nobody but the probe asks for memory meanwhile, but the parts of a nested value are small
			# blocks, which may stay with the process where it has built them anew.
			if kind in ["texts", "nested"] and parts[1] in ["all undone", "cleared"]:
				continue
			var most := SLACK
			if parts[1] != "cleared":
				most += roundi(SHARE * PROPERTY_MIB * MIB)
			check(parts[2].to_int() <= most, "%s: %s, at most %d" % [kind, line, most])


func run_alone() -> void:
	_kind = Child.own_arguments()[0]
	_object.value = _make()
	var recorder := VarBatchUndoRecorder.new()
	var history := UndoRedo.new()
	# What an edit takes for a moment, and the engine for itself.
	recorder.record(_object, ["value"])
	_edit(0)
	recorder.flush()
	_rss = Child.status("VmRSS:")
	for step: int in range(1, STEPS + 1):
		recorder.record(_object, ["value"])
		_edit(step)
		check_int(recorder.commit(history, "edit"), 1, "modifications of step %d" % step)
		if step in [4, STEPS]:
			_print_growth("%d steps" % step)
	var last := _hash()
	while history.undo():
		pass
	_print_growth("all undone")
	while history.redo():
		pass
	check(_hash() == last, "another value than before")
	history.clear_history()
	_print_growth("cleared")
	history.free()


## A function of its own, as one that goes on would hold the value.
func _hash() -> int:
	return hash(_object.value)


func _make() -> Variant:
	match _kind:
		"bytes":
			return filled_bytes(_len)
		"floats":
			return filled_bytes(_len).to_float32_array()
		"texts":
			var text := "x".repeat(PART_LEN)
			return PackedStringArray(range(_len / PART_LEN).map(func(i: int) -> String: return text + "%08d" % i))
	var part := func(i: int) -> Dictionary: return {"id": i, "raw": filled_bytes(PART_LEN), "at": [Vector2(i, 0), "name"]}
	return range(_len / PART_LEN).map(part)


func _edit(step: int) -> void:
	match _kind:
		"bytes":
			_object.value[step * 1000] = step + 1
		"floats":
			_object.value[step * 1000] = step + 1.5
		"texts":
			_object.value[step * 10] = str(_object.value[step * 10]) + "y".repeat(step)
		_:
			_object.value[step * 10].raw[step] = step + 1
			_object.value[step * 20].at[1] = "another name %d" % step


func _print_growth(when: String) -> void:
	print("growth;%s;%d" % [when, maxi(0, Child.status("VmRSS:") - _rss)])
