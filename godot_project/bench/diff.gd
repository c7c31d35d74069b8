extends RefCounted
## Section: `diff` of large states that differ in a few values and of a small one, and deltas of an array
## in which single elements have changed.
# Results that are only dropped are named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Probe = preload("res://bench/probe.gd")
const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const Values = preload("res://bench/values.gd")

const MIB := 1048576
const LARGE := 64 * MIB
const PLACES := 100
## Of the elements of an array, as many change, in percent.
const PERCENTS: Array[int] = [0, 1, 10]
const SEED := 20_267


func run(session: Session) -> void:
	session.report.start_table(
		"diff of two states that differ in %d places (engine: == of all of their bytes)" % PLACES
	)
	var makers: Dictionary[String, Callable] = {
		"PackedFloat32Arrays": _packed, "dictionaries in an array": _nested
	}
	for title: String in makers:
		var result := Result.new("diff", title, 1, LARGE, "diff")
		if session.wants(result.name):
			var states: Array[PackedByteArray] = makers[title].call()
			session.time(result, _diff(states[0], states[1]))
	session.report.start_table("diff of a small state, 3 of its values changed (engine: a script)")
	var small := _small()
	var size := var_to_bytes(small[0]).size()
	for direction: String in ["diff", "snapshot and diff"]:
		var result := Result.new("diff", "Dictionary, 20 keys", 1, size, direction)
		session.time(result, _small_diff(small[0], small[1], direction != "diff"))
	session.report.start_table(
		"Deltas of 1 MiB of floats (engine: Zstandard of all; floor: a copy)"
	)
	for percent: int in PERCENTS:
		var type := "PackedFloat32Array, %d %%" % percent
		var make := Result.new("delta", type, 1, MIB, "make_delta")
		var apply := Result.new("delta", type, 1, MIB, "apply_delta")
		if session.wants(make.name) or session.wants(apply.name):
			var before := _numbers()
			var bytes: Array[PackedByteArray] = [
				var_to_bytes(before), var_to_bytes(_moved(before, percent))
			]
			session.time(make, _delta(bytes[0], bytes[1], false))
			session.time(apply, _delta(bytes[0], bytes[1], true))


## The engine compares equal bytes in two buffers, so that it has to compare all of them.
static func _diff(before: PackedByteArray, after: PackedByteArray) -> Probe:
	var same := before.duplicate()
	same[0] = before[0]  # A write, so that it is a copy of its own.
	return Probe.of(
		func() -> bool: return before == same,
		func() -> Array: return VarBatch.diff(before, after),
		func() -> String:
			var changes := VarBatch.diff(before, after)
			if changes.size() != PLACES:
				return "%d changes, expected %d" % [changes.size(), PLACES]
			return Probe.difference(after, VarBatch.patch(before, changes))
	)


## Both snapshots exist: values for the script, bytes for VarBatch. With [param keeps], the current state
## has to be kept first: as a copy for the script, as bytes for VarBatch.
static func _small_diff(before: Dictionary, after: Dictionary, keeps: bool) -> Probe:
	var old := var_to_bytes(before)
	var new := var_to_bytes(after)
	var probe := Probe.new()
	probe.engine = func(calls: int) -> void:
		for _call in calls:
			var now: Dictionary = after.duplicate(true) if keeps else after
			var _changes: Array[Dictionary] = _diff_by_script(before, now)
	probe.varbatch = func(calls: int) -> void:
		for _call in calls:
			var now: PackedByteArray = VarBatch.var_to_bytes(after) if keeps else new
			var _changes: Array[Dictionary] = VarBatch.diff(old, now)
	probe.check = func() -> String:
		return Probe.value_difference(_diff_by_script(before, after), VarBatch.diff(old, new))
	return probe


