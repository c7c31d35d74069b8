extends "files_base.gd"
## Values in open files, streams and packets, beside the engine's loops over store_var() and get_var().

const FILES: PackedStringArray = ["plain", "zstd", "deflate", "encrypted"]
## Who writes or reads: the engine, VarBatch one by one, or many at once.
const WAYS: PackedStringArray = ["engine", "one by one", "at once"]
const NO_STREAM := "expected a FileAccess, a StreamPeer or a PacketPeer, found "

var _values: Array = Values.mixed(150) + [{"a": [_noise.slice(0, 999), 1]}, Curve2D.new()]
## A browser has no sockets.
var _peers := PackedStringArray(["buffer"] if OS.has_feature("web") else ["buffer", "tcp"])
## What writes, and what reads.
var _tcp: Array[StreamPeerTCP] = []


## Between other data, everybody writes the same bytes, and reads what everybody writes and no more.
func test_all_kinds() -> void:
	for kind: String in FILES + _peers:
		for whole: bool in [false, true]:
			var expected := _values.map(_again.bind(whole))
			var bytes := PackedByteArray()
			for writer: String in WAYS:
				for reader: String in WAYS:
					var what := "%s of %s, read %s, whole: %s" % [kind, writer, reader, whole]
					var to: Variant = _opened(kind, true, whole)
					_text(to, "begin")
					for line: String in logged(_write.bind(to, _values, writer, whole)):
						check(whole and to is FileAccess and ": saved " in line, line)
					_text(to, "end")
					if to is FileAccess:
						to.close()
					if kind == "plain" or kind == "buffer":
						var now: Variant = to.data_array if kind == "buffer" else FileAccess.get_file_as_bytes(path)
						bytes = now if bytes.is_empty() else bytes
						check_bytes(now, bytes, what)
					var from: Variant = to if kind == "buffer" else _opened(kind, false, whole)
					if kind == "buffer":
						from.seek(0)
					var found: Array = [_text(from)] + _read(from, expected.size(), reader, whole) + [_text(from)]
					check_same(found + VarBatch.get_vars(from), ["begin"] + expected + ["end"], what)


## Offsets of 256 records, which are read where they are, and move to the end when they change.
func test_regions() -> void:
	var bytes: Array[PackedByteArray] = []
	for way: String in WAYS:
		seed(7)
		var file := FileAccess.open(path, FileAccess.WRITE_READ)
		var offsets := PackedInt32Array()
		offsets.resize(256)
		file.store_buffer("REGN".to_ascii_buffer() + Values.u32(3) + offsets.to_byte_array())
		for turn: int in sized_part_of(3000):
			var at := randi() % 256
			var record := {"at": at, "turn": 0}
			if offsets[at]:
				file.seek(offsets[at])
				record = _read(file, 1, way)[0]
				check_int(record.at as int, at, "a record")
			record.turn += turn
			record.tiles = _noise.slice(0, randi() % 300)
			file.seek_end()
			offsets[at] = file.get_position()
			_write(file, [record], way)
			file.seek(8 + at * 4)
			file.store_32(offsets[at])
		file.close()
		bytes.append(FileAccess.get_file_as_bytes(path))
		check_bytes(bytes[-1], bytes[0], "regions, " + way)


## Cut off at each byte, and with any length: null where the engine gives null, and the file stands where
## it leaves it. Of many, those before.
func test_damage() -> void:
	var good := stored([[1, 2], "text", {"a": 2}])
	var bad := range(good.size()).map(func(length: int) -> PackedByteArray: return good.slice(0, length))
	for length: int in [0, 1, 3, 1000, 5_000_000, 0x7ffffff0, 0x7fffffff, 0xfffffffe, 0xffffffff]:
		# In a browser, the engine asks for so much memory that the page ends.
		if length <= 5_000_000 or not OS.has_feature("web"):
			bad.append(good + Values.u32(length) + var_to_bytes(5))
	for bytes: PackedByteArray in bad:
		for kind: String in FILES:
			var file := _opened(kind, true) as FileAccess
			file.store_buffer(bytes)
			file.close()
			var states: Array = []
			for way: String in WAYS.slice(0, 2):
				file = _opened(kind, false)
				for i: int in 7:
					var found: Array = quietly(_read.bind(file, 1, way))
					states.append([found, file.get_position(), file.eof_reached()])
			var what := "%d bytes, %s" % [bytes.size(), kind]
			check_same(states.slice(7), states.slice(0, 7), what)
			var whole: Array = quietly(call_method.bind(&"frames_to_vars", [bytes]))
			for count: int in [9, -1]:
				file.seek(0)
				var many: Array = quietly(call_method.bind(&"get_vars", [file, count]))
				check_same(many, whole, "many, " + what)
				check(count < 0 or VarBatch.get_last_error() in [ERR_FILE_EOF, ERR_FILE_CORRUPT], "no error, " + what)


