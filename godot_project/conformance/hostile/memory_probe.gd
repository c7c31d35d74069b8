extends Node
## Decodes bytes made to need much memory, in a process of its own, and prints by how much it grew
## each time: "growth", name, bytes, bytes of memory. Started by memory.gd with the argument
## "engine", "VarBatch" or "validate": what is to decode.
##
## Measured is the most memory in use (VmHWM of /proc/self/status), which Linux sets back when "5"
## is written to /proc/self/clear_refs, without the pages of files: code that ran for the first time.
## What was decoded is kept: memory that is free, but still the process's own, would hide the growth
## of what comes after.

## Begins the name of a buffer without its end, which the same buffer with it follows.
const CUT := "cut off: "

const Child := preload("../support/child.gd")
const Values := preload("../support/values.gd")
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

var _kept: Array = []
var _decoder := Child.own_arguments()[0]


func _ready() -> void:
	if _can_measure():
		_measure("nothing", var_to_bytes(1))
		_small_values()
		_keys()
		_texts_and_packed_arrays()
		_nested_claims()
		_huge_counts()
	print(Child.LAST_LINE)
	get_tree().quit()


func _small_values() -> void:
	for digits: String in ", ".join(SMALL).split(", "):
		var value := Values.hex(digits)
		_measure_both("many of " + digits, _repeated(value, TYPE_ARRAY))
		_measure_both("many keys of " + digits, _repeated(value + value, TYPE_DICTIONARY))


func _keys() -> void:
	var count := LEN / 12
	var ints := PackedInt32Array()
	var names := PackedInt32Array()
	for i: int in count:
		ints.append_array([TYPE_INT, i, TYPE_NIL])
		var letters := (i & 0xf) | (i >> 4 & 0xf) << 8 | (i >> 8 & 0xf) << 16 | (i >> 12) << 24
		names.append_array([TYPE_STRING_NAME, 4, 0x61616161 + letters])
	var front := Values.u32(TYPE_DICTIONARY) + Values.u32(count)
	_measure_both("a dictionary of numbers", front + ints.to_byte_array())
	front = Values.u32(TYPE_ARRAY) + Values.u32(count)
	_measure_both("an array of names", front + names.to_byte_array())


func _texts_and_packed_arrays() -> void:
	for type: int in [TYPE_STRING, TYPE_STRING_NAME]:
		var text := Values.u32(type) + Values.u32(LEN) + "a".repeat(LEN).to_ascii_buffer()
		_measure_both("a long %s" % type_string(type), text)
	for hex: String in ["00000000", "01000000 00000000", "02000000 61000000"]:
		_measure_both("many texts of " + hex, _repeated(Values.hex(hex), TYPE_PACKED_STRING_ARRAY))
	for type: int in Values.Packed.STRIDES:
		var stride := Values.Packed.STRIDES[type]
		var bytes := var_to_bytes(Values.Packed.make(type, LEN / stride))
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
					var claimed := LEN / part.size() / (2 if type == TYPE_DICTIONARY else 1)
					front += Values.u32(claimed - depth)
				front += _repeated(part, TYPE_ARRAY)
				_measure("%d claims of type %x, %s" % [depth, type, element], front)


## Small buffers that announce as much as can be announced.
func _huge_counts() -> void:
	var headers: Array = [TYPE_ARRAY, TYPE_DICTIONARY, TYPE_STRING, TYPE_STRING_NAME, TYPE_SIGNAL]
	headers += [TYPE_NODE_PATH, TYPE_ARRAY | 2 << 16, TYPE_DICTIONARY | 2 << 18]
	for header: int in headers + range(TYPE_PACKED_BYTE_ARRAY, TYPE_MAX):
		for count: int in COUNTS:
			var bytes := Values.u32(header) + Values.u32(count)
			bytes.resize(1024)
			_measure("count %x of header %x" % [count, header], bytes)
	for type: int in [TYPE_ARRAY, TYPE_OBJECT, TYPE_INT]:
		for count: int in COUNTS:
			var bytes := Values.u32(TYPE_ARRAY | 1 << 16) + Values.u32(type) + Values.u32(count)
			bytes.resize(1024)
			_measure("count %x of a typed array" % count, bytes)


## The value, and before it the same bytes without their end, for which all is made in vain.
func _measure_both(what: String, bytes: PackedByteArray) -> void:
	_measure(CUT + what, bytes.slice(0, -1))
	_measure(what, bytes)


func _measure(what: String, bytes: PackedByteArray) -> void:
	Engine.print_error_messages = false
	reset_peak()
	var before := status("VmRSS:")
	var files_before := status("RssFile:")
	match _decoder:
		"engine":
			_kept.append(bytes.decode_var(0))
		"VarBatch":
			_kept.append(VarBatch.bytes_to_var(bytes))
		"validate":
			_kept.append(VarBatch.validate([bytes]))
	var files := status("RssFile:") - files_before
	var growth := maxi(0, status("VmHWM:") - before - files)
	Engine.print_error_messages = true
	print("growth;%s;%d;%d" % [what, bytes.size(), growth])


## Whether the peak can be set back to what is in use. Tried again, as that changes by itself, too.
static func _can_measure() -> bool:
	for attempt: int in 20:
		reset_peak()
		if status("VmHWM:") > 0 and status("VmHWM:") - status("VmRSS:") < LEN:
			return true
	return false


static func reset_peak() -> void:
	var file := FileAccess.open("/proc/self/clear_refs", FileAccess.WRITE)
	if file != null:
		file.store_string("5")
		file.close()


## A field of /proc/self/status in bytes, 0 where there is none.
static func status(field: String) -> int:
	var file := FileAccess.open("/proc/self/status", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line := file.get_line()
		if line.begins_with(field):
			return line.to_int() * 1024
	return 0


## LEN bytes of a container that holds [param part] as often as fits.
static func _repeated(part: PackedByteArray, type: int) -> PackedByteArray:
	var count := LEN / part.size()
	return Values.u32(type) + Values.u32(count) + Values.Packed.repeated(part, count * part.size())