## The engine compresses the whole new state instead, with Zstandard, or decompresses it.
static func _delta(before: PackedByteArray, after: PackedByteArray, applies: bool) -> Probe:
	var delta := VarBatch.make_delta(before, after)
	var packed := after.compress(FileAccess.COMPRESSION_ZSTD)
	var size := after.size()
	var check := func() -> String:
		return Probe.difference(after, VarBatch.apply_delta(before, delta))
	var probe := Probe.of(
		func() -> PackedByteArray: return after.compress(FileAccess.COMPRESSION_ZSTD),
		func() -> PackedByteArray: return VarBatch.make_delta(before, after),
		check
	)
	if applies:
		probe = Probe.of(
			func() -> PackedByteArray: return packed.decompress(size, FileAccess.COMPRESSION_ZSTD),
			func() -> PackedByteArray: return VarBatch.apply_delta(before, delta),
			check
		)
	probe.copy = func(calls: int) -> void:
		for _call in calls:
			var _copied: PackedByteArray = after.slice(0)
	return probe


## The differences between dictionaries of the same keys.
static func _diff_by_script(old: Dictionary, new: Dictionary) -> Array[Dictionary]:
	var changes: Array[Dictionary] = []
	_compare(old, new, [], changes)
	return changes


static func _compare(old: Variant, new: Variant, path: Array, changes: Array[Dictionary]) -> void:
	if typeof(old) != typeof(new):
		changes.append({"path": path, "op": "set", "old": old, "new": new})
	elif old is Dictionary:
		for key: Variant in old:
			_compare(old[key], new[key], path + [key], changes)
	elif old is Array and old.size() == new.size():
		for index: int in old.size():
			_compare(old[index], new[index], path + [index], changes)
	elif old != new:
		changes.append({"path": path, "op": "set", "old": old, "new": new})


## 16 arrays in a Dictionary, before and after.
func _packed() -> Array[PackedByteArray]:
	var state: Dictionary = {}
	for index in 16:
		state["part %d" % index] = Values.numbers(TYPE_PACKED_FLOAT32_ARRAY, LARGE / 16)
	var bytes := var_to_bytes(state)
	for place in PLACES:
		var part: PackedFloat32Array = state["part %d" % (place % 16)]
		part[part.size() / PLACES * place] += 1.0
		state["part %d" % (place % 16)] = part
	return [bytes, var_to_bytes(state)]


func _nested() -> Array[PackedByteArray]:
	var entities := Values.save_game()
	var entities_len := var_to_bytes(entities).size()
	var state: Array = []
	for _copy in ceili(LARGE / float(entities_len)):
		state.append_array(entities.duplicate(true))
	var bytes := var_to_bytes(state)
	for place in PLACES:
		state[state.size() / PLACES * place]["stats"]["health"] += 1
	return [bytes, var_to_bytes(state)]


## A fighter of a rollback game, before and after a frame.
func _small() -> Array[Dictionary]:
	var before: Dictionary = {
		"frame": 7200, "seed": 1234567, "round": 2, "timer": 61.5, "paused": false
	}
	for player: String in ["left", "right"]:
		before[player] = {
			"position": Vector2(100.5, 20.25),
			"velocity": Vector2(-3.5, 0.0),
			"health": 870,
			"state": &"walking",
			"inputs": [1, 0, 0, 1, 4, 4],
			"meter": {"super": 1500, "guard": 100.0},
		}
	before["hits"] = []
	before["camera"] = Vector2(50.0, 0.0)
	before["combo"] = 0
	var after: Dictionary = before.duplicate(true)
	after["frame"] = 7201
	after["left"]["position"] = Vector2(97.0, 20.25)
	after["left"]["meter"]["super"] = 1512
	return [before, after]


## No two are the same: repeated ones would be easy to compress.
func _numbers() -> PackedFloat32Array:
	var random := RandomNumberGenerator.new()
	random.seed = SEED
	var numbers: PackedFloat32Array = []
	numbers.resize(MIB / 4)
	for index in numbers.size():
		numbers[index] = random.randf_range(-1000.0, 1000.0)
	return numbers


## Moves this percentage of the elements, at random, a little.
func _moved(before: PackedFloat32Array, percent: int) -> PackedFloat32Array:
	var random := RandomNumberGenerator.new()
	random.seed = SEED + 1
	var after := before.duplicate()
	for _change in before.size() * percent / 100:
		var at := random.randi_range(0, before.size() - 1)
		after[at] = before[at] * (1.0 + random.randf_range(-0.001, 0.001))
	return after
