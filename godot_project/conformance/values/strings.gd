extends "../support/round_trip.gd"
## Text wherever values have it, both ways: every length around blocks of bytes, every code point,
## byte order marks, and what the engine writes but cannot read.

## Letters of one to four bytes.
const LETTERS: PackedStringArray = ["a", "é", "日", "😀"]
const LONG := 100_000


## A longer letter at the start, at the end, at one place and at every place.
func test_every_length() -> void:
	var alphabet := "The quick brown fox jumps over the lazy dog. 0123456789\t\n".repeat(6)
	for length: int in 301:
		_check_text(alphabet.left(length), "%d letters" % length)
		var text := "x".repeat(length)
		for letter: String in LETTERS.slice(1):
			_check_text(letter + text, "%s before %d letters" % [letter, length])
			_check_text(text + letter, "%s behind %d letters" % [letter, length])
			_check_text(text.insert(length * 7 % (length + 1), letter), "%s in %d letters" % [letter, length])
		if length <= 100:
			_check_text("aé日😀".repeat(26).left(length), "%d letters of all lengths" % length)
			_check_text("日".repeat(length), "%d wide letters" % length)


## Every code point but surrogates and NUL, in texts of 4096.
func test_every_code_point() -> void:
	var texts: Array = []
	for first: int in range(0, 0x110000, 4096):
		if first >= 0xd800 and first < 0xe000:
			continue
		var points := PackedInt32Array(range(maxi(first, 1), first + 4096))
		if first == 0xd000:
			points.resize(0x800)
		texts.append(points.to_byte_array().get_string_from_utf32())
	var found := VarBatch.vars_to_bytes(texts)
	check_same(found, Values.engine_bytes(texts), "texts of all code points")
	check_same(VarBatch.bytes_to_vars(found), texts, "texts of all code points")


func test_random_and_long_texts() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 31415
	var texts := Generator.RandomText.new(random)
	for i: int in part_of(5000):
		_check_text(texts.of_length(random.randi_range(0, 200)), "random text %d" % i)
	for letter: String in LETTERS:
		_check_text(letter.repeat(LONG), "%d times %s" % [LONG, letter])
	_check_text("aé日😀".repeat(LONG), "long mixed text")
	_check_text("a".repeat(LONG) + "é", "é far behind")


## The mark is written, but not read: text that starts with it comes back without.
func test_byte_order_marks() -> void:
	for text: String in ["\ufeff", "\ufeffa", "\ufeff\ufeffa", "a\ufeff", "\ufeff日"]:
		_check_text(text, "text with a byte order mark")
	check_value(VarBatch.bytes_to_var(var_to_bytes("\ufeffa")), "a", "read without the mark")


func test_node_paths() -> void:
	ignores_rest = true
	var names := PackedStringArray(["", "a", "/", "a/b", ":", "a:b", "..", "%x", "日本", "\ufeffa"])
	for name: String in names:
		for other: String in names:
			for flags: int in 4:
				for counts: Vector2i in [Vector2i(2, 0), Vector2i(1, 1), Vector2i(0, 2)]:
					var bytes := _path_bytes(counts, flags, [name, other, "more"])
					check_from_bytes(bytes, "path of '%s', '%s', flags %d" % [name, other, flags])
					check_both_ways(bytes_to_var(bytes), "path of '%s', '%s'" % [name, other])
	# Counts of names that wrap around as unsigned 32-bit numbers.
	for counts: Vector2i in [Vector2i(1, -1), Vector2i(3, -1), Vector2i(2, -2), Vector2i(4, -2)]:
		for flags: int in 4:
			check_from_bytes(_path_bytes(counts, flags, ["a", "b", "c", "d"]), "path of counts %s" % counts)


func test_signals() -> void:
	for name: String in ["", "a", "日本😀", "with space", "\ufeffa", "x".repeat(301)]:
		for id: int in [0, 1, -1, 0x123456789abcdef]:
			var bytes := Values.header(TYPE_SIGNAL) + var_to_bytes(name).slice(4)
			bytes += var_to_bytes(rid_from_int64(id)).slice(4)
			check_from_bytes(bytes, "Signal '%s' of object %d" % [name.left(9), id])
			check_both_ways(bytes_to_var(bytes), "Signal '%s'" % name.left(9))


## Half a surrogate pair is written as three bytes, and refused on the way back. Code points beyond
## Unicode: text_kernels.rs of the codec's tests.
func test_lone_surrogates() -> void:
	for hex: String in ["00d8", "ffdb", "00dc", "ffdf"]:
		var text: String = quietly(("6100" + hex + "6200").hex_decode().get_string_from_utf16)
		if text.length() != 3 or text.unicode_at(1) < 0xd800 or text.unicode_at(1) > 0xdfff:
			continue  # the engine made something else of it
		for value: Variant in [text, StringName(text), PackedStringArray([text]), NodePath(text)]:
			var bytes := var_to_bytes(value)
			check_to_bytes(value, bytes, "%s with %s" % [type_string(typeof(value)), hex])
			check(not quietly(bytes.has_encoded_var.bind(0, false)), "the engine reads it")
			check_call(&"bytes_to_var", [bytes], null, ["expected UTF-8..."])


func _check_text(text: String, what: String) -> void:
	check_both_ways(text, what)
	check_both_ways(StringName(text), "name of " + what)
	check_both_ways([text, {text: PackedStringArray([text, "", text])}], "inside, " + what)


## [param counts] are of names and of subnames.
func _path_bytes(counts: Vector2i, flags: int, parts: PackedStringArray) -> PackedByteArray:
	var bytes := Values.header(TYPE_NODE_PATH) + Values.u32(counts.x | 0x80000000)
	bytes += Values.u32(counts.y & 0xffffffff) + Values.u32(flags)
	for part: String in parts:
		bytes += var_to_bytes(part).slice(4)
	return bytes
