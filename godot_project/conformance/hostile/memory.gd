extends "../support/round_trip.gd"
## What a process grows by while it decodes bytes that are made to need much memory: at most 32 times the
## bytes and 1 MiB, or what the engine itself needs for the same bytes, if that is more. Each decoder
## ("engine", "VarBatch" or "validate") is looked at in a process of its own, which prints by how much it grew
## each time: "growth", name, bytes, bytes of memory.
##
## Measured is the most memory in use (VmHWM of /proc/self/status), which Linux sets back when "5" is
## written to /proc/self/clear_refs, without the pages of files: code that ran for the first time. What was
## decoded is kept: memory that is free, but still the process's own, would hide the growth of what comes after.

const MIB := 1 << 20
const MAX_FACTOR := 32
## Two processes never grow by quite the same.
const ENGINE_SHARE := 1.1
## Begins the name of a buffer without its end, which the same buffer with it follows.
const CUT := "cut off: "
const LEN := 1 << 19
const COUNTS: PackedInt64Array = [0x7fffffff, 0xffffffff, 0x80000000, 0x3fffffff, 0x10000000]
## Values of which there are many in one buffer.
const SMALL: PackedStringArray = [
	"00000000, 02000000 01000000, 17000000 0100000000000000, 19000000",
	"04000000 00000000, 04000000 01000000 61000000, 15000000 00000000",
	"16000000 00000080 00000000 00000000, 16000000 01000080 00000000 00000000 01000000 61000000",
	"1a000000 00000000 0100000000000000, 1b000000 00000000, 1c000000 00000000",
	"1b000500 02000000 02000000 00000000, 1c000100 02000000 00000000",
	"1c000000 01000000 00000000, 1b000000 01000000 00000000 00000000",
	"18000100 0100000000000000, 18000100 0000000000000000, 1d000000 00000000",
	"1e000000 01000000 01000000, 22000000 01000000 01000000 00000000, 22000000 00000000",
]
## Rounds in which what is not freed adds up.
const ROUNDS := 40
## What the engine keeps for itself now and then, such as a name. In bytes.
const SLACK := 2048
const MAX_GROWTH := 512 << 20

var _kept: Array = []
var _decoder := ""
## The bytes of 40,000 ints are many small parts, all of them copied into a plan.
var _large: Array = range(40_000)


func test_growth() -> void:
	var by_engine := _probe("engine")
	var found := _probe("VarBatch")
	check_int(found.size(), by_engine.size(), "buffers that were decoded")
	if found.is_empty():
		print("  memory: this system does not tell how much a process grows")
	for what: String in found:
		var size: int = found[what][0]
		# What was made in vain before is free for the same values.
		var engine_growth := maxi(by_engine.get(what, [0, 0])[1], by_engine.get(CUT + what, [0, 0])[1])
		var bound := maxi(MAX_FACTOR * size, roundi(engine_growth * ENGINE_SHARE)) + MIB
		_check_growth(what, found[what], bound, engine_growth)


func test_validate() -> void:
	var found := _probe("validate")
	checks += 1
	for what: String in found:
		_check_growth(what, found[what], MIB, 0)


func _check_growth(what: String, found: Array, bound: int, by_engine: int) -> void:
	var growth: int = found[1]
	var text := "%s: grew by %d KiB for %d bytes, the engine by %d KiB"
	check(growth <= bound, text % [what, growth / 1024, found[0], by_engine / 1024])


## Each buffer's name, with its size and what the process grew by. Empty where that is not known.
func _probe(decoder: String) -> Dictionary[String, Array]:
	var growth: Dictionary[String, Array] = {}
	for line: String in Child.probe(self, "hostile/memory", [decoder]):
		var parts := line.split(";")
		if parts[0] == "growth":
			growth[parts[1]] = [parts[2].to_int(), parts[3].to_int()]
	return growth


func run_alone() -> void:
	_decoder = Child.own_arguments()[0]
	if _can_measure():
		_measure("nothing", var_to_bytes(1))
		_small_values()
		_keys()
		_texts_and_packed_arrays()
		_nested_claims()
		_huge_counts()


