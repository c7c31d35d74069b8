extends RefCounted
## Section: full objects, with their scripts and properties.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Item = preload("res://bench/item.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")

const COUNT := 5_000


func run(session: Session) -> void:
	session.report.start_table("Full objects: resources with a script and five properties, in one Array")
	var to := Result.new("objects", "script resources", COUNT, 0, "var_to_bytes")
	var from := Result.new("objects", "script resources", COUNT, 0, "bytes_to_var")
	if session.wants(to.name) or session.wants(from.name):
		var items := _items()
		session.time(to, _to_bytes(items))
		session.time(from, _from_bytes(var_to_bytes_with_objects(items)))


func _items() -> Array:
	var items: Array = []
	for index in COUNT:
		var item := Item.new()
		item.id = index
		item.title = "item %d" % index
		item.position = Vector3(index, 1, 2)
		item.tags = ["a", "b"]
		items.append(item)
	return items


static func _to_bytes(items: Array) -> Probe:
	var probe := Probe.new()
	probe.engine = func(calls: int) -> void:
		for _call in calls:
			var _bytes: PackedByteArray = var_to_bytes_with_objects(items)
	probe.varbatch = func(calls: int) -> void:
		for _call in calls:
			var _bytes: PackedByteArray = VarBatch.var_to_bytes(items, true)
	probe.check = func() -> String:
		return Probe.difference(var_to_bytes_with_objects(items), VarBatch.var_to_bytes(items, true))
	return probe


static func _from_bytes(bytes: PackedByteArray) -> Probe:
	var probe := Probe.new()
	probe.engine = func(calls: int) -> void:
		for _call in calls:
			var _items: Array = bytes_to_var_with_objects(bytes)
	probe.varbatch = func(calls: int) -> void:
		for _call in calls:
			var _items: Array = VarBatch.bytes_to_var(bytes, true)
	probe.check = func() -> String:
		return Probe.difference(bytes, var_to_bytes_with_objects(VarBatch.bytes_to_var(bytes, true)))
	return probe
