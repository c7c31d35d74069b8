extends "../support/round_trip.gd"
## Text wherever values have it, both ways. Arrays of so many strings that several threads work on them: to bytes from
## 100,000 strings on, from bytes from 512 KiB on, there in the release template only.

## Letters of one to four bytes.
const LETTERS: PackedStringArray = ["a", "é", "日", "😀"]
const LONG := 100_000
const MANY := 120_000
const MANY_THREADS: PackedInt32Array = [1, 2, 3, 8]
## Around the count from which on threads take part, and one that no number of runs divides.
const EDGES: PackedInt32Array = [99_999, 100_000, 100_001, 131_071]


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
	var random := Values.seeded(31415)
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
					var bytes := Values.node_path(counts, flags, [name, other, "more"])
					check_from_bytes(bytes, "path of '%s', '%s', flags %d" % [name, other, flags])
					check_both_ways(bytes_to_var(bytes), "path of '%s', '%s'" % [name, other])
	# Counts of names that wrap around as unsigned 32-bit numbers.
	for counts: Vector2i in [Vector2i(1, -1), Vector2i(3, -1), Vector2i(2, -2), Vector2i(4, -2)]:
		for flags: int in 4:
			check_from_bytes(Values.node_path(counts, flags, ["a", "b", "c", "d"]), "path of counts %s" % counts)


func test_signals() -> void:
	for name: String in ["", "a", "日本😀", "with space", "\ufeffa", "x".repeat(301)]:
		for id: int in [0, 1, -1, 0x123456789abcdef]:
			var bytes := Values.header(TYPE_SIGNAL) + var_to_bytes(name).slice(4) + Values.id_bytes(id).slice(4)
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


## In an Array, beside other values, and in one that is itself built over threads. One text may be
## more than all others together: it is in a run of its own, or makes its run late.
func test_texts_by_threads() -> void:
	for count: int in EDGES:
		_check_by_threads(Packed.make(TYPE_PACKED_STRING_ARRAY, count), "%d texts" % count)
	_check_by_threads(PackedStringArray(filled(MANY, "")), "empty texts")
	for at: int in [0, MANY / 2, MANY - 1]:
		var texts: PackedStringArray = Packed.make(TYPE_PACKED_STRING_ARRAY, MANY)
		texts[at] = "aé日😀".repeat(500_000)
		_check_by_threads(texts, "a huge text at %d" % at)
	var texts := _texts()
	_check_by_threads(texts, "mixed texts")
	_check_by_threads([1, texts, {"k": texts}, "end"], "texts in an Array")
	var many := range(2000).map(func(i: int) -> Dictionary: return {"i": i, "texts": texts.slice(i, i + 3)})
	many[7] = texts
	many[1999] = [texts]
	_check_by_threads(many, "texts in a large Array")


## What does not come from Unicode is written by the engine's rules on any thread.
func test_lone_surrogates_in_many() -> void:
	var texts: PackedStringArray = Packed.make(TYPE_PACKED_STRING_ARRAY, MANY)
	for at: int in [0, 12_345, MANY - 1]:
		texts[at] = quietly("610000dc6200".hex_decode().get_string_from_utf16)
	var expected := var_to_bytes(texts)
	for count: int in by_threads(MANY_THREADS):
		check_bytes(VarBatch.var_to_bytes(texts), expected, "%d threads" % count)


func test_texts_live_on() -> void:
	for count: int in by_threads(MANY_THREADS):
		var bytes := var_to_bytes(_texts())
		var found: PackedStringArray = VarBatch.bytes_to_var(bytes)
		var expected: PackedStringArray = bytes_to_var(bytes)
		var shared := found.duplicate()
		for texts: PackedStringArray in [found, expected]:
			for at: int in range(0, MANY, 997):
				texts[at] += "日本"
				texts[at] = texts[at].insert(1, "é").to_upper()
			texts.append_array(["behind", ""])
			texts.remove_at(3)
			texts.sort()
		check_value(found, expected, "changed texts, %d threads" % count)
		check_value(shared, bytes_to_var(bytes), "the other array, %d threads" % count)


