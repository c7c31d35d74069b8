extends "../files/files_base.gd"
## transcode_file(): files of frames of other engines to what a loop of get_var() reads, and back. What
## cannot be translated: one line with the path, the old target as it was, and no other file. Paths that
## cannot be read or written are in files/errors.gd; how saves of other engines are recognized, in files/damage.gd.

const Dialects := preload("dialects_base.gd")

## What Godot 3.2.3 wrote with open_encrypted_with_pass(path, File.WRITE, "mypass"), store_var({"gold": 12}) and
## store_var(Color(1, 0, 0)).
const ENCRYPTED := (
	"4744454301000000ffa3a7feb0f9ac43c4bbe0c604dcfb5938000000000000001743df7a86e6c8b29401b42555a5f26c4664e42d9b02802c"
	+ "29c8b54db9c81265f5772e43e7221269f64bb56f901316b85adafd896c286e68c9008190b482c258"
)

var _target := folder + "/target.bin"


func test_values_of_any_number_and_size() -> void:
	var pairs := Dialects.godot_3_values()
	var frames := frames_of(pairs.map(func(pair: Array) -> PackedByteArray: return Values.hex(pair[1] as String)))
	_check_file(frames, pairs.map(func(pair: Array) -> Variant: return pair[0]), "a value of each type")
	_check_file(PackedByteArray(), [], "an empty file")
	var entry := func(i: int) -> Dictionary:
		return {"id": i, "pos": Vector3(i, 0.5, -i), "name": "日本 %d" % i, "tags": [null]}
	var values := sized(1500, func(i: int) -> int: return 90_000 if i % 100 == 0 else i % 90)
	values += [Packed.make(TYPE_PACKED_VECTOR3_ARRAY, 700_000)] + range(3000).map(entry) + range(20_000)
	_check_file(_written(values), values, "small and large values")


## Zstandard takes the place of FastLZ, whichever mode the engine is then given.
func test_compressed() -> void:
	var values := sized(600, func(i: int) -> int: return i * 20)
	for mode: int in COMPRESSIONS + PackedInt32Array([FileAccess.COMPRESSION_FASTLZ]):
		write(path, _written(values), mode)
		for dialects: Array in [[path, GODOT_3, GODOT_4], [_target, GODOT_4, GODOT_3]]:
			_translate(dialects[0], _target, dialects[1], dialects[2], "mode %d" % mode)
		_translate(_target, _target, GODOT_3, GODOT_4, "again, mode %d" % mode)
		check_value(read_loop(_target, false, mode), values, "again, mode %d" % mode)
		var expected := mode if mode else int(FileAccess.COMPRESSION_ZSTD)
		check_int(FileAccess.get_file_as_bytes(_target).decode_u32(4), expected, "its mode")


func test_in_place() -> void:
	var values := sized(400, func(i: int) -> int: return i * 50)
	for count: int in Threads.new(THREAD_COUNTS):
		write(path, stored(values))
		for to: VarBatch.Dialect in [GODOT_3, VarBatch.DIALECT_PANDEMONIUM, GODOT_4]:
			var from: VarBatch.Dialect = {1: 0, 2: 1, 0: 2}[to]
			_translate(path, path, from, to, "in place, to %d" % to)
			check_names([path.get_file()], "in place")
		check_bytes(FileAccess.get_file_as_bytes(path), stored(values), "in place, and back")


## What a link leads to is replaced, by a file with its rights; a path may be of any kind.
func test_paths() -> void:
	write(path, stored([1, "two"]))
	if is_unix():
		write(folder + "/old", "old".to_utf8_buffer())
		link("old", _target)
		_translate(absolute(path), _target, GODOT_4, GODOT_3, "to a link")
		check_same(read_loop(folder + "/old"), [1, "two"], "through a link")
		check_names(["old", path.get_file(), _target.get_file()], "a link")
	const FROM := "res://conformance/support/suite.gd"
	const CODE := ERR_FILE_UNRECOGNIZED
	check_call(&"transcode_file", [FROM, _target, GODOT_3, GODOT_4], CODE, ['"%s": ...' % FROM], CODE)


## Bytes behind a value inside its frame are only left out if that is asked for.
func test_what_is_lost() -> void:
	var ints: Array[int] = [1]
	var file := WARNING + '"%s": ' % path
	for count: int in Threads.new(THREAD_COUNTS):
		write(path, stored([5, ints, rid_from_int64(1), [ints, rid_from_int64(2)]]))
		var lines: Array = [file + "2 typed containers became untyped, the first at byte 16"]
		lines.append(file + "2 RIDs lost their ids, the first at byte 40")
		check_call(&"transcode_file", [path, _target, GODOT_4, GODOT_3], OK, lines)
		write(path, frame(Values.hex("13000000 00000000 09")) + frame(var_to_bytes(6)))
		var rest := "1 value was followed by bytes that are none of its, at byte 12"
		var kept := FileAccess.get_file_as_bytes(path)
		var error := '"%s": %s; nothing was written, force = true leaves them out' % [path, rest]
		for to: String in [path, _target]:
			check_call(&"transcode_file", [path, to, GODOT_3, GODOT_4], ERR_INVALID_DATA, [error], ERR_INVALID_DATA)
		check_bytes(FileAccess.get_file_as_bytes(path), kept, "the source")
		lines = [file + rest]
		check_call(&"transcode_file", [path, _target, GODOT_3, GODOT_4, null, true], OK, lines)
		check_bytes(FileAccess.get_file_as_bytes(_target), stored([[], 6]), "without them")


