extends "../support/round_trip.gd"
## Every type of the running engine: its row in the table of types, and many values of it, alone.

## What a row has. The ids in other engines are in engines/dialects.gd.
const COLUMNS: PackedStringArray = [
	"type", "name", "wire", "godot_3", "pandemonium", "pandemonium_3_8", "pandemonium_3_5"
]


func test_the_table_of_types() -> void:
	var table := VarBatch.get_type_table()
	check_int(table.size(), TYPE_MAX, "rows of the type table")
	for type: int in table.size():
		var row := table[type]
		check(PackedStringArray(row.keys()) == COLUMNS, "columns of row %s" % row)
		check_value(row.get("type"), type, "type of row %d" % type)
		check_value(row.get("name"), type_string(type), "name of type %d" % type)
		check(row.get("wire") is String and row.wire != "", "row has no wire shape: %s" % row)
	# It is the caller's.
	table[TYPE_INT].clear()
	table.clear()
	var again := VarBatch.get_type_table()
	check_int(again.size(), TYPE_MAX, "rows after a caller cleared its copy")
	check_value(again[TYPE_INT].get("name"), "int", "name in a row that a caller cleared")


func test_every_value_of_every_type() -> void:
	for type: int in Values.types():
		var name := type_string(type)
		var values := Values.of(type)
		check(not values.is_empty(), "no values of type %s" % name)
		values.append(Values.plain(type))
		check_int(VarBatch.var_to_bytes(values[-1])[0], type, "first byte of %s" % name)
		for i: int in values.size():
			check_int(typeof(values[i]), type, "type of a value of %s" % name)
			check_both_ways(values[i], "%s %d" % [name, i])
			# Whether objects are meant must not matter to anything else.
			if not type in [TYPE_OBJECT, TYPE_ARRAY, TYPE_DICTIONARY] and i % 8 == 0:
				check_both_ways(values[i], name, true)
