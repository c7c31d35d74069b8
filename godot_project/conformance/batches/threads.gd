extends "threads_base.gd"
## Calls from any thread, several at once. See tasks/soak.gd for files and tasks.

var _values: Array = Values.mixed(150)
var _buffers: Array[PackedByteArray] = Values.engine_bytes(_values)
var _expected: Array[PackedByteArray] = []  # what the decoded values encode to
var _frames := PackedByteArray()
var _of_others := {"pos": Vector3(1, 2, 3), "list": [PackedColorArray([Color.RED]), ^"a/b", "日本"]}


func _init() -> void:
	# Large enough that VarBatch may share it among its own threads.
	for type: int in [TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_STRING_ARRAY]:
		_values.append(Packed.make(type, 20_000))
		_buffers.append(var_to_bytes(_values[-1]))
	_frames = frames_of(_buffers)
	_expected = Values.engine_bytes(_buffers.map(bytes_to_var), true)


func test_errors_on_a_thread() -> void:
	var decode := call_method.bind(&"bytes_to_vars", [[_buffers[0], PackedByteArray([1, 2]), _buffers[0]]]).unbind(1)
	var run := func() -> Array: return end_threads(start_threads(1, decode))[0]
	var good: Variant = bytes_to_var(_buffers[0])
	check_same(expect_errors(run, 1, "VarBatch.bytes_to_vars: buffer 1: "), [good, null, good], "values on a thread")


func test_thread_count() -> void:
	check(VarBatch.get_thread_count() >= 1, "no threads to begin with")
	for count: int in Threads.new([1, 2, 3, 1]):
		check_int(VarBatch.get_thread_count(), count, "thread count in effect")
	VarBatch.set_thread_count(0)
	var one_a_core := VarBatch.get_thread_count()
	var is_right := one_a_core >= 1 and one_a_core <= OS.get_processor_count()
	check(is_right, "one a core gives %d of %d" % [one_a_core, OS.get_processor_count()])


func test_version() -> void:
	var semantic := "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$"
	var version := VarBatch.get_version()
	check(RegEx.create_from_string(semantic).search(version) != null, "no semantic version: '%s'" % version)


func work(count: int) -> void:
	for i: int in count:
		note_other(VarBatch.vars_to_bytes(_values), _buffers, "vars_to_bytes")
		note_other(VarBatch.vars_to_frames(_values), _frames, "vars_to_frames")
		# With objects whole: an id becomes a new object, which has another id.
		note_other(Values.engine_bytes(VarBatch.bytes_to_vars(_buffers), true), _expected, "bytes_to_vars")
		note_other(Values.engine_bytes(VarBatch.frames_to_vars(_frames), true), _expected, "frames_to_vars")
		for at: int in range(i % 5, _values.size(), 5):
			note_other(VarBatch.var_to_bytes(_values[at]), _buffers[at], "var_to_bytes %d" % at)
			var found: Variant = VarBatch.bytes_to_var(_buffers[at])
			note_other(var_to_bytes_with_objects(found), _expected[at], "bytes_to_var %d" % at)
		var there := VarBatch.var_to_bytes_in(_of_others, GODOT_3)
		var here := VarBatch.transcode(there, GODOT_3, GODOT_4)
		var back: Variant = VarBatch.bytes_to_var_in(there, GODOT_3)
		note_other([here, back], [var_to_bytes(_of_others), _of_others], "a value of Godot 3")
