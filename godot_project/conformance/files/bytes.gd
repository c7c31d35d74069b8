extends "files_base.gd"
## Any bytes in a file: what save_bytes() writes is what the engine reads, plain, compressed or encrypted,
## and the other way round; all of it or nothing is loaded, or the backup.

const SECRET := "pässword"

var _key: PackedByteArray = range(32)
var _bytes: PackedByteArray = [1, 2, 3]


func test_both_ways() -> void:
	for bytes: PackedByteArray in _contents():
		for mode: int in ALL_MODES:
			_check_both_ways(bytes, mode, null)
		_check_both_ways(bytes, -1, SECRET)
		_check_both_ways(bytes, -1, _key)
	check_names([path.get_file()], "bytes")


func _contents() -> Array[PackedByteArray]:
	var contents: Array[PackedByteArray] = [
		PackedByteArray(), filled_bytes(1), filled_bytes(5, 255), "{}\n".to_utf8_buffer(), stored([1, "two"])
	]
	for size: int in [4095, 4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5_000_000]:
		contents.append(Packed.repeated(_noise, size))
	return contents if not is_quick else contents.slice(0, 8)


func _check_both_ways(bytes: PackedByteArray, mode: int, key: Variant) -> void:
	for count: int in by_threads():
		for form: String in ["", "_async"]:
			var what := "%d bytes, mode %d, key %s, %d threads%s" % [bytes.size(), mode, key, count, form]
			var given := bytes.duplicate()
			var saved: Variant = call_method("save_bytes" + form, [path, given, mode, key])
			given.append(1)
			check_int(waited(saved) as int, OK, "saving " + what)
			check_bytes(_open(path, FileAccess.READ, mode, key).get_buffer(bytes.size() + 1), bytes, "the engine reads " + what)
			check_bytes(call_and_wait("load_bytes" + form, [path, key]) as PackedByteArray, bytes, what)
			if mode < 0 and key == null:
				check_bytes(FileAccess.get_file_as_bytes(path), bytes, "the file of " + what)
			write(path, bytes, mode, key)
			check_bytes(call_and_wait("load_bytes" + form, [path, key]) as PackedByteArray, bytes, "the engine's " + what)


func test_damage() -> void:
	for stored_as: Array in [[FileAccess.COMPRESSION_ZSTD, null], [FileAccess.COMPRESSION_GZIP, null], [-1, SECRET]]:
		var key: Variant = stored_as[1]
		DirAccess.remove_absolute(path)
		check_int(VarBatch.save_bytes(path, _noise.slice(0, 9000), stored_as[0] as int, key), OK, "saving")
		var good := FileAccess.get_file_as_bytes(path)
		for length: int in range(4, good.size(), 97):
			write(path, good.slice(0, length))
			_check_fails(key, ERR_FILE_CORRUPT)
			var changed := good.duplicate()
			changed[length] ^= 1 << (length % 8)
			write(path, changed)
			# Zeros behind the last byte tell a wrong key, but for damage to these, or to the length.
			if length > 60 if key == null else length not in range(20, 28) and length < good.size() - 32:
				_check_fails(key, ERR_FILE_CORRUPT)


func test_a_small_file_does_not_become_large() -> void:
	for total: int in [100_000_000, 0x7fff_ffff, 0xffff_ffff]:
		var head := "GCPF".to_ascii_buffer() + Values.u32(FileAccess.COMPRESSION_ZSTD) + Values.u32(4096) + Values.u32(total)
		var table := PackedInt32Array()
		table.resize(ceili(total / 4096.0))
		table.fill(1)
		write(path, head + table.to_byte_array())
		var started := Time.get_ticks_msec()
		_check_fails(null, ERR_FILE_CORRUPT)
		check_time(started, 1000, "a head of %d bytes" % total)


## Where there is room for the bytes once, and not half of them more: no error, and no panic.
func test_a_file_that_just_fits_into_memory() -> void:
	const SIZE := 256 << 20
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.seek(SIZE - 1)
	file.store_8(7)
	file.close()
	for part: float in [1.2, 0.5]:
		if not _limit_memory(str(Child.status("VmSize:") + int(SIZE * part))):
			print("  prlimit limits no memory here")
			checks += 1
			break
		var lines := logged(func() -> int: return VarBatch.load_bytes(path).size())
		check(_limit_memory("unlimited"), "the limit stays")
		check_int(VarBatch.get_last_error(), OK if part > 1 else ERR_OUT_OF_MEMORY, "%s: %s" % [part, lines])
		check_int(returned as int, SIZE if part > 1 else 0, "bytes of it")


