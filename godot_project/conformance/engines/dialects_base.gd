extends "../support/round_trip.gd"
## Base of the suites on other engines: bytes that a real Godot 3.2.3 and 3.6.2 wrote, what they are
## here, and which types another engine has.

const PANDEMONIUM := VarBatch.DIALECT_PANDEMONIUM

## The others, and their columns in the table of types.
const OTHERS: Dictionary[VarBatch.Dialect, String] = {
	VarBatch.DIALECT_GODOT_3: "godot_3",
	VarBatch.DIALECT_PANDEMONIUM: "pandemonium",
	VarBatch.DIALECT_PANDEMONIUM_3_8: "pandemonium_3_8",
	VarBatch.DIALECT_PANDEMONIUM_3_5: "pandemonium_3_5",
}

## [7, {"pos": Vector3(1, 2, 3), "tags": PoolStringArray(["a", ""])}, NodePath("/root/A:b")]
const NESTED := (
	"13000000 03000000 02000000 07000000 12000000 02000000 04000000 03000000 706f7300 07000000"
	+ " 0000803f 00000040 00004040 04000000 04000000 74616773 17000000 02000000 02000000 61000000"
	+ " 01000000 00000000 0f000000 02000080 01000000 01000000 04000000 726f6f74 01000000 41000000"
	+ " 01000000 62000000"
)

## A Reference without a script, and one of which the source is in it, as Godot 3 writes them.
const REFERENCE := "11000000 09000000 52656665 72656e63 65000000 01000000" + " 06000000 73637269 70740000"
const PLAIN := REFERENCE + " 00000000"
const SCRIPTED := (
	REFERENCE
	+ " 11000000 08000000 47445363 72697074 01000000 0d000000 73637269 70742f73 6f757263 65000000"
	+ " 04000000 11000000 65787465 6e647320 52656665 72656e63 65000000"
)

var _ids := VarBatch.get_type_table()


## What each is here, and the bytes that Godot 3 has for it: the same both ways.
static func godot_3_values() -> Array[Array]:
	var basis := Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))
	var transposed := floats([1, 4, 7, 2, 5, 8, 3, 6, 9])
	var inner := {"pos": Vector3(1, 2, 3), "tags": PackedStringArray(["a", ""])}
	var of_path := "03000000 e697a500 02000000 c3a90000"
	var entries := "07000000" + floats([1, 2, 3]) + "02000000 05000000"
	entries += "0f000000 01000080 00000000 00000000 01000000 61000000" + "00000000"
	return [
		[null, "00000000"],
		[true, "01000000 01000000"],
		[-2147483648, "02000000 00000080"],
		[2147483648, "02000100 00000080 00000000"],
		[0.5, "03000000 0000003f"],
		[0.1, "03000100 9a999999 9999b93f"],
		["Straße 😀", "04000000 0c000000 53747261 c39f6520 f09f9880"],
		[Vector2(1.5, -2), "05000000" + floats([1.5, -2])],
		[Rect2(1, 2, 3, 4), "06000000" + floats([1, 2, 3, 4])],
		[Vector3(1, 2, -0.5), "07000000" + floats([1, 2, -0.5])],
		[Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)), "08000000" + floats(range(1, 7))],
		[Plane(1, 2, 3, 4), "09000000" + floats([1, 2, 3, 4])],
		[Quaternion(1, 2, 3, 4), "0a000000" + floats([1, 2, 3, 4])],
		[AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)), "0b000000" + floats(range(1, 7))],
		[basis, "0c000000" + transposed],
		[Transform3D(basis, Vector3(10, 11, 12)), "0d000000" + transposed + floats([10, 11, 12])],
		[Color(0.25, 0.5, 0.75, 1), "0e000000" + floats([0.25, 0.5, 0.75, 1])],
		[^"../日:é", "0f000000 02000080 01000000 00000000 02000000 2e2e0000" + of_path],
		[RID(), "10000000"],
		[{}, "12000000 00000000"],
		[{Vector3(1, 2, 3): 5, ^"a": null}, "12000000 02000000" + entries],
		[[], "13000000 00000000"],
		[[7, inner, ^"/root/A:b"], NESTED],
		[PackedByteArray([1, 2, 3, 4, 5]), "14000000 05000000 01020304 05000000"],
		[PackedInt32Array([-1, 2147483647]), "15000000 02000000 ffffffff ffffff7f"],
		[PackedFloat32Array([1, -0.5]), "16000000 02000000" + floats([1, -0.5])],
		[PackedStringArray(["abc", ""]), "17000000 02000000 04000000 61626300 01000000 00000000"],
		[PackedVector2Array([Vector2(1, 2)]), "18000000 01000000" + floats([1, 2])],
		[PackedVector3Array([Vector3(1, 2, 3)]), "19000000 01000000" + floats([1, 2, 3])],
		[PackedColorArray([Color(1, 0, 0)]), "1a000000 01000000" + floats([1, 0, 0, 1])],
	]


static func floats(numbers: PackedFloat32Array) -> String:
	return numbers.to_byte_array().hex_encode()


func id_in(type: int, dialect: VarBatch.Dialect) -> int:
	return _ids[type][OTHERS[dialect]]


func has_place(value: Variant, dialect: VarBatch.Dialect) -> bool:
	var type := typeof(value)
	if type != TYPE_STRING_NAME and id_in(type, dialect) < 0:
		return false
	var parts: Array = value.keys() + value.values() if value is Dictionary else value if value is Array else []
	return Array(parts, TYPE_NIL, &"", null).all(func(part: Variant) -> bool: return has_place(part, dialect))


func as_kept(value: Variant, dialect: VarBatch.Dialect) -> Variant:
	match typeof(value):
		TYPE_STRING_NAME:
			return value if id_in(TYPE_STRING_NAME, dialect) >= 0 else str(value)
		TYPE_RID:
			return RID()
		TYPE_NODE_PATH:
			return ^"" if value == ^"/" else value
		TYPE_DICTIONARY:
			var kept := {}
			for key: Variant in value:
				kept[as_kept(key, dialect)] = as_kept(value[key], dialect)
			return kept
		TYPE_ARRAY:
			var type: int = value.get_typed_builtin()
			var has_type := dialect == PANDEMONIUM and id_in(type, dialect) >= 0
			var elements: Array = value.map(as_kept.bind(dialect))
			return Array(elements, type, value.get_typed_class_name(), null) if has_type else elements
	# A build with single precision keeps components of 32 bits.
	var is_packed := typeof(value) in Values.PACKED_VECTORS
	if not is_packed and not Values.FLOAT_COMPONENTS.has(typeof(value)):
		return value
	var bytes := var_to_bytes(value)
	if bytes.decode_u16(2) == 0:
		return value
	var head := 8 if is_packed else 4
	var single := bytes.slice(0, head)
	single.encode_u16(2, 0)
	for component: float in bytes.slice(head).to_float64_array():
		single.append_array(PackedFloat32Array([component]).to_byte_array())
	return bytes_to_var(single)
