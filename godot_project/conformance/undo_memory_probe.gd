extends Node
## Edits a large property many times, in a process of its own, and prints by how much it grew: lines
## of "growth", when, bytes of the property, bytes of memory. Started by undo_memory.gd with the
## arguments ARGUMENT, the kind of value, its MiB, and how many edits.
##
## Measured is the memory in use (VmRSS of /proc/self/status), which counts what the library
## allocates as well. Blocks of more than 32 MiB go back to the system at once when they are freed.

## The first argument, and the last line of all.
const ARGUMENT := "--undo-probe"
const LAST_LINE := "undo-probed"
const FEW_STEPS := 4
const PART_LEN := 1 << 12

const Box := preload("undo_box.gd")
const MemoryProbe := preload("memory_probe.gd")

var _object := Box.new()
var _kind := OS.get_cmdline_user_args()[1]
var _len := OS.get_cmdline_user_args()[2].to_int() << 20
var _steps := OS.get_cmdline_user_args()[3].to_int()
var _rss := 0


func _ready() -> void:
	_object.value = _make()
	var recorder := VarBatchUndoRecorder.new()
	var history := UndoRedo.new()
	# What an edit takes for a moment, and the engine for itself.
	recorder.record(_object, ["value"])
	_edit(0)
	recorder.flush()
	_rss = MemoryProbe.status("VmRSS:")
	for step: int in range(1, _steps + 1):
		recorder.record(_object, ["value"])
		_edit(step)
		if recorder.commit(history, "edit") != 1:
			print("no modification in step %d" % step)
		if step in [FEW_STEPS, _steps]:
			_print_growth("%d steps" % step)
	var last := hash(_object.value)
	var start := Time.get_ticks_usec()
	while history.undo():
		pass
	_print_growth("all undone")
	while history.redo():
		pass
	var took := Time.get_ticks_usec() - start
	print("took;%s;%d" % [_kind, took / (2 * _steps)])
	if hash(_object.value) != last:
		print("another value than before")
	history.clear_history()
	_print_growth("cleared")
	history.free()
	print(LAST_LINE)
	get_tree().quit()


func _make() -> Variant:
	var bytes := PackedByteArray()
	match _kind:
		"bytes":
			bytes.resize(_len)
			return bytes
		"floats":
			bytes.resize(_len)
			return bytes.to_float32_array()
		"texts":
			var texts := PackedStringArray()
			var text := "x".repeat(PART_LEN)
			for i: int in _len / PART_LEN:
				texts.append(text + "%08d" % i)
			return texts
		"small":
			var rows: Array = []
			for i: int in _len / 64:
				rows.append({"id": i, "at": Vector3(i, 0, 1)})
			return rows
	var parts: Array = []
	bytes.resize(PART_LEN)
	for i: int in _len / PART_LEN:
		parts.append({"id": i, "raw": bytes.duplicate(), "at": [Vector2(i, 0), "name"]})
	return parts


## One byte, or one text that gets longer.
func _edit(step: int) -> void:
	match _kind:
		"bytes":
			_object.value[step * 1000] = step + 1
		"floats":
			_object.value[step * 1000] = step + 1.5
		"texts":
			_object.value[step * 10] = str(_object.value[step * 10]) + "y".repeat(step)
		"small":
			_object.value[step * 10].id = -step
		_:
			_object.value[step * 10].raw[step] = step + 1
			_object.value[step * 20].at[1] = "another name %d" % step


func _print_growth(when: String) -> void:
	print("growth;%s;%d;%d" % [when, _len, maxi(0, MemoryProbe.status("VmRSS:") - _rss)])
