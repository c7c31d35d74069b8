extends RefCounted
## Section: one value out of many, where a script would decode all of them and look there.

const Probe = preload("res://bench/probe.gd")
const Resident = preload("res://bench/resident.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")

const MIB := 1048576
## Things in a world of about 64 MiB.
const THINGS := 262_144
const PACKETS := 20_000
## The target speed for packets, as a multiple of the loop's.
const TARGET := 5.0
## The most bytes that `get_in` takes beside its result.
const MAX_OVERHEAD := MIB


func run(session: Session) -> void:
	session.report.start_table("One value out of many")
	_run_floats(session)
	_run_world(session)
	_run_packets(session)


func _run_floats(session: Session) -> void:
	var result := Result.new("parts", "behind 64 MiB of floats", 1, 0, "get_in")
	if session.wants(result.name):
		var floats: PackedFloat32Array = []
		floats.resize(16 * MIB)
		session.time(result, One.new(var_to_bytes({"heights": floats, "seed": 7}), ["seed"]))


func _run_world(session: Session) -> void:
	var paths: Dictionary[String, Array] = {
		"first of a world of 64 MiB": ["slot", "name"],
		"in the middle of it": ["world", THINGS / 2, "hp"],
		"last of it": ["last"],
	}
	var bytes: PackedByteArray = []
	for type: String in paths:
		var result := Result.new("parts", type, 1, 0, "get_in")
		if not session.wants(result.name):
			continue
		if bytes.is_empty():
			bytes = _world()
		session.time(result, One.new(bytes, paths[type]))


func _run_packets(session: Session) -> void:
	var paths: Dictionary[String, Array] = {"packets": ["hp"], "packets, deeper": ["state", "ammo", 1]}
	for type: String in paths:
		var result := Result.new("parts", type, PACKETS, 0, "get_in_each")
		result.target = TARGET
		if session.wants(result.name):
			session.time(result, Each.new(_packets(), paths[type]))


func _world() -> PackedByteArray:
	var world: Array = []
	for index in THINGS:
		var thing := {"id": index, "name": "thing %d" % index, "at": Vector3(index, 0, 1)}
		thing.merge({"tags": ["red", "old"], "hp": index % 100, "inventory": {"gold": index, "arrows": 12}})
		world.append(thing)
	return var_to_bytes({"slot": {"name": "Ada", "played": 812}, "world": world, "last": 5})


func _packets() -> Array:
	var packets: Array = []
	for index in PACKETS:
		var packet := {"id": index, "from": "player %d" % index, "at": Vector3(index, 0, 1)}
		packet.merge({"velocity": Vector3.ONE, "hp": index % 100, "buttons": PackedByteArray([1, 2, 3])})
		packet["state"] = {"jump": true, "ammo": [1, index, 3]}
		packets.append(var_to_bytes(packet))
	return packets


## Returns the value at a path.
static func look(value: Variant, path: Array) -> Variant:
	for step: Variant in path:
		value = value[step]
	return value


class One:
	extends Probe
	var _bytes: PackedByteArray
	var _path: Array

	func _init(bytes: PackedByteArray, path: Array) -> void:
		_bytes = bytes
		_path = path

	func engine(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			var value: Variant = bytes_to_var(_bytes)
			for step: Variant in _path:
				value = value[step]
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _value: Variant = VarBatch.get_in(_bytes, _path)
		return Time.get_ticks_usec() - started

	func has_floor() -> bool:
		return false

	func check() -> String:
		var before := 0
		if Resident.can_measure():
			Resident.forget_peak()
			before = Resident.now()
		var found: Variant = VarBatch.get_in(_bytes, _path)
		if Resident.can_measure() and Resident.peak() - before > MAX_OVERHEAD:
			return "%.1f MiB were taken" % ((Resident.peak() - before) / float(MIB))
		var expected: Variant = load("res://bench/parts.gd").look(bytes_to_var(_bytes), _path)
		return value_difference(expected, found)


class Each:
	extends Probe
	var _packets: Array
	var _path: Array

	func _init(packets: Array, path: Array) -> void:
		_packets = packets
		_path = path

	func engine(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			var values: Array = []
			for packet: PackedByteArray in _packets:
				var value: Variant = bytes_to_var(packet)
				for step: Variant in _path:
					value = value[step]
				values.append(value)
		return Time.get_ticks_usec() - started

	func varbatch(calls: int) -> int:
		var started := Time.get_ticks_usec()
		for _call in calls:
			var _values: Array = VarBatch.get_in_each(_packets, _path)
		return Time.get_ticks_usec() - started

	func has_floor() -> bool:
		return false

	func check() -> String:
		var section: GDScript = load("res://bench/parts.gd")
		var expected: Array = []
		for packet: PackedByteArray in _packets:
			expected.append(section.look(bytes_to_var(packet), _path))
		return value_difference(expected, VarBatch.get_in_each(_packets, _path))