func _limit_memory(to: String) -> bool:
	return OS.execute("prlimit", ["--pid", str(OS.get_process_id()), "--as=%s:" % to]) == 0


func test_keys() -> void:
	VarBatch.save_bytes(path, _bytes, -1, SECRET)
	_check_fails(null, ERR_UNAUTHORIZED)
	_check_fails("other", ERR_UNAUTHORIZED)
	_check_fails(5, ERR_INVALID_PARAMETER)
	# Read at last, it is not set aside.
	check_bytes(VarBatch.load_bytes(path, SECRET), _bytes, "with its key")
	VarBatch.save_bytes(path, _bytes)
	_check_fails(SECRET, ERR_FILE_UNRECOGNIZED)


func test_files_that_cannot_be() -> void:
	_check_fails(null, ERR_FILE_NOT_FOUND)
	var refused := ['...begin with "GCPF" or "GDEC"...']
	for start: String in ["GCPF", "GDEC"]:
		var bytes := start.to_ascii_buffer()
		for form: String in ["save_bytes", "save_bytes_async"]:
			check_call(form, [path, bytes], ERR_INVALID_PARAMETER, refused, ERR_INVALID_PARAMETER)
		_check_both_ways(bytes, FileAccess.COMPRESSION_ZSTD, null)
		_check_both_ways(bytes, -1, SECRET)
	DirAccess.remove_absolute(path)
	DirAccess.make_dir_absolute(path)
	_check_fails(null, ERR_FILE_CANT_OPEN)
	check_forms("save_bytes", [path, _bytes], ERR_FILE_CANT_OPEN, ERR_FILE_CANT_OPEN, ['cannot save "%s": ' % path])
	var both := "...expected a compression mode or a key, found both..."
	const CODE := ERR_INVALID_PARAMETER
	check_call("save_bytes", [folder + "/new", _bytes, FileAccess.COMPRESSION_ZSTD, SECRET], CODE, [both], CODE)


