extends "../files/files_base.gd"
## Large batches of buffers: threads read what needs nothing of the engine, those that need it come
## after. What they give, and what is logged of them, is in the order of the buffers all the same.

## Kinds of buffers, of which two more have whole objects.
const KINDS := 10
const START := "VarBatch.bytes_to_vars: "

## An Array[int] of 1.5, which is converted, and of a text, which is dropped.
var _converted := Values.typed_array(TYPE_INT, [7, 1.5, true])
var _dropped := Values.typed_array(TYPE_INT, [7, "x", 1.5, [], "y"])
## A key that is looked at by the engine: 50 arrays, one in the other.
var _key: Array = Engines.nested(50, [1])
var _objects := Engines.storable_objects()


## Good ones, broken ones, ones with conversions and drops, and what is no buffer, in turns.
func test_mixed() -> void:
	for count: int in [16, 1200, 7000]:
		for step: int in [1, 7]:
			_check_kinds(count, func(i: int) -> int: return i * step % KINDS, "step %d" % step)


## One that needs the engine, or is broken, among many that are not, and nothing but those.
func test_one_kind() -> void:
	for kind: int in KINDS:
		for place: int in [0, 700, 1399]:
			var of := func(i: int) -> int: return kind if i == place else i % 2
			_check_kinds(1400, of, "kind %d at %d" % [kind, place])
	for kind: int in [4, 5]:
		_check_kinds(3000, func(_i: int) -> int: return kind, "all of kind %d" % kind)


func test_full_objects() -> void:
	_check_kinds(7000, func(i: int) -> int: return [10, 11, 0, 2, 4][i % 5], "full objects", true)


## A batch of buffers whose kinds [param of] gives for each index.
func _check_kinds(size: int, of: Callable, what: String, objects := false) -> void:
	var buffers: Array = []
	var expected: Array = []
	var lines := PackedStringArray()
	for i: int in size:
		_add(of.call(i) as int, i, buffers, expected, lines, objects)
	var before := buffers.duplicate()
	var is_warning := func(line: String) -> bool: return line.begins_with(WARNING)
	var code := OK if Array(lines).all(is_warning) else -1
	var texts := PackedStringArray()
	for line: String in bounded(lines, OF_BUFFERS):
		texts.append(line.replace(START, ""))
	for count: int in Threads.new([1, 2, 3, 8]):
		check_forms("bytes_to_vars", [buffers, objects], expected, code, texts, true)
	check_same(buffers, before, "the buffers, %d, %s" % [size, what])


## Adds a buffer of one of the KINDS, what it gives, and the line about it.
func _add(kind: int, i: int, buffers: Array, expected: Array, lines: PackedStringArray, objects: bool) -> void:
	var bytes := PackedByteArray()
	match kind:
		0:
			bytes = var_to_bytes([i, "text", _noise.slice(0, i % 300)])
		1:
			bytes = var_to_bytes({"i": i, &"name": Vector2(i, 1), "list": [[i], {}]})
		2:
			bytes = var_to_bytes("broken %d" % i).slice(0, 9 + i % 3)
		3:
			buffers.append([5, "no buffer", null, [PackedByteArray()]][i % 4])
			expected.append(null)
			var type := type_string(typeof(buffers[-1]))
			lines.append(START + "buffer %d: expected a PackedByteArray, found %s" % [i, type])
			return
		4:
			bytes = _converted
		5:
			bytes = _dropped
			var text := "dropped"
			if errors.is_open():
				text = logged(func() -> void: VarBatch.bytes_to_var(bytes))[0]
			text = text.trim_prefix(WARNING + "VarBatch.bytes_to_var: ")
			lines.append(WARNING + START + "buffer %d: %s" % [i, text])
		6:
			# It is converted, and what follows is broken.
			bytes = Values.header(TYPE_ARRAY) + Values.u32(2) + _converted
			bytes += var_to_bytes("text").slice(0, 8 + i % 4)
		7:
			bytes = PackedByteArray([TYPE_NIL, 0, 0, 0])
		9:
			bytes = var_to_bytes({_key: i})
		10:
			bytes = var_to_bytes_with_objects([_objects[i % _objects.size()], i])
		11:
			bytes = var_to_bytes_with_objects({"o": _objects, "i": i})
	buffers.append(bytes)
	expected.append(quietly(bytes.decode_var.bind(0, objects)))
	var reason := VarBatch.validate([bytes], objects)[0]
	if not reason.is_empty():
		lines.append(START + "buffer %d: %s" % [i, reason])
