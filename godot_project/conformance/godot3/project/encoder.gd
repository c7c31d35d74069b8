extends Object
# var2bytes() without what differs from run to run: the ids of objects, and the padding of node
# paths, where the engine leaves what was in memory.

# Stands for the id of the first object of a value; the next one has the next number.
const FIRST_ID := 0x123456700


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
