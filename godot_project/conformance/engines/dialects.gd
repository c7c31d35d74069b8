extends "dialects_base.gd"
## Values of other engines, one by one: read, written, and translated on the bytes alone.

const Generator := preload("../support/generator.gd")

const TWO_MARKS := "efbbbfefbbbf"

## The ids of Godot 3, of Pandemonium from 5.0, 3.8 and 3.5 on, by type; "-" for none.
const IDS: Dictionary[String, String] = {
	"godot_3":
	(
		"0 1 2 3 4 5 - 6 - 7 - 8 - - 9 10 11 12 13 - 14 - 15 16 17 - -"
		+ " 18 19 20 21 - 22 - 23 24 25 26 -"
	),
	"pandemonium":
	(
		"0 1 2 3 4 7 8 5 6 9 10 18 11 12 13 14 15 16 17 19 20 24 21 22 23 - -"
		+ " 25 26 29 30 - 31 - 32 33 35 39 37"
	),
	"pandemonium_3_8":
	(
		"0 1 2 3 4 7 8 5 6 9 10 18 11 12 13 14 15 16 17 19 20 24 21 22 23 - -"
		+ " 25 26 27 28 - 29 - 30 31 33 37 35"
	),
	"pandemonium_3_5":
	(
		"0 1 2 3 4 5 6 7 8 9 10 11 - - 12 13 14 15 16 - 17 21 18 19 20 - -"
		+ " 22 23 24 25 - 26 - 27 28 30 32 -"
	),
}


func test_the_table_has_all_ids() -> void:
	for column: String in IDS:
		var ids := IDS[column].split(" ")
		check_int(ids.size(), TYPE_MAX, "ids of " + column)
		for row: Dictionary in VarBatch.get_type_table():
			var id := ids[row.type as int]
			var expected := -1 if id == "-" else int(id)
			check_value(row.get(column), expected, "%s of %s" % [column, row.name])


func test_numbers_of_dialects() -> void:
	check_int(GODOT_4, 0, "DIALECT_GODOT_4")
	check_int(GODOT_3, 1, "DIALECT_GODOT_3")
	check_int(PANDEMONIUM, 2, "DIALECT_PANDEMONIUM")
	check_int(VarBatch.DIALECT_PANDEMONIUM_3_8, 3, "DIALECT_PANDEMONIUM_3_8")
	check_int(VarBatch.Dialect.DIALECT_PANDEMONIUM_3_5, 4, "DIALECT_PANDEMONIUM_3_5")


func test_godot_3_by_hand() -> void:
	for pair: Array in godot_3_values():
		var bytes := bytes_of(pair[1] as String)
		var what: String = pair[1]
		check_value(VarBatch.bytes_to_var_in(bytes, GODOT_3), pair[0], "reading " + what)
		check_bytes(VarBatch.var_to_bytes_in(pair[0], GODOT_3), bytes, "writing " + what)
		var here := VarBatch.transcode(bytes, GODOT_3, GODOT_4)
		check_bytes(here, var_to_bytes(pair[0]), "translating " + what)
		check_value(bytes_to_var(here), pair[0], "what the engine reads of " + what)
		check_bytes(VarBatch.transcode(here, GODOT_4, GODOT_3), bytes, "back, " + what)
		check_bytes(VarBatch.transcode(bytes, GODOT_3, GODOT_3), bytes, "as it is, " + what)
		for other: VarBatch.Dialect in OTHERS:
			var there := VarBatch.transcode(bytes, GODOT_3, other)
			check_bytes(
				VarBatch.transcode(there, other, GODOT_3), bytes, "by way of others, " + what
			)