func test_backups() -> void:
	for stored_as: Array in [[FileAccess.COMPRESSION_ZSTD, null], [-1, SECRET]]:
		var key: Variant = stored_as[1]
		for i: int in 3:
			check_int(VarBatch.save_bytes(path, filled_bytes(100, i), stored_as[0] as int, key, true), OK, "saving")
		check_names([path.get_file(), _bak.get_file()], "a save and its backup")
		check_bytes(VarBatch.load_bytes(path, key), filled_bytes(100, 2), "the newest")
		var good := FileAccess.get_file_as_bytes(path)
		write(path, good.slice(0, -3))
		for form: String in ["load_bytes", "load_bytes_async"]:
			check_call(form, [path, key], filled_bytes(100, 1), [INSTEAD % path + '"%s": ...' % path])
		# No better than the file itself, whose error is told.
		write(_bak, good.slice(0, 30))
		_check_fails(key, ERR_FILE_CORRUPT)
		DirAccess.remove_absolute(_bak)
		_check_fails(key, ERR_FILE_CORRUPT)
		var aside := path + ".set-aside"
		var kept := [WARNING + '..."%s"' % aside.get_file()]
		check_call("save_bytes", [path, filled_bytes(1), stored_as[0], key], OK, kept)
		check_bytes(FileAccess.get_file_as_bytes(aside), good.slice(0, -3), "set aside")
		DirAccess.remove_absolute(aside)
		# What a game has deleted stays so.
		check_int(VarBatch.save_bytes(path, filled_bytes(2), stored_as[0] as int, key, true), OK, "saving")
		DirAccess.remove_absolute(path)
		_check_fails(key, ERR_FILE_NOT_FOUND)
		DirAccess.remove_absolute(_bak)
		# Damage of the first bytes, by which its form is known.
		for i: int in 2:
			check_int(VarBatch.save_bytes(path, filled_bytes(100, i), stored_as[0] as int, key, true), OK, "saving")
		var damaged := FileAccess.get_file_as_bytes(path)
		damaged[0] ^= 1
		write(path, damaged)
		check_call(&"load_bytes", [path, key], filled_bytes(100), [INSTEAD % path + "..."])
		# Nobody has read it.
		write(path, damaged)
		check_call("save_bytes", [path, filled_bytes(1), stored_as[0], key, true], OK, kept)
		check_bytes(VarBatch.load_bytes(_bak, key), filled_bytes(100), "the last whole one")
		for left: String in [path, _bak, aside]:
			DirAccess.remove_absolute(left)
		# A disk that has lost them.
		for i: int in 2:
			check_int(VarBatch.save_bytes(path, filled_bytes(100, i), stored_as[0] as int, key, true), OK, "saving")
		damaged = FileAccess.get_file_as_bytes(path)
		for i: int in 32:
			damaged[i] = 0
		write(path, damaged)
		check_call("save_bytes", [path, filled_bytes(1), stored_as[0], key, true], OK, kept)
		check_bytes(VarBatch.load_bytes(_bak, key), filled_bytes(100), "the last whole one")
		# Further behind, and the next save has another form.
		check_int(VarBatch.save_bytes(path, filled_bytes(100, 1), stored_as[0] as int, key, true), OK, "saving")
		DirAccess.remove_absolute(aside)
		damaged = FileAccess.get_file_as_bytes(path)
		damaged[damaged.size() - 5] ^= 1
		write(path, damaged)
		check_call("save_bytes", [path, filled_bytes(1), -1, null, true], OK, kept)
		check_bytes(VarBatch.load_bytes(_bak, key), filled_bytes(1), "the last whole one")
		# Of another process, and plain since.
		for i: int in 3:
			write(path, filled_bytes(200, i + 1))
			check_call("save_bytes", [path, filled_bytes(1), -1, null, true], OK, [])
		for left: String in [path, _bak, aside]:
			DirAccess.remove_absolute(left)
	# What this process has saved is whole in any form, also as the backup of another, and if it begins with zeros.
	for stored_as: Array in [[-1, null], [FileAccess.COMPRESSION_ZSTD, null], [-1, SECRET], [-1, "other"], [-1, null]]:
		check_call("save_bytes", [path, _bytes, stored_as[0], stored_as[1], true], OK, [])
		check_call("save_var", [path, 1, false, -1 if stored_as[1] else stored_as[0], stored_as[1], true], OK, [])
		check_call("save_vars", [path, [1], false, -1, null, true, _bytes], OK, [])
		check_call("save_bytes", [path, filled_bytes(100, 0), stored_as[0], stored_as[1], true], OK, [])
		check_call("save_bytes", [path, filled_bytes(100, 0), -1, null, true], OK, [])
	check_names([path.get_file(), _bak.get_file()], "other forms")
	_check_fails(SECRET, ERR_FILE_UNRECOGNIZED)
	DirAccess.remove_absolute(path)
	check_int(VarBatch.save_bytes(path, _bytes, -1, null, true), OK, "saving")
	check_int(VarBatch.save_bytes(path, PackedByteArray(), -1, null, true), OK, "saving")
	check_bytes(VarBatch.load_bytes(path), PackedByteArray(), "no bytes are no damage")
	check_bytes(VarBatch.load_bytes(_bak), _bytes, "its backup")
	write(path, filled_bytes(5))
	write(path, PackedByteArray())
	for form: String in ["load_bytes", "load_bytes_async"]:
		check_call(form, [path], _bytes, [INSTEAD % path + "..."])
	check_int(VarBatch.save_bytes(_bak, _bytes, -1, SECRET), OK, "saving")
	check_call(&"load_bytes", [path, SECRET], _bytes, [INSTEAD % path + "..."])
	write(_bak, PackedByteArray())
	check_bytes(VarBatch.load_bytes(path), PackedByteArray(), "no backup is better")


func _check_fails(key: Variant, code: int) -> void:
	check_forms("load_bytes", [path, key], PackedByteArray(), code, ['"%s": ' % path])


## The last call wins, among values as well.
func test_order() -> void:
	for count: int in by_threads():
		var tasks: Array[VarBatchTask] = []
		for i: int in 20:
			tasks.append(VarBatch.save_bytes_async(path, filled_bytes(3_000_000 if i % 3 else 10, i)))
			tasks.append(VarBatch.save_var_async(path, i))
		tasks.append(VarBatch.save_bytes_async(path, "last".to_utf8_buffer()))
		end_saves(tasks)
		check_bytes(VarBatch.load_bytes(path), "last".to_utf8_buffer(), "the last")
		check_names([path.get_file()], "saves")


func test_project_files() -> void:
	var script := "res://conformance/support/suite.gd"
	check_bytes(VarBatch.load_bytes(script), FileAccess.get_file_as_bytes(script), "a file of the project")