func test_malformed() -> void:
	var texts := _texts()
	var good := var_to_bytes(texts)
	var ends := _offsets(texts)
	var early := ends[10] + 4
	var late := ends[MANY - 10] + 4
	for places: PackedInt32Array in [[early], [late], [early, late], [early, ends[MANY / 2] + 4, late]]:
		var bytes := good.duplicate()
		for at: int in places:
			bytes[at] = 0xff
		_check_refused(bytes, "found byte 0xff, at byte %d" % places[0])
		# A length that goes beyond the end: behind them, and between.
		bytes.encode_u32(ends[MANY - 5], 0x7fffffff)
		_check_refused(bytes, "found byte 0xff, at byte %d" % places[0])
		bytes.encode_u32(ends[5], 0xffffffff)
		_check_refused(bytes, "at byte %d" % ends[5])
	for at: int in [0, 1, MANY / 2, MANY - 1]:
		for length: int in [0x7fffffff, 0xffffffff, good.size()]:
			var bytes := good.duplicate()
			bytes.encode_u32(ends[at], length)
			_check_refused(bytes, "element %d of %d" % [at, MANY])
	for length: int in [good.size() - 1, good.size() - 4, good.size() / 2, good.size() / 2 + 1]:
		_check_refused(good.slice(0, length), " at byte ")


func test_malformed_in_an_array() -> void:
	var part := var_to_bytes(_texts())
	for place: int in [0, 7]:
		var bytes := Values.header(TYPE_ARRAY) + Values.u32(20)
		for i: int in 20:
			bytes.append_array(part)
			if i in [place, 12, 19]:
				bytes[16 - part.size() + bytes.size()] = 0xfe
		_check_refused(bytes, " inside [%d]" % place)


## null, and one line that says what validate() says, by any number of threads.
func _check_refused(bytes: PackedByteArray, must_contain: String) -> void:
	var reason := VarBatch.validate([bytes])[0]
	check(must_contain in reason, "expected '%s', validate gives '%s'" % [must_contain, reason])
	for count: int in by_threads(MANY_THREADS):
		check_call(&"bytes_to_var", [bytes], null, [reason])
		check_call(&"bytes_to_vars", [[bytes, bytes]], [null, null], ["buffer 0: " + reason, "buffer 1: " + reason])


func _check_by_threads(value: Variant, what: String) -> void:
	var expected := var_to_bytes(value)
	var frames := frame(expected) + frame(expected)
	var again: Variant = bytes_to_var(expected)
	for count: int in by_threads(MANY_THREADS):
		var shown := "%s, %d threads" % [what, count]
		check_bytes(VarBatch.var_to_bytes(value), expected, shown)
		check_bytes(VarBatch.vars_to_frames([value, value]), frames, "frames of " + shown)
		check_bytes(VarBatch.vars_to_bytes([1, value])[1], expected, "one of two, " + shown)
		# As `check_value`, in less time: texts are what they equal.
		check(VarBatch.bytes_to_var(expected) == again, "back, " + shown)
		check(VarBatch.bytes_to_vars([expected, expected]) == [again, again], "each, " + shown)
	check_value(VarBatch.bytes_to_var(expected), again, "back, " + what)


static func _texts() -> PackedStringArray:
	var texts: PackedStringArray = Packed.make(TYPE_PACKED_STRING_ARRAY, MANY)
	for at: int in range(0, MANY, 5000):
		texts[at + 3] = "é".repeat(at / 10) + "x"
		texts[at + 4] = ""
	# Those whose bytes tests change.
	for at: int in [0, 1, 5, 10, MANY / 2, MANY - 10, MANY - 5, MANY - 1]:
		texts[at] = "abcdefgh"
	return texts


static func _offsets(texts: PackedStringArray) -> PackedInt32Array:
	var offsets := PackedInt32Array()
	var at := 8
	for text: String in texts:
		offsets.append(at)
		at += 4 + (text.to_utf8_buffer().size() + 1 + 3) / 4 * 4
	return offsets