## What Godot 3 reads, or older ones wrote, but 3.6 writes otherwise.
func test_godot_3_one_way() -> void:
	var live := VarBatch.bytes_to_var_in(bytes_of("11000100 67452301 00000000"), GODOT_3) as Object
	check_value(live.get_class(), "EncodedObjectAsID", "class of what stands for an id")
	check_value(live.get("object_id"), 0x1234567, "id of an object")
	for pair: Array in [
		[5, "02000100 05000000 00000000"],  # as 3.0 wrote it
		[null, "11000100 00000000 00000000"],  # null objects, as 3.1 wrote them
		[[null], "13000000 01000000 11000100 00000000 00000000"],
		[true, "01ff0000 00000001"],
		[[7], "13000000 01000080 02000000 07000000"],  # the shared bit in the count
		[{7: null}, "12000000 01000080 02000000 07000000 00000000"],
		["😀", "04000000 06000000 eda0bded b8800000"],  # a pair of surrogates, as 3.4 wrote it
		["/", "04000000 03000000 e080af00"],  # three bytes where one would do
		["a", "04000000 04000000 efbbbf61"],  # with a byte-order mark
		[^"a:b", "0f000000 01000080 00000000 02000000 01000000 61ffffff 01000000 62eeeeee"],
		[PackedByteArray([255]), "14000000 01000000 ff"],  # without padding
		[PackedStringArray(["a"]), "17000000 01000000 01000000 61000000"],  # without a NUL
		[PackedStringArray(), "17000000 ffffffff"],
		[Vector2(1, 2), "05000100 0000803f 00000040"],  # a flag that it does not know
	]:
		var bytes := bytes_of(pair[1] as String)
		check_value(VarBatch.bytes_to_var_in(bytes, GODOT_3), pair[0], "reading %s" % pair[1])
		var here := VarBatch.transcode(bytes, GODOT_3, GODOT_4)
		check_value(bytes_to_var(here), bytes_to_var(var_to_bytes(pair[0])), "of %s" % pair[1])


## What follows a value is not looked at, but who translates it may want to know that it is gone.
func test_bytes_behind_a_value() -> void:
	var bytes := bytes_of("02000000 07000000 09")
	check_value(VarBatch.bytes_to_var_in(bytes, GODOT_3), 7, "a value with a byte behind it")
	var rest := (
		WARNING
		+ "VarBatch.transcode: 1 value was followed by bytes that are none of its, at byte 8"
	)
	var translate := func() -> PackedByteArray: return VarBatch.transcode(bytes, GODOT_3, GODOT_4)
	var here: Variant = expect_lines(translate, PackedStringArray([rest]))
	check_value(here, var_to_bytes(7), "the value alone")


## Components of builds with double precision, where 32 bits hold them and where they do not.
func test_components_of_64_bits() -> void:
	var rounded := "1 value was rounded to 32 bits, at byte 0"
	var infinite := "1 value is too large for 32 bits and became infinite, at byte 0"
	for row: Array in [
		[1.5, -2.0, "0000c03f 000000c0", ""],
		[INF, -INF, "0000807f 000080ff", ""],
		[0.25, 1e31, "0000803e 7c6ffc72", rounded],
		[0.1, 1e-300, "cdcccc3d 00000000", rounded],
		[1e39, 0.1, "0000807f cdcccc3d", infinite],
		[0.1, -1e300, "cdcccc3d 000080ff", infinite],
	]:
		var components := PackedFloat64Array([row[0], row[1]])
		var here := bytes_of("05000100") + components.to_byte_array()
		var there := bytes_of("05000000" + (row[2] as String))
		var said := "%sVarBatch.%s: %s" % [WARNING, "%s", row[3]]
		var translate := func() -> Variant: return VarBatch.transcode(here, GODOT_4, GODOT_3)
		var lines := PackedStringArray([said % "transcode"] if row[3] else [])
		check_value(expect_lines(translate, lines), there, "%s translated" % components)
		if OS.has_feature("double"):
			var value := Vector2(components[0], components[1])
			var write := func() -> Variant: return VarBatch.var_to_bytes_in(value, GODOT_3)
			lines = PackedStringArray([said % "var_to_bytes_in"] if row[3] else [])
			check_value(expect_lines(write, lines), there, "%s written" % components)