func test_objects() -> void:
	write(path, stored([[Resource.new()], RefCounted.new()], true))
	_translate(path, _target, GODOT_4, GODOT_3, "objects to Godot 3")
	check_int(FileAccess.get_file_as_bytes(_target).decode_u32(4 + 8), 17, "type of an object in Godot 3")
	_translate(_target, _target, GODOT_3, GODOT_4, "and back")
	check_same(read_loop(_target, true), [[Resource.new()], RefCounted.new()], "objects, back")


func test_many_at_once() -> void:
	var values := sized(300, func(i: int) -> int: return i * 100)
	write(path, stored(values))
	var work := func(i: int) -> int:
		var to := "%s.%d" % [_target, i]
		var code := VarBatch.transcode_file(path, to, GODOT_4, GODOT_3)
		return code if code else VarBatch.transcode_file(to, to, GODOT_3, GODOT_4)
	check_value(end_threads(start_threads(8, work)), filled(8, OK as int), "results")
	for i: int in 8:
		check_bytes(FileAccess.get_file_as_bytes("%s.%d" % [_target, i]), stored(values), "file %d" % i)


## The frame, its byte in the file, and where in the value it is, whichever piece it is in. The target
## is as it was, whether it is another file, none, or the source itself.
func test_what_fails() -> void:
	var bad := frame("1b00000000000000".hex_decode()) + frame(var_to_bytes(1))
	var foreign := VarBatch.vars_to_frames([{"a": [Vector4i()]}, Vector3i(), 5])
	var misplaced := 'value %d: expected a type that Godot 3 has, found Vector4i, at byte %d inside ["a"]'
	for count: int in [0, 3, 40_000]:
		var good := VarBatch.vars_to_frames(range(count))
		var text := "value %d: expected a type from 0 to 26, found 27, at byte %d"
		var place: Array = [count, good.size() + 4]
		# An empty Dictionary of Godot 4.
		_check_fails(good + bad, ERR_FILE_UNRECOGNIZED, text % place, GODOT_3, GODOT_4)
		_check_fails(good + bad.slice(0, 7), ERR_FILE_CORRUPT, "the file is cut off", GODOT_3, GODOT_4)
		place[1] += 28
		_check_fails(good + foreign, ERR_INVALID_DATA, misplaced % place, GODOT_4, GODOT_3)
	for mode: int in [FileAccess.COMPRESSION_FASTLZ, FileAccess.COMPRESSION_ZSTD]:
		write(path, VarBatch.vars_to_frames(range(3000)), mode)
		var bytes := FileAccess.get_file_as_bytes(path)
		bytes[bytes.size() / 2] ^= 0x55
		bytes[40] ^= 0x55
		_check_fails(bytes, ERR_FILE_CORRUPT, '"%s": ' % path, GODOT_3, GODOT_4)


func _written(values: Array) -> PackedByteArray:
	return frames_of(values.map(func(value: Variant) -> PackedByteArray: return VarBatch.var_to_bytes_in(value, GODOT_3)))


func _translate(from: String, to: String, engine: VarBatch.Dialect, other: VarBatch.Dialect, what: String) -> void:
	check_int(VarBatch.transcode_file(from, to, engine, other), OK, what)


func _check_file(frames: PackedByteArray, values: Array, what: String) -> void:
	for count: int in Threads.new(THREAD_COUNTS):
		var shown := "%s, %d threads" % [what, count]
		write(path, frames)
		_translate(path, _target, GODOT_3, GODOT_4, shown)
		check_bytes(FileAccess.get_file_as_bytes(_target), stored(values), shown)
		check_same(read_loop(_target), values, "what the engine reads of " + shown)
		_translate(_target, path, GODOT_4, GODOT_3, "back, " + shown)
		check_bytes(FileAccess.get_file_as_bytes(path), frames, "back, " + shown)
		check_names([path.get_file(), _target.get_file()], shown)


func _check_fails(source: PackedByteArray, code: Error, text: String, from: int, to: int) -> void:
	write(path, source)
	for threads: int in Threads.new(THREAD_COUNTS):
		for target: String in [_target, path]:
			var arguments: Array = [path, target, from, to]
			check_keeps_old(check_call.bind(&"transcode_file", arguments, code, ["...%s..." % text], code), _target)
			check_bytes(FileAccess.get_file_as_bytes(path), source, "the source")


func test_encrypted_by_godot_3() -> void:
	write(path, ENCRYPTED.hex_decode())
	var code := ERR_UNAUTHORIZED
	var no_key := 'an encrypted file ("GDEC"), at byte 0; load_var() and load_vars() read it with its password'
	check_forms("load_vars", [path], [], code, [no_key])
	check_forms("load_vars", [path, false, 0, -1, "wrong"], [], code, ["the key is not that of the file"])
	var hint := "; its values can be read in DIALECT_GODOT_3"
	check_forms("load_var", [path, 7, false, "mypass"], 7, ERR_FILE_UNRECOGNIZED, [hint])
	for key: Variant in ["mypass", "mypass".md5_text().to_ascii_buffer()]:
		check_int(VarBatch.transcode_file(path, _target, GODOT_3, GODOT_4, key), OK, "converted")
		check_value(VarBatch.load_vars(_target, false, 0, -1, key), [{"gold": 12}, Color.RED], "its values")
		check_value(_open(_target, FileAccess.READ, -1, "mypass").get_var(), {"gold": 12}, "by the engine")
	check_int(VarBatch.transcode_file(path, path, GODOT_3, GODOT_4, "mypass"), OK, "in place")
	check_bytes(FileAccess.get_file_as_bytes(path).slice(0, 4), "GDEC".to_ascii_buffer(), "encrypted still")
	check_value(VarBatch.load_vars(path, false, 0, 1, "mypass"), [{"gold": 12}], "in place")