## What comes late is waited for, and what never comes is an error: nothing is taken for a value.
func test_tcp() -> void:
	var values: Array = [1, _noise.slice(0, 5000), "late"]
	var bytes := VarBatch.vars_to_frames(values)
	for cut: int in [2, 6, 14, 900, bytes.size() - 3]:
		for many: int in [0, 3, -1]:
			_opened("tcp", true)
			var send := func() -> void:
				_tcp[0].put_data(bytes.slice(0, cut))
				OS.delay_msec(20)
				_tcp[0].put_data(bytes.slice(cut) + bytes.slice(0, 6))
				_tcp[0].disconnect_from_host()
			var thread := Thread.new()
			thread.start(send)
			while _tcp[1].get_available_bytes() < 1:
				OS.delay_msec(1)
			# All that are there may be those before the cut one, or a part of it as well.
			var found: Array = quietly(call_method.bind(&"get_vars", [_tcp[1], many])) if many else []
			while found.size() < 3:
				found.append(VarBatch.get_var(_tcp[1]))
			thread.wait_to_finish()
			check_same(found.slice(0, 3), values, "cut at %d, %d" % [cut, many])
			_tcp[1].poll()
			check_value(quietly(call_method.bind(&"get_var", [_tcp[1]])), null, "a cut value")
			check(VarBatch.get_last_error() != OK, "a cut value is no error")


func test_packets() -> void:
	var ends: Array[PacketPeerUDP] = [PacketPeerUDP.new(), PacketPeerUDP.new()]
	check_int(ends[1].bind(0, "127.0.0.1"), OK, "bind")
	ends[0].connect_to_host("127.0.0.1", ends[1].get_local_port())
	for writer: String in WAYS:
		for reader: String in WAYS:
			_write(ends[0], [5, {"a": _noise.slice(0, 500)}, "end"], writer)
			_await_packets(ends[1], 3)
			var found := _read(ends[1], 2, reader)
			check_same(found, [5, {"a": _noise.slice(0, 500)}], "packets of %s, %s" % [writer, reader])
			check_bytes(ends[1].get_packet(), var_to_bytes("end"), "a packet of " + writer)
	ends[0].encode_buffer_max_size = 1024
	var long := "expected at most 1024 bytes for a packet, found 2008..."
	var values: Array = [1, _noise.slice(0, 2000), 3]
	check_call(&"store_var", [ends[0], values[1]], false, [long], ERR_OUT_OF_MEMORY)
	check_call(&"store_vars", [ends[0], values], false, ["value 1: " + long], ERR_OUT_OF_MEMORY)
	_await_packets(ends[1], 2)
	check_call(&"get_vars", [ends[1]], [1, 3], [])
	check_call(&"get_vars", [ends[1], 2], [], ["buffer 0: expected a packet, found none..."], ERR_UNAVAILABLE)
	check_call(&"get_var", [ends[1]], null, ["expected a packet, found none..."], ERR_UNAVAILABLE)


func _await_packets(peer: PacketPeer, count: int) -> void:
	var end := Time.get_ticks_msec() + 10_000
	while peer.get_available_packet_count() < count and Time.get_ticks_msec() < end:
		OS.delay_msec(1)


func test_what_is_refused() -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	var node := Node.new()
	node.free()
	var deep: Array = Engines.nested(1026)
	const BAD := ERR_INVALID_PARAMETER
	for row: Array in [[null, "null"], [RefCounted.new(), "RefCounted"], [node, "a freed object"]]:
		for call: Array in [["get_var", null], ["get_vars", []], ["store_var", false, 1], ["store_vars", false, []]]:
			check_call(call[0] as String, [row[0]] + call.slice(2), call[1], [NO_STREAM + row[1]], BAD)
	check_call(&"store_var", [file, deep], false, ["expected at most 1024 levels..."])
	check_call(&"store_vars", [file, [1, deep, 2]], false, ["value 1: expected at most..."])
	check_call(&"get_vars", [file, -2], [], ["expected -1 or more as count, found -2"], BAD)
	# On Windows such reads give zeros and no error, in the engine too, and more is written.
	if is_unix():
		var reads := func() -> Array: return [VarBatch.get_var(file), VarBatch.get_vars(file, 2)]
		check_value(expect_errors(reads, 2, "expected a file that is open for reading"), [null, []], "reads")
	const CLOSED := "expected an open file, found one that was closed"
	Meddler.on_get = file.close
	check_call(&"store_var", [file, Meddler.new(), true], false, [CLOSED], ERR_FILE_CANT_OPEN)
	Meddler.reset()
	check_bytes(FileAccess.get_file_as_bytes(path), stored([1, 2]), "what could be stored")
	check_call(&"get_var", [file, true], null, [CLOSED], ERR_FILE_CANT_OPEN)
	check_call(&"store_vars", [file, []], false, [CLOSED], ERR_FILE_CANT_OPEN)
	file = FileAccess.open(path, FileAccess.READ)
	check_call(&"store_var", [file, null], false, ["8 bytes were not written..."], ERR_FILE_CANT_WRITE)
	check_call(&"get_var", [file, [Node]], null, ["expected a script..."], BAD)
	check_call(&"get_vars", [file, 3], [1, 2], ["value 2: expected a value, found the end"], ERR_FILE_EOF)


