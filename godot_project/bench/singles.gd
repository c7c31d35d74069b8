extends RefCounted
## Section: one small value, where the call itself is most of the cost. For information: both sides
## pay the loop and the call of GDScript, so the ratio says what a script sees.

const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const ValueProbes = preload("res://bench/value_probes.gd")


func run(session: Session) -> void:
	session.report.start_table("One small value")
	var values: Dictionary[String, Variant] = {
		"bool": true,
		"int": 1_234_567,
		"float": 0.1,
		"Vector3": Vector3(1.5, -2.25, 3.0),
		"Transform3D": Transform3D(Basis.from_euler(Vector3(0.1, 0.2, 0.3)), Vector3.ONE),
		"String, empty": "",
		"String, 12 letters": "hello, world",
		"Dictionary, 3 keys": {"name": "torch", "count": 3, "position": Vector2i(4, 5)},
	}
	for type: String in values:
		var bytes := var_to_bytes(values[type])
		session.time(
			_case(type, bytes.size(), "to bytes"),
			ValueProbes.ToBytes.new(values[type], maxi(bytes.size() - 8, 0))
		)
		session.time(_case(type, bytes.size(), "from bytes"), ValueProbes.FromBytes.new(bytes))


func _case(type: String, bytes: int, direction: String) -> Result:
	var result := Result.new()
	result.set_name("single/%s/%s" % [type, direction])
	result.type = type
	result.bytes = bytes
	result.direction = direction
	return result
