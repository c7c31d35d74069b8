extends "../support/suite.gd"
## What a history of many small edits of a large property takes: at most 1.1 times the property, and
## what the edits have changed. Each kind of value is looked at in a process of its own: see
## memory_probe.gd.

const Child := preload("../support/child.gd")
const MIB := 1 << 20
## More than 32: smaller blocks that were freed may stay with the process.
const PROPERTY_MIB := 40
const SHARE := 1.1
## What was changed, what the engine keeps for an action, and what no two processes have alike.
const SLACK := 2 * MIB


func test_memory() -> void:
	for kind: String in ["bytes", "floats", "texts", "nested"]:
		var lines := Child.probe(self, "undo/memory_probe", [kind, str(PROPERTY_MIB), "8"])
		var growths := Array(lines).filter(func(of: String) -> bool: return of.begins_with("growth"))
		check_int(growths.size(), 4 if lines else 0, "measurements")
		for line: String in lines:
			check(not line.begins_with("wrong"), "%s: %s" % [kind, line])
			var parts := line.split(";")
			# Nobody but the probe asks for memory meanwhile, but the parts of a nested value are small
			# blocks, which may stay with the process where it has built them anew.
			if parts[0] != "growth":
				continue
			if kind in ["texts", "nested"] and parts[1] in ["all undone", "cleared"]:
				continue
			var most := SLACK
			if parts[1] != "cleared":
				most += roundi(SHARE * PROPERTY_MIB * MIB)
			check(parts[2].to_int() <= most, "%s: %s, at most %d" % [kind, line, most])
