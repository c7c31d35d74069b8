extends "../support/suite.gd"
## The table of types against the running engine's own types.

const Values := preload("../support/values.gd")

## What a row has. The ids in other engines are in engines/dialects.gd.
const COLUMNS: PackedStringArray = [
	"type", "name", "wire", "godot_3", "pandemonium", "pandemonium_3_8", "pandemonium_3_5"
]


func test_one_row_a_type_in_order_of_id() -> void:
	var table := VarBatch.get_type_table()
	check_int(table.size(), TYPE_MAX, "rows of the type table")
	for i: int in table.size():
		check_value(table[i].get("type"), i, "type of row %d" % i)


func test_names_are_the_engines() -> void:
	var table := VarBatch.get_type_table()
	check(not table.is_empty(), "the type table is empty")
	for row: Dictionary in table:
		var type: int = row.get("type", TYPE_MAX)
		check_value(row.get("name"), type_string(type), "name of type %d" % type)


func test_rows_tell_the_wire_shape() -> void:
	var table := VarBatch.get_type_table()
	check(not table.is_empty(), "the type table is empty")
	for row: Dictionary in table:
		var wire: Variant = row.get("wire")
		check(wire is String and not str(wire).is_empty(), "row has no wire shape: %s" % row)
		check(PackedStringArray(row.keys()) == COLUMNS, "columns of row %s" % row)


func test_the_table_is_a_copy() -> void:
	var table := VarBatch.get_type_table()
	table[TYPE_INT].clear()
	table.clear()
	var again := VarBatch.get_type_table()
	check_int(again.size(), TYPE_MAX, "rows after a caller cleared its copy")
	check_value(again[TYPE_INT].get("name"), "int", "name in a row that a caller cleared")


func test_first_byte_is_the_type_id() -> void:
	for type: int in Values.types():
		var value: Variant = Values.plain(type)
		check_int(typeof(value), type, "type of the plain value")
		var bytes := VarBatch.var_to_bytes(value)
		check_bytes(bytes, var_to_bytes(value), "plain %s" % type_string(type))
		if not bytes.is_empty():
			check_int(bytes[0], type, "first byte of %s" % type_string(type))


func test_every_type_has_values() -> void:
	for type: int in Values.types():
		var values := Values.of(type)
		check(not values.is_empty(), "no values of type %s" % type_string(type))
		for value: Variant in values:
			check_int(typeof(value), type, "type of a value of %s" % type_string(type))
