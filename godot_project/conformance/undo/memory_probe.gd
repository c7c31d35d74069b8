extends Node
## Edits a large property many times, in a process of its own, and prints by how much it grew: lines
## of "growth", when, bytes of memory, and those that begin with "wrong". Started by memory.gd with
## three arguments: the kind of value, its MiB, and how many edits.
##
## Measured is the memory in use (VmRSS of /proc/self/status), which counts what the library
## allocates as well. Blocks of more than 32 MiB go back to the system at once when they are freed.

const PART_LEN := 1 << 12

const Child := preload("../support/child.gd")
const Box := preload("box.gd")
const MemoryProbe := preload("../hostile/memory_probe.gd")

var _object := Box.new()
var _kind := Child.own_arguments()[0]
var _len := Child.own_arguments()[1].to_int() << 20
var _steps := Child.own_arguments()[2].to_int()
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
			print("wrong: no modification in step %d" % step)
		if step in [4, _steps]:
			_print_growth("%d steps" % step)
	var last := hash(_object.value)
	while history.undo():
		pass
	_print_growth("all undone")
	while history.redo():
		pass
	if hash(_object.value) != last:
		print("wrong: another value than before")
	history.clear_history()
	_print_growth("cleared")
	history.free()
	print(Child.LAST_LINE)
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
		_:
			_object.value[step * 10].raw[step] = step + 1
			_object.value[step * 20].at[1] = "another name %d" % step


func _print_growth(when: String) -> void:
	print("growth;%s;%d" % [when, maxi(0, MemoryProbe.status("VmRSS:") - _rss)])
