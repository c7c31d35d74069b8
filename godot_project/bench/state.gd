extends RefCounted
## Section: captures properties of many objects and restores them, with VarBatchState and with the loop that
## the netcode add-on netfox has in GDScript: an entry for each property, which reads and writes it by its path.

const Fighter = preload("res://bench/fighter.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")

## Objects, and the properties that are captured of each.
const SIZES: Dictionary[int, String] = {
	16: "position velocity hp aim", 10_000: "position velocity hp"
}
## How many of 100 objects differ when they are restored.
const PARTS: Dictionary[String, int] = {"all differ": 100, "1 % differ": 1}


func run(session: Session) -> void:
	session.report.start_table("State: capture properties of objects, and restore them")
	for count: int in SIZES:
		var names := SIZES[count].split(" ")
		var type := "%d properties each" % names.size()
		var capture := Result.new("state", type, count, 0, "capture")
		if session.wants(capture.name):
			session.time(capture, _capture(Sides.new(count, names)))
		for part: String in PARTS:
			var restore := Result.new("state", type, count, 0, "restore, " + part)
			if session.wants(restore.name):
				session.time(restore, _restore(Sides.new(count, names), PARTS[part]))


static func _capture(sides: Sides) -> Probe:
	return Probe.of(
		sides.capture_by_loop,
		sides.state.capture,
		func() -> String: return Probe.difference(sides.capture_by_loop(), sides.without_numbers(sides.state.capture()))
	)


static func _restore(sides: Sides, percent: int) -> Probe:
	var before := sides.state.capture()
	sides.change(percent)
	# In turns, so that each call has the same to do.
	var turns: Array[PackedByteArray] = [before, sides.state.capture()]
	var plain := turns.map(sides.without_numbers)
	var probe := Probe.new()
	probe.engine = func(calls: int) -> void:
		for call in calls:
			sides.restore_by_loop(plain[call % 2] as PackedByteArray)
	probe.varbatch = func(calls: int) -> void:
		for call in calls:
			sides.state.restore(turns[call % 2])
	probe.check = func() -> String:
		for turn: int in 2:
			sides.state.restore(turns[turn])
			if sides.capture_by_loop() != plain[turn]:
				return "it restores something else"
		return ""
	return probe


class Entry:
	## What netfox calls a PropertyEntry.
	var node: Node
	var property: String

	func _init(of: Node, path: String) -> void:
		node = of
		property = path

	func get_value() -> Variant:
		return node.get_indexed(property)

	func set_value(value: Variant) -> void:
		node.set_indexed(property, value)


class Sides:
	## Objects, and both ways to capture them.
	var fighters: Array[Fighter] = []
	var entries: Array[Entry] = []
	var state := VarBatchState.new()

	func _init(count: int, names: PackedStringArray) -> void:
		for index in count:
			var fighter := Fighter.new()
			fighter.position = Vector2(index, 2)
			fighters.append(fighter)
			for path: String in names:
				entries.append(Entry.new(fighter, path))
		state.add_all(fighters, names)

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			for fighter: Fighter in fighters:
				fighter.free()

	func change(percent: int) -> void:
		for index in fighters.size():
			if index % 100 < percent:
				var fighter := fighters[index]
				fighter.position.y += 1
				fighter.velocity.x += 1
				fighter.hp -= 1
				fighter.aim += 1

	func capture_by_loop() -> PackedByteArray:
		var values: Array = []
		for entry: Entry in entries:
			values.append(entry.get_value())
		return var_to_bytes(values)

	## The bytes of a capture without what tells of which members it is.
	func without_numbers(bytes: PackedByteArray) -> PackedByteArray:
		return var_to_bytes((bytes_to_var(bytes) as Array).slice(-entries.size()))

	func restore_by_loop(bytes: PackedByteArray) -> void:
		var values: Array = bytes_to_var(bytes)
		for index in entries.size():
			entries[index].set_value(values[index])
