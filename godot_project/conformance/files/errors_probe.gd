extends "files_base.gd"
## A process without rights or without space, which errors.gd starts: all of its calls must fail with
## one code. Arguments: what to do, the code, and the paths. Prints what was otherwise.

const FAILURE := "failure: "
const Child := preload("../support/child.gd")

var _code := Child.own_arguments()[1].to_int()


func _ready() -> void:
	errors = ErrorLog.new()
	errors.open()
	for to: String in Child.own_arguments().slice(2):
		match Child.own_arguments()[0]:
			"load":
				_check_engine(to, FileAccess.READ)
				check_forms("load_vars", [to], [], _code, ['cannot load "%s": ' % to])
			"save":
				# It can write to the old file itself.
				if not FileAccess.file_exists(to):
					_check_engine(to, FileAccess.WRITE)
				_check_save(to, [1, 2], [-1, FileAccess.COMPRESSION_ZSTD])
			"fill":
				_fill(to)
			"append":
				_append(to)
	finish()
	errors.close()
	for failure: String in failures:
		print(FAILURE + failure)
	print(Child.LAST_LINE)
	get_tree().quit()


func _check_engine(to: String, flags: FileAccess.ModeFlags) -> void:
	check(FileAccess.open(to, flags) == null, "the engine opens %s" % to)
	check_int(FileAccess.get_open_error(), _code, "the engine's code")


## More than fits: in one piece, in many, and such as no compression makes fit.
func _fill(to: String) -> void:
	var noise := Crypto.new().generate_random_bytes(1 << 20)
	var piece := func(i: int) -> PackedByteArray: return noise.slice(1024 * i, 1024 * i + 1024)
	var pieces := range(1024).map(piece)
	var texts := pieces.map(func(of: PackedByteArray) -> String: return of.hex_encode())
	for values: Array in [[noise], pieces, texts, [pieces, texts]]:
		_check_save(to, values, ALL_MODES.slice(0, 3))


## Tasks that write together more than fits, of which each ends as if it were alone.
func _append(to: String) -> void:
	var values := range(100).map(func(i: int) -> Array: return [i, _noise.slice(0, 1000)])
	var tasks := values.map(func(value: Array) -> VarBatchTask: return VarBatch.append_vars_async(to, [value]))
	var added: Array = []
	var count_added := func() -> void:
		for i: int in tasks.size():
			var error: int = (tasks[i] as VarBatchTask).wait()
			check(error in [OK, _code], "append %d gives %d" % [i, error])
			added.append_array([values[i]] if error == OK else [])
	quietly(count_added)
	check(added.size() > 10 and added.size() < 70, "%d values fit" % added.size())
	check_same(VarBatch.load_vars(to), added, "the values that were added")


func _check_save(to: String, values: Array, modes: PackedInt32Array) -> void:
	for mode: int in modes:
		check_forms("save_vars", [to, values, false, mode], _code, _code, ['cannot save "%s": ' % to])