func test_pandemonium_by_hand() -> void:
	var ints: Array[int] = [7, -1]
	var classes: Array[Resource] = []
	var vectors: Array[Vector2i] = [Vector2i(1, -1), Vector2i(2, 3)]
	var arrays: Array[Array] = [ints]
	for pair: Array in [
		[Vector2(1, 2), "07000000 0000803f 00000040"],
		[Vector2i(1, -1), "08000000 01000000 ffffffff"],
		[Vector4i(1, 2, 3, 4), "0c000000 01000000 02000000 03000000 04000000"],
		[&"name", "18000000 04000000 6e616d65"],
		[
			PackedVector4Array([Vector4(1, 2, 3, 3)]),
			"25000000 01000000 0000803f 00000040 00004040 00004040"
		],
		# The type of the elements, their count, the elements.
		[ints, "1b000000 02000000 02000000 02000000 07000000 02000000 ffffffff"],
		# Typed Arrays are of a type of their own.
		[
			arrays,
			(
				"1b000000 1b000000 01000000 1b000000 02000000 02000000 02000000 07000000 02000000"
				+ " ffffffff"
			)
		],
		# Objects whole: then the name of their class follows the type, as a StringName.
		[classes, "1b000000 17000000 18000000 08000000 5265736f 75726365 00000000"],
		[[null, {}], "1a000000 02000000 00000000 19000000 00000000"],
	]:
		var bytes := bytes_of(pair[1] as String)
		check_value(
			VarBatch.bytes_to_var_in(bytes, PANDEMONIUM, true), pair[0], "reading %s" % pair[1]
		)
		var written := VarBatch.var_to_bytes_in(pair[0], PANDEMONIUM, true)
		check_bytes(written, bytes, "writing %s" % pair[1])
	for pair: Array in [
		[ints, "1c000000 02000000 02000000 02000000 07000000 02000000 ffffffff"],  # the packed form
		[vectors, "22000000 02000000 01000000 ffffffff 02000000 03000000"],  # without headers
		[[1.0], "1a000000 01000000 03000000 0000803f"],
	]:
		var bytes := bytes_of(pair[1] as String)
		check_value(VarBatch.bytes_to_var_in(bytes, PANDEMONIUM), pair[0], "reading %s" % pair[1])
		var here := VarBatch.transcode(bytes, PANDEMONIUM, GODOT_4)
		check_bytes(here, var_to_bytes(pair[0]), "translating %s" % pair[1])


## A value that the other engine has comes back, with a warning at most. Any other is one error.
func test_every_value() -> void:
	for value: Variant in Values.all():
		_check_value(value, "a %s" % type_string(typeof(value)))


func test_random_values() -> void:
	var generator := Generator.new(271_828)
	for i: int in part_of(3000):
		_check_value(generator.value(), "random value %d" % i)


## Whatever the bytes are: what is translated is a value to the engine, and describe() has the same
## opinion.
func test_damaged_bytes() -> void:
	var generator := Generator.new(577_215)
	var whole := PackedByteArray()
	for pair: Array in godot_3_values():
		whole.append_array(bytes_of(pair[1] as String))
	var good := 0
	for i: int in part_of(20_000):
		var at := generator.random.randi_range(0, whole.size() / 4 - 2) * 4
		var bytes := whole.slice(at, at + 160)
		for change: int in generator.random.randi_range(0, 2):
			bytes[generator.random.randi() % mini(bytes.size(), 24)] = generator.random.randi()
		var from: VarBatch.Dialect = OTHERS.keys()[i % OTHERS.size()]
		var there := _transcoded(bytes, from, GODOT_4)
		var tree := VarBatch.describe(bytes, from)
		var shown := "%s of dialect %d" % [bytes.hex_encode(), from]
		check(tree.has("error") == there.is_empty(), "%s: described as %s" % [shown, tree])
		if not there.is_empty():
			good += 1
			var reason := VarBatch.validate([there])[0]
			var is_value: bool = quietly(there.has_encoded_var.bind(0))
			check(is_value == reason.is_empty(), "%s: the engine differs: %s" % [shown, reason])
			check(is_value or "expected no object" in reason, "%s: no value: %s" % [shown, reason])
	check(good > 0, "none of them was good")


