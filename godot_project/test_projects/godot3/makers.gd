extends Reference
# The base of every script that is made of one vector's expression: what an expression alone cannot
# say. See bytes.gd.

# Set behind the expression: an error in it would end the function before.
var made := false


# The value of bytes in Godot 3's format, by the engine itself.
func from_hex(hex: String):
	return bytes2var(load("res://bytes.gd").from_hex(hex))


func null_object() -> Object:
	return null


func freed():
	var object := Node.new()
	object.free()
	return object


# The elements of range(count) as bytes.
func bytes(count: int) -> PoolByteArray:
	return PoolByteArray(range(count))


func chars(codes: Array) -> String:
	var text := ""
	for code in codes:
		text += char(code)
	return text


func nested_in_arrays(inner, count: int):
	for _i in count:
		inner = [inner]
	return inner


func nested_in_dictionaries(inner, count: int):
	for _i in count:
		inner = {0: inner}
	return inner


func nested_in_keys(inner, count: int):
	for _i in count:
		inner = {inner: 0}
	return inner


# Nests through arrays and dictionaries in turn, with something beside it at each depth.
func nested_in_both(count: int):
	var inner = "inmost"
	for i in count:
		inner = [i, inner] if i % 2 == 0 else {"depth": i, "inner": inner}
	return inner


# An object of a class with properties set, in the order of the dictionary.
func with(object: Object, properties: Dictionary) -> Object:
	for property in properties:
		object.set(property, properties[property])
	return object


func with_meta(object: Object, name: String, value) -> Object:
	object.set_meta(name, value)
	return object


func encoded_id(id: int) -> EncodedObjectAsID:
	var object := EncodedObjectAsID.new()
	object.object_id = id
	return object


func scripted() -> Reference:
	return load("res://scripted.gd").new()


func scripted_node() -> Node:
	return load("res://scripted_node.gd").new()