func _small_values() -> void:
	for digits: String in ", ".join(SMALL).split(", "):
		var value := Values.hex(digits)
		_measure_both("many of " + digits, _repeated(value, TYPE_ARRAY))
		_measure_both("many keys of " + digits, _repeated(value + value, TYPE_DICTIONARY))


func _keys() -> void:
	var ints := PackedInt32Array([TYPE_DICTIONARY, LEN / 12])
	var names := PackedInt32Array([TYPE_ARRAY, LEN / 12])
	for i: int in LEN / 12:
		ints.append_array([TYPE_INT, i, TYPE_NIL])
		var letters := (i & 0xf) | (i >> 4 & 0xf) << 8 | (i >> 8 & 0xf) << 16 | (i >> 12) << 24
		names.append_array([TYPE_STRING_NAME, 4, 0x61616161 + letters])
	_measure_both("a dictionary of numbers", ints.to_byte_array())
	_measure_both("an array of names", names.to_byte_array())


func _texts_and_packed_arrays() -> void:
	for type: int in [TYPE_STRING, TYPE_STRING_NAME]:
		var text := Values.u32(type) + Values.u32(LEN) + "a".repeat(LEN).to_ascii_buffer()
		_measure_both("a long %s" % type_string(type), text)
	for hex: String in ["00000000", "01000000 00000000", "02000000 61000000"]:
		_measure_both("many texts of " + hex, _repeated(Values.hex(hex), TYPE_PACKED_STRING_ARRAY))
	for type: int in Packed.STRIDES:
		var stride := Packed.STRIDES[type]
		var bytes := var_to_bytes(Packed.make(type, LEN / stride))
		_measure_both(type_string(type), bytes)
		bytes.encode_u32(4, 0x7fffffff / stride)
		_measure("a huge count of %s" % type_string(type), bytes)


## Each container claims all that is left for itself, and all of them are right so far.
func _nested_claims() -> void:
	for depth: int in [2, 100, 1024]:
		for element: String in ["00000000", "1c000000 00000000"]:
			for type: int in [TYPE_ARRAY, TYPE_DICTIONARY, TYPE_ARRAY | 1 << 16]:
				var part := Values.hex(element)
				var front := PackedByteArray()
				for i: int in depth:
					front += Values.u32(type)
					if type > TYPE_MAX:
						front += Values.u32(TYPE_ARRAY if part.size() > 4 else TYPE_NIL)
					front += Values.u32(LEN / part.size() / (2 if type == TYPE_DICTIONARY else 1) - depth)
				front += _repeated(part, TYPE_ARRAY)
				_measure("%d claims of type %x, %s" % [depth, type, element], front)


func _huge_counts() -> void:
	var headers: Array = [TYPE_ARRAY, TYPE_DICTIONARY, TYPE_STRING, TYPE_STRING_NAME, TYPE_SIGNAL]
	headers += [TYPE_NODE_PATH, TYPE_ARRAY | 2 << 16, TYPE_DICTIONARY | 2 << 18]
	for header: int in headers + range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		for count: int in COUNTS:
			var bytes := Values.u32(header) + Values.u32(count) + filled_bytes(1016)
			_measure("count %x of header %x" % [count, header], bytes)
	for type: int in [TYPE_ARRAY, TYPE_OBJECT, TYPE_INT]:
		for count: int in COUNTS:
			var bytes := Values.u32(TYPE_ARRAY | 1 << 16) + Values.u32(type) + Values.u32(count) + filled_bytes(1012)
			_measure("count %x of a typed array" % count, bytes)


## The value, and before it the same bytes without their end, for which all is made in vain.
func _measure_both(what: String, bytes: PackedByteArray) -> void:
	_measure(CUT + what, bytes.slice(0, -1))
	_measure(what, bytes)


func _measure(what: String, bytes: PackedByteArray) -> void:
	Engine.print_error_messages = false
	_reset_peak()
	var before := Child.status("VmRSS:")
	var files_before := Child.status("RssFile:")
	match _decoder:
		"engine":
			_kept.append(bytes.decode_var(0))
		"VarBatch":
			_kept.append(VarBatch.bytes_to_var(bytes))
		"validate":
			_kept.append(VarBatch.validate([bytes]))
	var files := Child.status("RssFile:") - files_before
	var growth := maxi(0, Child.status("VmHWM:") - before - files)
	Engine.print_error_messages = true
	print("growth;%s;%d;%d" % [what, bytes.size(), growth])


