extends "../support/round_trip.gd"
## Packed arrays of a million elements, one test a type.

const COUNT := 1_000_003


func test_byte() -> void:
	_check(TYPE_PACKED_BYTE_ARRAY)


func test_int32() -> void:
	_check(TYPE_PACKED_INT32_ARRAY)


func test_int64() -> void:
	_check(TYPE_PACKED_INT64_ARRAY)


func test_float32() -> void:
	_check(TYPE_PACKED_FLOAT32_ARRAY)


func test_float64() -> void:
	_check(TYPE_PACKED_FLOAT64_ARRAY)


func test_string() -> void:
	_check(TYPE_PACKED_STRING_ARRAY)


func test_vector2() -> void:
	_check(TYPE_PACKED_VECTOR2_ARRAY)


func test_vector3() -> void:
	_check(TYPE_PACKED_VECTOR3_ARRAY)


func test_vector4() -> void:
	_check(TYPE_PACKED_VECTOR4_ARRAY)


func test_color() -> void:
	_check(TYPE_PACKED_COLOR_ARRAY)


func _check(type: int) -> void:
	var value: Variant = Values.Packed.make(type, COUNT)
	check_both_ways(value, "%s of %d" % [type_string(type), COUNT])
