extends RefCounted
## Section: `diff` of large states that differ in a few values, and of a small one.

const Result = preload("res://bench/result.gd")
const ScriptProbes = preload("res://bench/diff/script_probes.gd")
const Session = preload("res://bench/session.gd")
const StateProbes = preload("res://bench/diff/state_probes.gd")
const Values = preload("res://bench/values.gd")

const MIB := 1048576
const LARGE := 64 * MIB
const PLACES := 100
## The max time of `diff`, as a multiple of the engine's time to compare the bytes.
const TARGET := 1.0 / 3.0


func run(session: Session) -> void:
	session.report.start_table(
		"diff of two states that differ in %d places (engine: == of all of their bytes)" % PLACES
	)
	var makers: Dictionary[String, Callable] = {
		"PackedFloat32Arrays": _packed, "dictionaries in an array": _nested
	}
	for title: String in makers:
		var result := Result.new("diff", title, 1, LARGE, "diff")
		result.target = TARGET
		if session.wants(result.name):
			session.time(result, makers[title].call() as StateProbes.Diff)
	session.report.start_table("diff of a small state, 3 of its values changed (engine: a script)")
	var small := _small()
	var size := var_to_bytes(small[0]).size()
	for way: GDScript in [ScriptProbes.Compare, ScriptProbes.Snapshot]:
		var direction := "diff" if way == ScriptProbes.Compare else "snapshot and diff"
		var result := Result.new("diff", "Dictionary, 20 keys", 1, size, direction)
		result.target = NAN
		session.time(result, way.new(small[0], small[1]) as ScriptProbes.Compare)


## 16 arrays in a Dictionary.
func _packed() -> StateProbes.Diff:
	var before: Dictionary = {}
	for index in 16:
		before["part %d" % index] = Values.numbers(TYPE_PACKED_FLOAT32_ARRAY, LARGE / 16)
	var bytes := var_to_bytes(before)
	for place in PLACES:
		var part: PackedFloat32Array = before["part %d" % (place % 16)]
		part[part.size() / PLACES * place] += 1.0
		before["part %d" % (place % 16)] = part
	return StateProbes.Diff.new(bytes, var_to_bytes(before), PLACES)


func _nested() -> StateProbes.Diff:
	var entities := Values.save_game()
	var entities_len := var_to_bytes(entities).size()
	var before: Array = []
	for _copy in ceili(LARGE / float(entities_len)):
		before.append_array(entities.duplicate(true))
	var bytes := var_to_bytes(before)
	for place in PLACES:
		before[before.size() / PLACES * place]["stats"]["health"] += 1
	return StateProbes.Diff.new(bytes, var_to_bytes(before), PLACES)


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
