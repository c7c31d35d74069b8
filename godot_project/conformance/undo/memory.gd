extends "../support/suite.gd"
## What a history of many small edits of a large property takes: at most 1.1 times the property, and
## what the edits have changed. Each kind of value is looked at in a process of its own: see
## memory_probe.gd.

const Child := preload("../support/child.gd")
const MIB := 1 << 20
## More than 32: smaller blocks that were freed may stay with the process.
const PROPERTY_MIB := 40
const STEPS := 8
const SHARE := 1.1
## What was changed, what the engine keeps for an action, and what no two processes have alike.
const SLACK := 2 * MIB


func test_memory() -> void:
	for kind: String in ["bytes", "floats", "texts", "nested"]:
		_check(kind)


func _check(kind: String) -> void:
	var arguments := PackedStringArray([kind, str(PROPERTY_MIB), str(STEPS)])
	var lines := Child.probe(self, "undo/memory_probe", arguments)
	if lines.is_empty():
		return
	var growths: Dictionary[String, int] = {}
	for line: String in lines:
		var parts := line.split(";")
		if parts[0] == "growth":
			growths[parts[1]] = parts[2].to_int()
		check(not line.begins_with("wrong"), "%s: %s" % [kind, line])
	for when: String in growths:
		# Nobody but the probe asks for memory meanwhile, but the parts of a nested value are small
		# blocks, which may stay with the process where it has built them anew.
		if kind in ["texts", "nested"] and when in ["all undone", "cleared"]:
			continue
		var most := roundi(SHARE * PROPERTY_MIB * MIB) + SLACK if when != "cleared" else SLACK
		var what: Array = [kind, when, growths[when] / 1024, most / 1024]
		check(growths[when] <= most, "%s, %s: grew by %d KiB, at most %d" % what)
	check_int(growths.size(), 4, "measurements")
