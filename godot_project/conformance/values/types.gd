extends "../support/round_trip.gd"
## Every type alone, many values of each: our bytes are the engine's, our values too.

const Engines := preload("../support/engine_values.gd")


func test_nil_and_bool() -> void:
	_check_type(TYPE_NIL)
	_check_type(TYPE_BOOL)


func test_int_and_float() -> void:
	_check_type(TYPE_INT)
	_check_type(TYPE_FLOAT)


func test_float_vectors() -> void:
	for type: int in Values.FLOAT_COMPONENTS:
		_check_type(type)


func test_int_vectors() -> void:
	for type: int in Values.INT_COMPONENTS:
		_check_type(type)


## Constructed here, not decoded from bytes, so that the order of components is GDScript's.
func test_component_order() -> void:
	var x := Vector3(1, 2, 3)
	var y := Vector3(4, 5, 6)
	var z := Vector3(7, 8, 9)
	var basis := Basis(x, y, z)
	check_both_ways(basis, "Basis")
	check_both_ways(Transform3D(basis, Vector3(10, 11, 12)), "Transform3D")
	check_both_ways(Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)), "Transform2D")
	check_both_ways(
		Projection(
			Vector4(1, 2, 3, 4),
			Vector4(5, 6, 7, 8),
			Vector4(9, 10, 11, 12),
			Vector4(13, 14, 15, 16)
		),
		"Projection"
	)
	check_both_ways(AABB(x, y), "AABB")
	check_both_ways(Plane(1, 2, 3, 4), "Plane")
	check_both_ways(Quaternion(1, 2, 3, 4), "Quaternion")
	check_both_ways(Rect2(1, 2, 3, 4), "Rect2")
	check_both_ways(Rect2i(1, 2, -3, 4), "Rect2i")
	check_both_ways(Color(1, 2, 3, 4), "Color")


func test_packed_arrays() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		_check_type(type)


func test_string_and_string_name() -> void:
	_check_type(TYPE_STRING)
	_check_type(TYPE_STRING_NAME)


func test_node_path() -> void:
	_check_type(TYPE_NODE_PATH)


func test_rid() -> void:
	_check_type(TYPE_RID)


func test_object() -> void:
	_check_type(TYPE_OBJECT)


func test_callable_and_signal() -> void:
	_check_type(TYPE_CALLABLE)
	_check_type(TYPE_SIGNAL)


func test_dictionary() -> void:
	_check_type(TYPE_DICTIONARY)


func test_array() -> void:
	_check_type(TYPE_ARRAY)


func test_full_objects() -> void:
	for object: Object in Engines.storable_objects():
		check_both_ways(object, object.get_class(), true)
		check_both_ways([object, {"object": object}], "nested %s" % object.get_class(), true)
	check_both_ways(Engines.null_object(), "null object", true)
	check_both_ways(Engines.freed_object(), "freed object", true)


## Whether objects are meant must not matter to anything else.
func test_full_objects_of_other_types() -> void:
	for type: int in Values.types():
		if type != TYPE_OBJECT and type != TYPE_ARRAY and type != TYPE_DICTIONARY:
			check_both_ways(Values.of(type)[-1], type_string(type), true)


## The engine never writes id 0, but reads it: an Object that is null, not Nil.
func test_object_ids() -> void:
	for id: int in [0, 1, 0x7fffffff, -1]:
		var bytes := Values.u32(TYPE_OBJECT | 1 << 16) + var_to_bytes(rid_from_int64(id)).slice(4)
		check_from_bytes(bytes, "object of id %d" % id)
		check_from_bytes(bytes, "object of id %d, objects allowed" % id, true)


## Without permission a whole object is refused, alone and inside.
func test_full_objects_denied() -> void:
	for value: Variant in [Resource.new(), [Resource.new()], {"a": Resource.new()}]:
		var bytes := var_to_bytes_with_objects(value)
		var decode := func() -> Variant: return VarBatch.bytes_to_var(bytes)
		var found: Variant = expect_errors(decode, 1, "VarBatch.bytes_to_var: ")
		check_value(found, null, "a whole object without permission")


func test_a_node_is_stored_whole() -> void:
	var node := Node.new()
	node.process_priority = -77
	check_bytes(VarBatch.var_to_bytes(node, true), var_to_bytes_with_objects(node), "Node")
	check_bytes(VarBatch.var_to_bytes(node), var_to_bytes(node), "Node's id")
	var copy: Node = VarBatch.bytes_to_var(var_to_bytes_with_objects(node), true)
	check(copy != null and copy != node, "no new Node")
	if copy:
		check_int(copy.process_priority, -77, "a property of the copy")
		copy.free()
	node.free()


## The engine gives up on more than 1024 levels.
func test_deepest_nesting() -> void:
	check_both_ways(Engines.nested(1025), "1025 arrays")
	check_both_ways(Engines.nested(1024, [1]), "1 in 1024 arrays")
	for too_deep: Array in [Engines.nested(1026), Engines.nested(1025, [1])]:
		var encode := func() -> PackedByteArray: return VarBatch.var_to_bytes(too_deep)
		var found: PackedByteArray = expect_errors(encode, 1, "VarBatch.var_to_bytes: ")
		check_bytes(found, PackedByteArray(), "arrays too deep")


## Half a surrogate pair is written as three bytes, and refused on the way back.
func test_lone_surrogate() -> void:
	var text: String = quietly(Engines.lone_surrogate)
	check_int(text.length(), 3, "letters of a text with half a surrogate pair")
	for value: Variant in [text, StringName(text), PackedStringArray(["a", text, "b"])]:
		var what := type_string(typeof(value))
		var bytes := var_to_bytes(value)
		check("edb080" in bytes.hex_encode(), "the engine wrote no half pair in %s" % what)
		check_to_bytes(value, bytes, what)
		var decode := func() -> Variant: return VarBatch.bytes_to_var(bytes)
		check_value(expect_errors(decode, 1, "VarBatch.bytes_to_var: "), null, what)


func _check_type(type: int) -> void:
	var values := Values.of(type)
	for i: int in values.size():
		check_both_ways(values[i], "%s %d" % [type_string(type), i])
