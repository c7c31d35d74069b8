extends RefCounted
## Section: full objects, with their scripts and properties.

const Item = preload("res://bench/item.gd")
const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")

const COUNT := 5_000


func run(session: Session) -> void:
	session.report.start_table(
		"Full objects: resources with a script and five properties, in one Array"
	)
	var to := Result.new("objects", "script resources", COUNT, 0, "var_to_bytes")
	var from := Result.new("objects", "script resources", COUNT, 0, "bytes_to_var")
	if session.wants(to.name) or session.wants(from.name):
		var items := _items()
		var bytes := var_to_bytes_with_objects(items)
		var to_bytes := Probe.of(
			func() -> PackedByteArray: return var_to_bytes_with_objects(items),
			func() -> PackedByteArray: return VarBatch.var_to_bytes(items, true),
			func() -> String: return Probe.difference(bytes, VarBatch.var_to_bytes(items, true))
		)
		session.time(to, to_bytes)
		var from_bytes := Probe.of(
			func() -> Array: return bytes_to_var_with_objects(bytes),
			func() -> Array: return VarBatch.bytes_to_var(bytes, true),
			func() -> String: return _difference(bytes, VarBatch.bytes_to_var(bytes, true))
		)
		session.time(from, from_bytes)


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


static func _difference(expected: PackedByteArray, found: Array) -> String:
	return Probe.difference(expected, var_to_bytes_with_objects(found))