func test_large_values() -> void:
	var count := VarBatch.get_thread_count()
	var bytes := PackedByteArray()
	bytes.resize(20 << 20)
	for i: int in range(0, bytes.size(), 4099):
		bytes[i] = i
	var value := {"bytes": bytes, "list": range(50_000), "text": "日本語😀".repeat(50_000)}
	var there := PackedByteArray()
	for threads: int in [1, 2, 3]:
		VarBatch.set_thread_count(threads)
		there = VarBatch.var_to_bytes_in(value, GODOT_3)
		check_value(VarBatch.bytes_to_var_in(there, GODOT_3), value, "large, %d threads" % threads)
		check_bytes(VarBatch.transcode(there, GODOT_3, GODOT_4), var_to_bytes(value), "translated")
	VarBatch.set_thread_count(count)


func test_from_many_threads() -> void:
	var pairs := godot_3_values()
	var bad: Array[int] = []
	var mutex := Mutex.new()
	var work := func(i: int) -> void:
		for round_number: int in 50:
			var pair: Array = pairs[(i + round_number) % pairs.size()]
			var bytes := bytes_of(pair[1] as String)
			var is_same := VarBatch.var_to_bytes_in(pair[0], GODOT_3) == bytes
			is_same = (
				is_same and VarBatch.transcode(bytes, GODOT_3, GODOT_4) == var_to_bytes(pair[0])
			)
			is_same = is_same and VarBatch.bytes_to_var_in(bytes, GODOT_3) == pair[0]
			if not is_same or VarBatch.describe(bytes, GODOT_3).size != bytes.size():
				mutex.lock()
				bad.append(i)
				mutex.unlock()
	var task := WorkerThreadPool.add_group_task(work, 64)
	WorkerThreadPool.wait_for_group_task_completion(task)
	check(bad.is_empty(), "wrong on threads: %s" % [bad])


func _check_value(value: Variant, what: String) -> void:
	var here := var_to_bytes(value)
	# Each reading costs a text the byte-order mark in front, so that of two the way there and back
	# leaves none.
	if TWO_MARKS in here.hex_encode():
		return
	for dialect: VarBatch.Dialect in OTHERS:
		var shown := "%s in %s" % [what, OTHERS[dialect]]
		var found: Array[PackedByteArray] = []
		# Freed objects are among them, which a lambda must not hold itself.
		var values: Array = [value]
		var write := func() -> void: found.append(VarBatch.var_to_bytes_in(values[0], dialect))
		var lines := logged(write)
		if not has_place(value, dialect):
			check_int(lines.size(), 1, "lines of " + shown)
			check("VarBatch.var_to_bytes_in: expected a type that " in lines[0], str(lines))
			check(found[0].is_empty(), "%s has bytes" % shown)
			continue
		for line: String in lines:
			check(line.begins_with(WARNING + "VarBatch.var_to_bytes_in: "), line)
		check(not found[0].is_empty(), "%s has no bytes" % shown)
		check_bytes(_transcoded(here, GODOT_4, dialect), found[0], "translated, " + shown)
		var expected: Variant = as_kept(bytes_to_var(here), dialect)
		check_value(VarBatch.bytes_to_var_in(found[0], dialect), expected, shown)
		var back := VarBatch.transcode(found[0], dialect, GODOT_4)
		check_value(bytes_to_var(back), expected, "as the engine reads it, " + shown)


## Without the lines about what is lost.
func _transcoded(
	bytes: PackedByteArray, from: VarBatch.Dialect, to: VarBatch.Dialect
) -> PackedByteArray:
	return quietly(func() -> PackedByteArray: return VarBatch.transcode(bytes, from, to))
