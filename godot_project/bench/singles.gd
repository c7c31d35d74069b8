extends RefCounted
## Section: one small value, where the call itself is most of the cost. Both sides include
## GDScript's loop and call, so the ratio is what a script sees.

const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Probe = preload("res://bench/probe.gd")
const Values = preload("res://bench/values.gd")


func run(session: Session) -> void:
	session.report.start_table("One small value")
	# Its id goes into the bytes, and the id of a freed object would not be the same.
	var object := Resource.new()
	var values := _values(object)
	for type: String in values:
		var bytes := var_to_bytes(values[type])
		var to := Result.new("single", type, 1, bytes.size(), "to bytes")
		var from := Result.new("single", type, 1, bytes.size(), "from bytes")
		session.time(to, Probe.to_bytes(values[type], maxi(bytes.size() - 8, 0)))
		session.time(from, Probe.from_bytes(bytes))


func _values(object: Resource) -> Dictionary[String, Variant]:
	var typed_array: Array[int] = [3, 1, 4, 1]
	var typed_dictionary: Dictionary[String, int] = {"wood": 12, "stone": 30, "iron": 4}
	return {
		"bool": true,
		"int": 1_234_567,
		"float": 0.1,
		"Vector3": Vector3(1.5, -2.25, 3.0),
		"Transform3D": Transform3D(Basis.from_euler(Vector3(0.1, 0.2, 0.3)), Vector3.ONE),
		"String, empty": "",
		"String, ASCII, 4 letters": Values.words(Values.Words.ASCII_4, 1)[0],
		"String, ASCII, 20 letters": Values.words(Values.Words.ASCII_20, 1)[0],
		"String, mixed, 20 letters": Values.words(Values.Words.MIXED_20, 1)[0],
		"StringName": &"global_position",
		"NodePath": ^"World/Enemies/Troll:position:x",
		"RID": rid_from_int64(4_294_967_303),
		"Object id": object,
		"Callable": Callable(object, &"emit_changed"),
		"Signal": object.changed,
		"Array, empty": [],
		"Array, 4 elements": [3, 1.5, "axe", true],
		"Array[int], 4 elements": typed_array,
		"Dictionary, empty": {},
		"Dictionary, 3 keys": {"name": "torch", "count": 3, "position": Vector2i(4, 5)},
		"Dictionary[String, int], 3": typed_dictionary,
	}
