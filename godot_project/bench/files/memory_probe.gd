extends RefCounted
## Makes one call in this process, and prints by how many bytes the process grew: at the peak, and
## after the call, while its result still exists. See memory.gd.
# What is only kept is named with an underscore, as the engine's own warnings want.
# gdlint: disable=function-variable-name

const Data = preload("res://bench/files/data.gd")
const Options = preload("res://bench/files/options.gd")
const Place = preload("res://bench/files/place.gd")
const Resident = preload("res://bench/resident.gd")

## The start of the line with both numbers.
const ANSWER := "grew "
## In this order: the first writes the file that the last ones load.
const WAYS: Array[String] = [
	"store_var, in a loop", "save_vars", "save_vars_async", "get_var, in a loop", "load_vars"
]

var _kept: Array = []
var _is_finished := false


func run(options: Options) -> void:
	var way := options.probe[1]
	var folder := options.probe[2]
	var saved := folder.path_join(options.probe[0])
	var values: Array = []
	if not way in WAYS.slice(3):
		values = Data.make(options.probe[0], options.probe[3].to_int())
	var _holes := Resident.fill_holes(Resident.HOLE_MIN)
	Resident.forget_peak()
	var before := Resident.now()
	match way:
		"store_var, in a loop":
			Place.store(saved, values)
		"save_vars":
			VarBatch.save_vars(folder.path_join(way), values)
		"save_vars_async":
			await _finish(VarBatch.save_vars_async(folder.path_join(way), values))
		"get_var, in a loop":
			_kept = Place.fetch(saved)
		"load_vars":
			_kept = VarBatch.load_vars(saved)
	var after := Resident.now()
	print(ANSWER, Resident.peak() - before, " ", after - before)


func _finish(task: VarBatchTask) -> void:
	task.finished.connect(func(_result: Variant) -> void: _is_finished = true)
	while not _is_finished:
		await (Engine.get_main_loop() as SceneTree).process_frame
