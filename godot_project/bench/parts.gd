extends RefCounted
## Section: one value out of many, where a script would decode all of them and look there.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Probe = preload("res://bench/probe.gd")
const Resident = preload("res://bench/resident.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")

const MIB := 1048576
## Things in a world of about 64 MiB.
const THINGS := 262_144
const PACKETS := 20_000
## The most bytes that `get_in` takes beside its result.
const MAX_OVERHEAD := MIB


func run(session: Session) -> void:
	session.report.start_table("One value out of many")
	_time(session, "behind 64 MiB of floats", ["seed"], _floats)
	var made: Array = []
	var world := func() -> PackedByteArray:
		if made.is_empty():
			made.append(_world())
		return made[0]
	_time(session, "first of a world of 64 MiB", ["slot", "name"], world)
	_time(session, "in the middle of it", ["world", THINGS / 2, "hp"], world)
	_time(session, "last of it", ["last"], world)
	for type: String in ["packets", "packets, deeper"]:
		var result := Result.new("parts", type, PACKETS, 0, "get_in_each")
		if session.wants(result.name):
			session.time(
				result, _each(_packets(), ["hp"] if type == "packets" else ["state", "ammo", 1])
			)


func _time(session: Session, type: String, path: Array, make: Callable) -> void:
	var result := Result.new("parts", type, 1, 0, "get_in")
	if session.wants(result.name):
		session.time(result, _one(make.call(), path))


static func _one(bytes: PackedByteArray, path: Array) -> Probe:
	var probe := Probe.new()
	probe.engine = func(calls: int) -> void:
		for _call in calls:
			var value: Variant = bytes_to_var(bytes)
			for step: Variant in path:
				value = value[step]
	probe.varbatch = func(calls: int) -> void:
		for _call in calls:
			var _value: Variant = VarBatch.get_in(bytes, path)
	probe.check = func() -> String:
		var before := 0
		if Resident.can_measure():
			Resident.forget_peak()
			before = Resident.now()
		var found: Variant = VarBatch.get_in(bytes, path)
		if Resident.can_measure() and Resident.peak() - before > MAX_OVERHEAD:
			return "%.1f MiB were taken" % ((Resident.peak() - before) / float(MIB))
		return Probe.value_difference(_look(bytes_to_var(bytes), path), found)
	return probe


static func _each(packets: Array, path: Array) -> Probe:
	return Probe.of(
		func() -> Array:
			var values: Array = []
			for packet: PackedByteArray in packets:
				var value: Variant = bytes_to_var(packet)
				for step: Variant in path:
					value = value[step]
				values.append(value)
			return values,
		func() -> Array: return VarBatch.get_in_each(packets, path),
		func() -> String:
			var look := func(packet: PackedByteArray) -> Variant:
				return _look(bytes_to_var(packet), path)
			return Probe.value_difference(packets.map(look), VarBatch.get_in_each(packets, path))
	)


## Returns the value at a path.
static func _look(value: Variant, path: Array) -> Variant:
	for step: Variant in path:
		value = value[step]
	return value


func _floats() -> PackedByteArray:
	var floats: PackedFloat32Array = []
	floats.resize(16 * MIB)
	return var_to_bytes({"heights": floats, "seed": 7})


func _world() -> PackedByteArray:
	var world: Array = []
	for index in THINGS:
		var thing := {"id": index, "name": "thing %d" % index, "at": Vector3(index, 0, 1)}
		thing.merge(
			{"tags": ["red", "old"], "hp": index % 100, "inventory": {"gold": index, "arrows": 12}}
		)
		world.append(thing)
	return var_to_bytes({"slot": {"name": "Ada", "played": 812}, "world": world, "last": 5})


func _packets() -> Array:
	var packets: Array = []
	for index in PACKETS:
		var packet := {"id": index, "from": "player %d" % index, "at": Vector3(index, 0, 1)}
		packet.merge(
			{"velocity": Vector3.ONE, "hp": index % 100, "buttons": PackedByteArray([1, 2, 3])}
		)
		packet["state"] = {"jump": true, "ammo": [1, index, 3]}
		packets.append(var_to_bytes(packet))
	return packets
