extends "../support/round_trip.gd"
## Arrays of so many strings that several threads work on them: to bytes from 100,000 strings on,
## from bytes from 512 KiB on, there in the release template only.

const COUNT := 120_000
const THREADS: PackedInt32Array = [1, 2, 3, 8]
## Around the count from which on threads take part, and one that no number of runs divides.
const EDGES: PackedInt32Array = [99_999, 100_000, 100_001, 131_071]


## In an Array, beside other values, and in one that is itself built over threads. One text may be
## more than all others together: it is in a run of its own, or makes its run late.
func test_texts_by_threads() -> void:
	for count: int in EDGES:
		_check_by_threads(Packed.make(TYPE_PACKED_STRING_ARRAY, count), "%d texts" % count)
	_check_by_threads(PackedStringArray(filled(COUNT, "")), "empty texts")
	for at: int in [0, COUNT / 2, COUNT - 1]:
		var texts: PackedStringArray = Packed.make(TYPE_PACKED_STRING_ARRAY, COUNT)
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
func test_lone_surrogates() -> void:
	var texts: PackedStringArray = Packed.make(TYPE_PACKED_STRING_ARRAY, COUNT)
	for at: int in [0, 12_345, COUNT - 1]:
		texts[at] = quietly(Engines.lone_surrogate)
	var expected := var_to_bytes(texts)
	for count: int in by_threads(THREADS):
		check_bytes(VarBatch.var_to_bytes(texts), expected, "%d threads" % count)


## The texts are those of others afterwards: each can be changed, and shows in no other.
func test_texts_live_on() -> void:
	for count: int in by_threads(THREADS):
		var bytes := var_to_bytes(_texts())
		var found: PackedStringArray = VarBatch.bytes_to_var(bytes)
		var expected: PackedStringArray = bytes_to_var(bytes)
		var shared := found.duplicate()
		for texts: PackedStringArray in [found, expected]:
			for at: int in range(0, COUNT, 997):
				texts[at] += "日本"
				texts[at] = texts[at].insert(1, "é").to_upper()
			texts.append_array(["behind", ""])
			texts.remove_at(3)
			texts.sort()
		check_value(found, expected, "changed texts, %d threads" % count)
		check_value(shared, bytes_to_var(bytes), "the other array, %d threads" % count)


## The first broken byte is named, whichever thread sees its own first.
func test_malformed() -> void:
	var texts := _texts()
	var good := var_to_bytes(texts)
	var ends := _offsets(texts)
	var early := ends[10] + 4
	var late := ends[COUNT - 10] + 4
	var middle := ends[COUNT / 2] + 4
	for places: PackedInt32Array in [[early], [late], [early, late], [early, middle, late]]:
		var bytes := good.duplicate()
		for at: int in places:
			bytes[at] = 0xff
		_check_refused(bytes, "found byte 0xff, at byte %d" % places[0])
		# A length that goes beyond the end: behind them, and between.
		bytes.encode_u32(ends[COUNT - 5], 0x7fffffff)
		_check_refused(bytes, "found byte 0xff, at byte %d" % places[0])
		bytes.encode_u32(ends[5], 0xffffffff)
		_check_refused(bytes, "at byte %d" % ends[5])
	for at: int in [0, 1, COUNT / 2, COUNT - 1]:
		for length: int in [0x7fffffff, 0xffffffff, good.size()]:
			var bytes := good.duplicate()
			bytes.encode_u32(ends[at], length)
			_check_refused(bytes, "element %d of %d" % [at, COUNT])
	for length: int in [good.size() - 1, good.size() - 4, good.size() / 2, good.size() / 2 + 1]:
		_check_refused(good.slice(0, length), " at byte ")


## Wrong bytes in the elements of an Array that is built over threads: the first counts as well.
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
	for count: int in by_threads(THREADS):
		check_call(&"bytes_to_var", [bytes], null, [reason])
		var lines := ["buffer 0: " + reason, "buffer 1: " + reason]
		check_call(&"bytes_to_vars", [[bytes, bytes]], [null, null], lines)


func _check_by_threads(value: Variant, what: String) -> void:
	var expected := var_to_bytes(value)
	var frames := frame(expected) + frame(expected)
	var again: Variant = bytes_to_var(expected)
	for count: int in by_threads(THREADS):
		var shown := "%s, %d threads" % [what, count]
		check_bytes(VarBatch.var_to_bytes(value), expected, shown)
		check_bytes(VarBatch.vars_to_frames([value, value]), frames, "frames of " + shown)
		check_bytes(VarBatch.vars_to_bytes([1, value])[1], expected, "one of two, " + shown)
		# As `check_value`, in less time: texts are what they equal.
		check(VarBatch.bytes_to_var(expected) == again, "back, " + shown)
		check(VarBatch.bytes_to_vars([expected, expected]) == [again, again], "each, " + shown)
	check_value(VarBatch.bytes_to_var(expected), again, "back, " + what)


## Texts of all scripts, empty ones and a few long ones among them.
static func _texts() -> PackedStringArray:
	var texts: PackedStringArray = Packed.make(TYPE_PACKED_STRING_ARRAY, COUNT)
	for at: int in range(0, COUNT, 5000):
		texts[at + 3] = "é".repeat(at / 10) + "x"
		texts[at + 4] = ""
	# Those whose bytes tests change.
	for at: int in [0, 1, 5, 10, COUNT / 2, COUNT - 10, COUNT - 5, COUNT - 1]:
		texts[at] = "abcdefgh"
	return texts


## Where the length of each text stands in the bytes of all.
static func _offsets(texts: PackedStringArray) -> PackedInt32Array:
	var offsets := PackedInt32Array()
	var at := 8
	for text: String in texts:
		offsets.append(at)
		at += 4 + (text.to_utf8_buffer().size() + 1 + 3) / 4 * 4
	return offsets
