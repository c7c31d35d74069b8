extends "../support/round_trip.gd"
## Every type of the running engine: its row in the table of types, and many values of it, alone; packed arrays of many
## sizes, around those where a copy in blocks, a second thread or another way to allocate may begin; Arrays and Dictionaries.

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
	range(3).map(func(_i: int) -> PackedByteArray: return filled_bytes(length, 0xcd))


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


func test_sizes() -> void:
	for count: int in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 1000, 70_001]:
		check_both_ways(range(count), "array of %d" % count)
		var dictionary := {}
		for i: int in count:
			dictionary["k%d" % i if i % 3 else i] = i * 0.5
		check_both_ways(dictionary, "dictionary of %d" % count)


func test_every_type_inside() -> void:
	for type: int in Values.types():
		var name := type_string(type)
		for value: Variant in [Values.plain(type), Values.of(type)[-1]]:
			check_both_ways([value], "array of %s" % name)
			check_both_ways([1, [[value], value], "end"], "arrays around %s" % name)
			check_both_ways({"k": value, 1: [value]}, "dictionary of %s" % name)
			check_both_ways({value: 1, [value]: 2}, "dictionary with key %s" % name)
	check_both_ways(Values.all(), "array of everything")
	var everything := Values.keyed(Values.all(), func(value: Variant) -> Variant: return value)
	check_both_ways(everything, "dictionary of everything by everything")
	check_both_ways([[everything, Values.all()], everything], "everything twice")


## A key that occurs twice keeps its first place and gets the last value, and bit 31 of a count means
## nothing. No engine writes that.
func test_keys_that_occur_twice_and_shared_flags() -> void:
	var nan := Values.float_from_bits("7ff8000000012345")
	var lists: Array[Array] = [
		[1, 1], ["k", &"k"], [&"k", "k", &"k"], [NAN, nan, -NAN], [0.0, Values.float_from_bits("8000000000000000")],
		[1, 1.0, true, "1"], [null, Engines.null_object()], [[1], [1], [1.0]], [{"a": 1}, {"a": 1}, {&"a": 1}],
		["a", "b", "a", "c", "b"], [Vector2(1, 2), Vector2i(1, 2), Vector2(1, 2)], [^"a:b", ^"a:b", "a:b"],
		[PackedByteArray([1]), PackedByteArray([1]), [1]], ["", &"", ^"", null, false, 0, 0.0, [], {}],
	]
	for keys: Array in lists:
		for front: PackedByteArray in ["1b000000".hex_decode(), Values.u32(TYPE_DICTIONARY)]:
			var bytes := front + Values.u32(keys.size())
			for i: int in keys.size():
				bytes += var_to_bytes(keys[i]) + var_to_bytes("value %d" % i)
			check_from_bytes(bytes, "dictionary of keys %s" % [keys])
	for value: Variant in [[], [1, 2], {}, {1: 2}]:
		var bytes := var_to_bytes(value)
		bytes.encode_u32(4, bytes.decode_u32(4) | 0x80000000)
		check_from_bytes(bytes, "count with bit 31 of %s" % [value])


func test_shared_references() -> void:
	var shared: Array = [1, "two", Vector3(1, 2, 3)]
	var table := {"list": shared}
	check_both_ways([shared, shared, {"a": shared, "b": table, "c": table}], "shared containers")
	var doubled: Variant = [0]
	for i: int in 12:
		doubled = [doubled, {"k": doubled}]
	check_both_ways(doubled, "4096 times the same")
	var bytes := VarBatch.var_to_bytes([shared, shared])
	var found := VarBatch.bytes_to_vars([bytes, bytes])
	found[0][0].append(1)
	for other: Array in [found[0][1], found[1][0], VarBatch.bytes_to_var(bytes)[0]]:
		check_value(other, shared, "another of what was one")


func test_dictionaries_that_changed() -> void:
	var table := {}
	for i: int in 500:
		table["k%d" % i if i % 2 else i] = [i]
		if i % 7 == 6:
			table.erase(i / 2 if (i / 2) % 2 == 0 else "k%d" % (i / 2))
		if i % 50 == 0:
			check_both_ways(table, "a dictionary that shrank and grew")
	for i: int in range(0, 500, 3):
		table.erase(i)
		table[i] = "back"
	check_both_ways(table, "a dictionary of entries that came back")
	check_both_ways(table.duplicate(true), "a copy")
	table.merge({"new": 1, 2: "other"}, true)
	check_both_ways(table, "a merged dictionary")
	table.sort()
	check_both_ways(table, "a sorted dictionary")
	while table.size() > 1:
		table.erase(table.keys()[table.size() / 2])
	check_both_ways(table, "a dictionary with one entry left")
	table.clear()
	check_both_ways(table, "a cleared dictionary")
	table["again"] = 1
	check_both_ways(table, "a dictionary filled again")


func test_large_containers() -> void:
	var texts := range(60_000).map(func(i: int) -> Variant: return "text %d" % i if i % 2 else i)
	var mixed := Values.mixed(6000)
	var row := func(i: int) -> Dictionary: return {"id": i, "name": "row %d" % i, "pos": Vector3(i, 1, 2), "tags": [i, &"x"]}
	var rows := range(6000).map(row)
	var typed: Array[Dictionary] = Array(rows, TYPE_DICTIONARY, &"", null)
	for value: Variant in [texts, rows, typed, mixed, {"a": rows, "b": [mixed]}, [rows, mixed]]:
		var bytes := var_to_bytes(value)
		for count: int in Threads.new([1, 2, 0]):
			check_bytes(VarBatch.var_to_bytes(value), bytes, "large, %d threads" % count)
			check_value(VarBatch.bytes_to_var(bytes), bytes_to_var(bytes), "large, %d threads" % count)
			check_same(VarBatch.vars_to_bytes([value, value]), [bytes, bytes], "two large, %d threads" % count)


func test_read_only() -> void:
	var inner: Array = [1, 2]
	inner.make_read_only()
	var typed: Array[Vector2] = [Vector2(1, 2)]
	typed.make_read_only()
	var table := {"inner": inner, inner: typed}
	table.make_read_only()
	for value: Variant in [inner, typed, table, [table, inner], {table: inner}]:
		check_both_ways(value, "read-only containers")
	var found: Dictionary = VarBatch.bytes_to_var(VarBatch.var_to_bytes(table))
	check(not found.is_read_only(), "a read-only dictionary comes back read-only")
	found["new"] = 1
	check(not (found["inner"] as Array).is_read_only(), "a read-only array comes back read-only")
