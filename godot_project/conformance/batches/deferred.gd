extends "../hostile/broken_base.gd"
## Large batches of buffers: threads read what needs nothing of the engine, those that need it come
## after. What they give, and what is logged of them, is in the order of the buffers all the same.

const COUNTS: PackedInt32Array = [16, 1200, 7000]
const THREAD_COUNTS: PackedInt32Array = [1, 2, 3, 8]
const KINDS := 10

var _noise: PackedByteArray = Values.Packed.make(TYPE_PACKED_BYTE_ARRAY, 5000)
## An Array[int] of 1.5, which is converted, and of a text, which is dropped.
var _converted := _typed(TYPE_INT, [7, 1.5, true])
var _dropped := _typed(TYPE_INT, [7, "x", 1.5, [], "y"])
## A key that is looked at by the engine: 50 arrays, one in the other.
var _key: Array = Values.Engines.nested(50, [1])


## Good ones, broken ones, ones with conversions and drops, and what is no buffer, in turns.
func test_mixed() -> void:
	for count: int in COUNTS:
		for step: int in [1, 7]:
			var buffers: Array = []
			var expected: Array = []
			var lines := PackedStringArray()
			for i: int in count:
				_add(i * step % KINDS, i, buffers, expected, lines)
			_check(buffers, expected, lines, "%d mixed, step %d" % [count, step])


## One that needs the engine, or is broken, among many that are not.
func test_one_among_many() -> void:
	for kind: int in KINDS:
		for place: int in [0, 700, 1399]:
			var buffers: Array = []
			var expected: Array = []
			var lines := PackedStringArray()
			for i: int in 1400:
				_add(kind if i == place else i % 2, i, buffers, expected, lines)
			_check(buffers, expected, lines, "kind %d at %d" % [kind, place])


## All need the engine.
func test_nothing_but_conversions() -> void:
	for kind: int in [4, 5]:
		var buffers: Array = []
		var expected: Array = []
		var lines := PackedStringArray()
		for i: int in 3000:
			_add(kind, i, buffers, expected, lines)
		_check(buffers, expected, lines, "3000 of kind %d" % kind)


func test_full_objects() -> void:
	var objects := Values.Engines.storable_objects()
	var scripted: Resource = Resource.new()
	scripted.resource_name = "named"
	for large: bool in [false, true]:
		var buffers: Array[PackedByteArray] = []
		for i: int in 1500:
			match i % 5:
				0:
					buffers.append(var_to_bytes_with_objects([objects[i % objects.size()], i]))
				1:
					buffers.append(var_to_bytes_with_objects({"o": scripted, "i": i}))
				2:
					buffers.append(var_to_bytes([i, _noise if large else _noise.slice(0, 9)]))
				3:
					buffers.append(var_to_bytes("text %d" % i).slice(0, -1 if i % 2 else -4))
				4:
					buffers.append(_converted)
		var expected: Array = []
		var lines := PackedStringArray()
		for i: int in buffers.size():
			var reason: String = VarBatch.validate([buffers[i]], true)[0]
			expected.append(quietly(buffers[i].decode_var.bind(0, true)))
			if not reason.is_empty():
				lines.append("VarBatch.bytes_to_vars: buffer %d: %s" % [i, reason])
		for count: int in THREAD_COUNTS:
			VarBatch.set_thread_count(count)
			var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers, true)
			var found: Array = expect_lines(decode, bounded(lines, OF_BUFFERS))
			check_values(found, expected, "full objects, %d threads" % count)


func _check(buffers: Array, expected: Array, lines: PackedStringArray, what: String) -> void:
	var before := buffers.duplicate()
	for count: int in THREAD_COUNTS:
		VarBatch.set_thread_count(count)
		var decode := func() -> Array: return VarBatch.bytes_to_vars(buffers)
		var found: Array = expect_lines(decode, bounded(lines, OF_BUFFERS))
		check_values(found, expected, "%s, %d threads" % [what, count])
		check_values(buffers, before, "the buffers, %s" % what)


## Adds a buffer of one of the KINDS, what it gives, and the line about it.
func _add(kind: int, i: int, buffers: Array, expected: Array, lines: PackedStringArray) -> void:
	var start := "VarBatch.bytes_to_vars: buffer %d: " % i
	match kind:
		0:
			_add_good(var_to_bytes([i, "text", _noise.slice(0, i % 300)]), buffers, expected)
		1:
			_add_good(
				var_to_bytes({"i": i, &"name": Vector2(i, 1), "list": [[i], {}]}), buffers, expected
			)
		2:
			buffers.append(var_to_bytes("broken %d" % i).slice(0, 9 + i % 3))
			expected.append(null)
			lines.append(start + VarBatch.validate([buffers[-1]])[0])
		3:
			buffers.append([5, "no buffer", null, [PackedByteArray()]][i % 4])
			expected.append(null)
			lines.append(
				start + "expected a PackedByteArray, found " + type_string(typeof(buffers[-1]))
			)
		4:
			_add_good(_converted, buffers, expected)
		5:
			buffers.append(_dropped)
			expected.append(engine_value(_dropped))
			lines.append(WARNING + start + _drop_text(_dropped))
		6:
			# It is converted, and what follows is broken.
			var broken := Values.header(TYPE_ARRAY) + Values.u32(2) + _converted
			broken += var_to_bytes("text").slice(0, 8 + i % 4)
			buffers.append(broken)
			expected.append(null)
			lines.append(start + VarBatch.validate([broken])[0])
		7:
			_add_good(PackedByteArray([TYPE_NIL, 0, 0, 0]), buffers, expected)
		8:
			buffers.append(PackedByteArray())
			expected.append(null)
			lines.append(start + VarBatch.validate([buffers[-1]])[0])
		9:
			_add_good(var_to_bytes({_key: i}), buffers, expected)


func _add_good(bytes: PackedByteArray, buffers: Array, expected: Array) -> void:
	buffers.append(bytes)
	expected.append(bytes_to_var(bytes))


## What the warning about a buffer says, without the method's name.
func _drop_text(bytes: PackedByteArray) -> String:
	var lines := logged(func() -> void: VarBatch.bytes_to_var(bytes))
	var text := lines[0] if errors.is_open() else ""
	return text.trim_prefix(WARNING + "VarBatch.bytes_to_var: ")


static func _typed(type: int, elements: Array) -> PackedByteArray:
	var bytes := Values.u32(TYPE_ARRAY | 1 << 16) + Values.u32(type) + Values.u32(elements.size())
	for element: Variant in elements:
		bytes += var_to_bytes(element)
	return bytes
