extends Object
# Values and their bytes. bytes2var() that survives bytes which the engine refuses: those end the function that calls
# bytes2var(). var2bytes() without what differs from run to run: the ids of objects, and the padding of node paths, where
# the engine leaves what was in memory. Bytes as the vector files write them: words of 4 bytes in hexadecimal, "(...)xN"
# for N equal groups. The values of the expressions in those files, made by this engine.

const ARRAY_OF_ONE := [TYPE_ARRAY, 0, 0, 0, 1, 0, 0, 0]
# Stands for the id of the first object of a value; the next one has the next number.
const FIRST_ID := 0x123456700
# As many equal groups, one after the other, become one with a number.
const MANY := 32


# An array of the value, or an empty one if the engine refuses the bytes.
static func decoded(bytes: PoolByteArray, objects: bool) -> Array:
	var value = _get_var(bytes, objects)
	if typeof(value) != TYPE_NIL and not (typeof(value) == TYPE_OBJECT and value == null):
		return [value]
	# Nothing, or a failure: within an array the two differ.
	var array = _get_var(PoolByteArray(ARRAY_OF_ONE) + bytes, objects)
	return [value] if array is Array else []


# How many bytes the value takes, by the shortest bytes that are enough; each value fills words of
# 4.
static func consumed(bytes: PoolByteArray, objects: bool) -> int:
	var too_few := 0
	var enough := bytes.size()
	while enough - too_few > 1:
		var middle := (too_few + enough) / 2
		if decoded(bytes.subarray(0, middle - 1), objects).empty():
			too_few = middle
		else:
			enough = middle
	return (enough + 3) / 4 * 4


static func _get_var(bytes: PoolByteArray, objects: bool):
	var stream := StreamPeerBuffer.new()
	stream.put_32(bytes.size())
	stream.put_data(bytes)
	stream.seek(0)
	return stream.get_var(objects)


# No bytes if the engine cannot write the value. With keep_ids an EncodedObjectAsID stands for the
# id that it holds, else it counts as any object does.
static func bytes_of(value, objects: bool, keep_ids := true) -> PoolByteArray:
	var buffer := StreamPeerBuffer.new()
	# A failure of var2bytes() would end this function.
	if Marshalls.variant_to_base64(value, objects).empty():
		return PoolByteArray()
	buffer.data_array = var2bytes(value, objects)
	var ids := {}
	_walk(value, 0, {"buffer": buffer, "objects": objects, "keep_ids": keep_ids, "ids": ids})
	return buffer.data_array


# Puts right what a value has written from there on, and returns where it ends.
static func _walk(value, at: int, run: Dictionary) -> int:
	match typeof(value):
		TYPE_NODE_PATH:
			return _walk_path(value, at + 16, run)
		TYPE_ARRAY:
			at += 8
			for element in value:
				at = _walk(element, at, run)
			return at
		TYPE_DICTIONARY:
			at += 8
			for key in value:
				at = _walk(key, at, run)
				at = _walk(value[key], at, run)
			return at
		TYPE_OBJECT:
			return _walk_object(value, at, run) if is_instance_valid(value) else at + 4
	return at + var2bytes(value, run.objects).size()


static func _walk_path(path: NodePath, at: int, run: Dictionary) -> int:
	for i in path.get_name_count() + path.get_subname_count():
		var names := path.get_name_count()
		var part := path.get_name(i) if i < names else path.get_subname(i - names)
		var length := part.to_utf8().size()
		run.buffer.seek(at + 4 + length)
		at += _text_size(part)
		while run.buffer.get_position() < at:
			run.buffer.put_u8(0)
	return at


static func _walk_object(object: Object, at: int, run: Dictionary) -> int:
	if run.objects:
		at += 4 + _text_size(object.get_class()) + 4
		for property in object.get_property_list():
			if property.usage & PROPERTY_USAGE_STORAGE:
				at = _walk(object.get(property.name), at + _text_size(property.name), run)
		return at
	var id := object.get_instance_id()
	if not run.ids.has(id):
		run.ids[id] = FIRST_ID + run.ids.size()
	run.buffer.seek(at + 4)
	if run.keep_ids and object is EncodedObjectAsID:
		run.buffer.put_u64((object as EncodedObjectAsID).object_id)
	else:
		run.buffer.put_u64(run.ids[id])
	return at + 12


static func _text_size(text: String) -> int:
	return 4 + (text.to_utf8().size() + 3) / 4 * 4


static func to_hex(bytes: PoolByteArray) -> String:
	var words := []
	for at in range(0, bytes.size(), 4):
		words.append(bytes.subarray(at, int(min(at + 4, bytes.size())) - 1).hex_encode())
	var groups := PoolStringArray()
	var at := 0
	while at < words.size():
		var run := _run_at(words, at)
		var group := PoolStringArray(words.slice(at, at + int(run.x) - 1)).join(" ")
		groups.append(group if run.y == 1 else "(%s)x%d" % [group, run.y])
		at += int(run.x * run.y)
	return groups.join(" ")


static func from_hex(text: String) -> PoolByteArray:
	text = _expanded(text)
	var bytes := PoolByteArray()
	bytes.resize(text.length() / 2)
	for at in bytes.size():
		bytes[at] = ("0x" + text.substr(at * 2, 2)).hex_to_int()
	return bytes


# How many words repeat themselves from there on (x), and how many times (y).
static func _run_at(words: Array, at: int) -> Vector2:
	for size in range(1, 9):
		var times := 1
		while _same(words, at, at + size * times, size):
			times += 1
		if times >= MANY:
			return Vector2(size, times)
	return Vector2(1, 1)


static func _same(words: Array, a: int, b: int, count: int) -> bool:
	if b + count > words.size():
		return false
	for i in count:
		if words[a + i] != words[b + i]:
			return false
	return true


static func _expanded(hex: String) -> String:
	var text := PoolStringArray()
	for part in hex.split("("):
		var halves: PoolStringArray = part.split(")x")
		if halves.size() == 1:
			text.append(part)
		else:
			var times: String = halves[1].split(" ")[0]
			text.append(halves[0].repeat(int(times)))
			text.append(halves[1].substr(times.length()))
	return text.join("").replace(" ", "")


# An array of the value, or an empty one if the expression is wrong. Each expression has a script of
# its own: within one function GDScript makes one constant of 0.0 and -0.0.
static func made(expression: String) -> Array:
	var script := GDScript.new()
	script.source_code = (
		'extends "res://makers.gd"\nfunc value():\n\tvar result = %s\n\tmade = true\n\treturn result\n' % expression
	)
	if script.reload() != OK:
		return []
	var maker = script.new()
	var value = maker.value()
	return [value] if maker.made else []


# Lets go of a value that nothing else would free.
static func discard(value) -> void:
	if value is Object and is_instance_valid(value):
		if value is Node or value.get_class() == "Object":
			value.free()
