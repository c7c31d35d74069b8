extends "../support/round_trip.gd"
## Every type of the running engine: its row in the table of types, and many values of it, alone; packed arrays of many
## sizes, around those where a copy in blocks, a second thread or another way to allocate may begin.

## What a row has, here that of Color. All ids in other engines: dialects.rs of the codec's tests.
const COLOR: Dictionary[String, Variant] = {
	"type": TYPE_COLOR, "name": "Color", "wire": "", "godot_3": 14, "pandemonium": 20, "pandemonium_3_8": 20,
	"pandemonium_3_5": 17,
}
const COUNTS: PackedInt32Array = [0, 1, 2, 3, 5, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 4097, 65537, 1_000_003]


func test_the_table_of_types() -> void:
	var table := VarBatch.get_type_table()
	check_int(table.size(), TYPE_MAX, "rows of the type table")
	for type: int in table.size():
		var row := table[type]
		check(row.keys() == COLOR.keys(), "columns of row %s" % row)
		check_value(row.get("type"), type, "type of row %d" % type)
		check_value(row.get("name"), type_string(type), "name of type %d" % type)
		check(row.get("wire") is String and row.wire != "", "row has no wire shape: %s" % row)
	var ids := COLOR.keys().slice(3)
	check(ids.all(func(id: String) -> bool: return table[TYPE_COLOR][id] == COLOR[id]), "ids")
	check_value(table[TYPE_CALLABLE].godot_3, -1, "the id of a type that Godot 3 has not")
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


func test_packed_arrays_of_every_size() -> void:
	for type: int in range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		for count: int in COUNTS:
			check_both_ways(Packed.make(type, count), "%s of %d" % [type_string(type), count])


## Every byte length modulo the padding. Texts of every length are in strings.gd.
func test_every_length_of_bytes() -> void:
	for length: int in 140:
		check_both_ways(Packed.make(TYPE_PACKED_BYTE_ARRAY, length), "%d bytes" % length)


## The padding is zero even where the memory was used before: it is filled and freed first.
func test_padding_in_used_memory() -> void:
	for length: int in [1, 2, 3, 1021, 1022, 65533, 65534, 65535, 100_001, 1_000_001]:
		var texts := PackedStringArray(["x".repeat(length), "y"])
		for value: Variant in [Packed.make(TYPE_PACKED_BYTE_ARRAY, length), texts]:
			var bytes := var_to_bytes(value)
			for i: int in 4:
				_fill_and_free(bytes.size())
				check_bytes(VarBatch.var_to_bytes(value), bytes, "single value of %d" % length)
				_fill_and_free(bytes.size())
				check_bytes(VarBatch.vars_to_bytes([value])[0], bytes, "batch of %d" % length)
				_fill_and_free(bytes.size() + 4)
				check_bytes(VarBatch.vars_to_frames([value]), frame(bytes), "frame of %d" % length)


func _fill_and_free(length: int) -> void:
	var used: Array[PackedByteArray] = []
	for i: int in 3:
		used.append(filled_bytes(length, 0xcd))


## What says why a path is slow is right where that is known.
func test_diagnostics() -> void:
	var found := VarBatch.get_diagnostics()
	var keys := ["version", "engine", "system", "threads", "engine_memory", "huge_pages", "text"]
	check_value(found.keys(), keys, "keys")
	check_value([found.version, found.threads], [VarBatch.get_version(), VarBatch.get_thread_count()], "version")
	var info := Engine.get_version_info()
	var engine := "%d.%d.%d" % [info.major, info.minor, info.patch]
	check(engine in found.engine or info.patch == 0, "engine: " + found.engine)
	for path: String in ["engine_memory", "huge_pages"]:
		check(found[path] == "used" or (found[path] as String).begins_with("not used, as "), found[path] as String)
	var is_read: bool = info.minor in [6, 7] and (not tells_of_files or OS.has_feature("web"))
	check_value(found.engine_memory == "used", is_read, found.engine_memory as String)