func test_offsets() -> void:
	var bytes := PackedByteArray()
	for value: Variant in Values.all() + [Curve2D.new(), [Curve2D.new()]]:
		bytes += var_to_bytes_with_objects(value)
	var at := 0
	while at < bytes.size():
		var size := VarBatch.decode_var_size(bytes, true, at)
		check_int(size, bytes.decode_var_size(at, true), "size at %d" % at)
		check_value(VarBatch.bytes_to_var(bytes, true, at), bytes.decode_var(at, true), "at %d" % at)
		at += maxi(size, 4)
	var end := bytes.size()
	const BAD := "expected an offset from 0 to "
	const FLAG := "expected true, false or classes as allow_objects, found %d"
	for offset: int in [-1, end + 1, 1 << 40]:
		for row: Array in [[&"bytes_to_var", null], [&"decode_var_size", 0]]:
			for arguments: Array in [[bytes, true, offset], [bytes, offset]]:
				var line := "%s%d, found %d" % [BAD, end, offset] if arguments.size() > 2 else FLAG % offset
				check_call(row[0] as StringName, arguments, row[1], [line], ERR_INVALID_PARAMETER)
	var no_header := "expected 4 more bytes for a header, found 0, at byte %d" % end
	check_call(&"bytes_to_var", [bytes, false, end], null, [no_header], ERR_FILE_EOF)
	check_call(&"decode_var_size", [bytes, false, end], 0, [no_header], ERR_FILE_EOF)


func _opened(kind: String, writes: bool, big_endian := false) -> Variant:
	var mode := FileAccess.WRITE if writes else FileAccess.READ
	var opened: Variant = StreamPeerBuffer.new()
	if kind == "encrypted":
		opened = _open(path, mode, -1, "secret")
	elif kind in FILES:
		opened = _open(path, mode, {"zstd": COMPRESSIONS[0], "deflate": COMPRESSIONS[1]}.get(kind, -1))
	elif kind == "tcp":
		if writes:
			var server := TCPServer.new()
			server.listen(0, "127.0.0.1")
			_tcp = [StreamPeerTCP.new(), null]
			_tcp[0].connect_to_host("127.0.0.1", server.get_local_port())
			while not server.is_connection_available() or _tcp[0].get_status() < 2:
				_tcp[0].poll()
			_tcp[1] = server.take_connection()
		opened = _tcp[0 if writes else 1]
	opened.big_endian = big_endian
	return opened


func _write(to: Variant, values: Array, way: String, whole := false) -> void:
	if way == WAYS[2]:
		check(VarBatch.store_vars(to as Object, values, whole), "store_vars")
		return
	for value: Variant in values:
		if way == WAYS[1]:
			check(VarBatch.store_var(to as Object, value, whole), "store_var")
		else:
			to.call("store_var" if to is FileAccess else "put_var", value, whole)


func _read(from: Variant, count: int, way: String, whole := false) -> Array:
	if way == WAYS[2]:
		return VarBatch.get_vars(from as Object, count, whole)
	var read := func(_i: int) -> Variant: return VarBatch.get_var(from as Object, whole) if way == WAYS[1] else from.get_var(whole)
	return range(count).map(read)


func _text(at: Variant, text := "") -> Variant:
	var is_file := at is FileAccess
	if text:
		return at.call("store_pascal_string" if is_file else "put_utf8_string", text)
	return at.call("get_pascal_string" if is_file else "get_utf8_string")


func _again(value: Variant, whole: bool) -> Variant:
	if whole:
		return bytes_to_var_with_objects(var_to_bytes_with_objects(value))
	return bytes_to_var(var_to_bytes(value))
