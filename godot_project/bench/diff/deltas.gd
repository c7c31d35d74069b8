extends RefCounted
## Section: a delta of an array in which single elements have changed, and the array of the delta.
## The target of `make_delta` is 1 GB/s, at 1 %.

const Result = preload("res://bench/result.gd")
const Session = preload("res://bench/session.gd")
const StateProbes = preload("res://bench/diff/state_probes.gd")

const MIB := 1048576
const SEED := 20_267
const PERCENTS: Array[int] = [0, 1, 10]


func run(session: Session) -> void:
	session.report.start_table(
		"Deltas of 1 MiB of floats (engine: Zstandard of all; floor: a copy)"
	)
	for percent: int in PERCENTS:
		var type := "PackedFloat32Array, %d %%" % percent
		var results: Array[Result] = [
			Result.new("delta", type, 1, MIB, "make_delta"),
			Result.new("delta", type, 1, MIB, "apply_delta"),
		]
		var before := _numbers()
		var after := _changed(before, percent)
		var bytes: Array[PackedByteArray] = [var_to_bytes(before), var_to_bytes(after)]
		for result: Result in results:
			result.target = NAN
		session.time(results[0], StateProbes.MakeDelta.new(bytes[0], bytes[1]))
		session.time(results[1], StateProbes.ApplyDelta.new(bytes[0], bytes[1]))


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
func _changed(before: PackedFloat32Array, percent: int) -> PackedFloat32Array:
	var random := RandomNumberGenerator.new()
	random.seed = SEED + 1
	var after := before.duplicate()
	for _change in before.size() * percent / 100:
		var at := random.randi_range(0, before.size() - 1)
		after[at] = before[at] * (1.0 + random.randf_range(-0.001, 0.001))
	return after