## Whether the peak can be set back to what is in use. Tried again, as that changes by itself, too.
static func _can_measure() -> bool:
	for attempt: int in 20:
		_reset_peak()
		if Child.status("VmHWM:") > 0 and Child.status("VmHWM:") - Child.status("VmRSS:") < LEN:
			return true
	return false


static func _reset_peak() -> void:
	var file := FileAccess.open("/proc/self/clear_refs", FileAccess.WRITE)
	if file != null:
		file.store_string("5")


static func _repeated(part: PackedByteArray, type: int) -> PackedByteArray:
	var count := LEN / part.size()
	return Values.u32(type) + Values.u32(count) + Packed.repeated(part, count * part.size())


## In debug builds, where the engine counts: of good bytes, and of those that break off in the middle.
func test_nothing_is_left() -> void:
	if not OS.is_debug_build():
		checks += 1
		return
	for type: int in Values.types():
		var values := Values.of(type)
		if type == TYPE_PACKED_STRING_ARRAY or type == TYPE_ARRAY:
			values.append(Packed.make(TYPE_PACKED_STRING_ARRAY, 20_000))
		for count: int in by_threads([1, 2]):
			_check_freed(_use.bind(values, Values.engine_bytes(values)), "%s, %d threads" % [type_string(type), count])


func _check_freed(use: Callable, what: String) -> void:
	use.call()
	use.call()
	var bytes := Performance.get_monitor(Performance.MEMORY_STATIC)
	var objects := object_count()
	for i: int in ROUNDS:
		use.call()
	var grown := Performance.get_monitor(Performance.MEMORY_STATIC) - bytes
	check(grown <= SLACK, "%s: %d bytes are left of %d rounds" % [what, grown, ROUNDS])
	check_int(object_count(), objects, "objects, " + what)


func _use(values: Array, buffers: Array[PackedByteArray]) -> void:
	var stream := VarBatch.vars_to_frames(values)
	VarBatch.vars_to_bytes(values)
	VarBatch.bytes_to_vars(buffers)
	VarBatch.frames_to_vars(stream)
	var found: Variant
	for i: int in values.size():
		found = VarBatch.bytes_to_var(VarBatch.var_to_bytes(values[i]))
	found = null
	Engine.print_error_messages = false
	for buffer: PackedByteArray in buffers:
		var cut := buffer.slice(0, -2)
		found = [VarBatch.bytes_to_var(cut), VarBatch.bytes_to_vars([buffer, cut, buffer])]
	Engine.print_error_messages = true


## Batches whose first values are much larger than all others must not ask for memory by those: it may not be there, and
## that ends the game. Looked at is VmPeak: how much was ever in the address space. What asked for more before hides it.
func test_rooms() -> void:
	var large := filled_bytes(100_000)
	for values: Array in [_batch(500, large, 50_000, 7), _batch(64, _large, 20_000, [7])]:
		var buffers := Values.engine_bytes(values)
		var frames := frames_of(buffers)
		for found: PackedByteArray in _in_bounds(call_method.bind(&"vars_to_frames", [values])):
			check_bytes(found, frames, "frames")
		for found: Array in _in_bounds(call_method.bind(&"vars_to_bytes", [values])):
			check_same(found, buffers, "buffers")
	var texts := PackedStringArray(_batch(64, "é".repeat(500_000), 119_936, "a"))
	for value: Variant in [_batch(64, _large, 40_000, [7]), texts]:
		var expected := var_to_bytes(value)
		for found: PackedByteArray in _in_bounds(call_method.bind(&"var_to_bytes", [value])):
			check_bytes(found, expected, "bytes")


## What [param action] gives, with one thread and with two. It must not ask for much more than it needs.
func _in_bounds(action: Callable) -> Array:
	var results: Array = []
	for count: int in Threads.new([1, 2]):
		var before := Child.status("VmPeak:")
		results.append(action.call())
		var growth := Child.status("VmPeak:") - before
		check(growth <= MAX_GROWTH, "asked for %d MB more, %d threads" % [growth / 1e6, count])
	return results


static func _batch(large_count: int, large: Variant, small_count: int, small: Variant) -> Array:
	return filled(large_count, large) + filled(small_count, small)
