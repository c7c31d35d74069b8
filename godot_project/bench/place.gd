extends RefCounted
## The files of a run, of the bench or of the demo: their own folder in user://. Everything is measured on
## its disk.

const MIB := 1 << 20
## Instead of a compression mode: encrypted with this password.
const ENCRYPTED := -2
const PASSWORD := "password"
## The number of files of `--mib` at the same time: three that are kept, two that replace others,
## and one spare.
const FILES := 6
## Files of a run that was killed are removed after this time.
const _OLD_SECONDS := 1_800
## VarBatch frees the file that it replaced in the background.
const _FREEING_MSEC := 250

var folder := ""

var _prefix := ""


## The names of its folders begin with [param prefix].
func _init(prefix: String) -> void:
	_prefix = prefix
	folder = ProjectSettings.globalize_path("user://%s%d" % [prefix, OS.get_process_id()])


## Makes the folder, for files of [param mib] MiB each. Returns the error, or "".
func prepare(mib: int, count := FILES) -> String:
	_remove_old()
	var error := DirAccess.make_dir_recursive_absolute(folder)
	var opened := DirAccess.open(folder)
	if opened == null:
		return "cannot write to %s: %s" % [folder, error_string(error)]
	var free := opened.get_space_left() / MIB
	if free < mib * count:
		return (
			"too little room: %d MiB are needed in %s, and %d are free. Try --mib %d"
			% [mib * count, folder, free, maxi(free / count, 1)]
		)
	return ""


func path(name: String) -> String:
	return folder.path_join(name)


func remove_files() -> void:
	for name: String in DirAccess.get_files_at(folder):
		DirAccess.remove_absolute(path(name))


func remove_all() -> void:
	_remove_folder(folder)


## Waits until the disk is idle: the next measurement would pay for its work.
func settle() -> void:
	OS.delay_msec(_FREEING_MSEC)
	OS.execute("sync", ["-f", folder])


## Saves as a script does without VarBatch.
static func store(at: String, values: Array, mode := -1) -> void:
	var file := open(at, FileAccess.WRITE, mode)
	for value: Variant in values:
		file.store_var(value)
	file.close()


## Loads as a script does without VarBatch.
static func fetch(at: String, mode := -1) -> Array:
	var values: Array = []
	var file := open(at, FileAccess.READ, mode)
	var length := file.get_length()
	while file.get_position() < length:
		values.append(file.get_var())
	return values


## Opens a compressed file, an encrypted one, or a plain one if the mode is none of these.
static func open(at: String, flags: FileAccess.ModeFlags, mode := -1) -> FileAccess:
	if mode == ENCRYPTED:
		return FileAccess.open_encrypted_with_pass(at, flags, PASSWORD)
	if mode < 0:
		return FileAccess.open(at, flags)
	return FileAccess.open_compressed(at, flags, mode as FileAccess.CompressionMode)


## Returns where two files differ, or "".
static func difference(expected_path: String, found_path: String) -> String:
	var expected := FileAccess.open(expected_path, FileAccess.READ)
	var found := FileAccess.open(found_path, FileAccess.READ)
	if expected == null or found == null:
		return "cannot read %s and %s" % [expected_path, found_path]
	if expected.get_length() != found.get_length():
		return "%d bytes, expected %d" % [found.get_length(), expected.get_length()]
	while expected.get_position() < expected.get_length():
		var at := expected.get_position()
		if expected.get_buffer(8 * MIB) != found.get_buffer(8 * MIB):
			return "differs from the engine's file after byte %d" % at
	return ""


func _remove_old() -> void:
	for name: String in DirAccess.get_directories_at("user://"):
		var old := "user://" + name
		var age := Time.get_unix_time_from_system() - FileAccess.get_modified_time(old)
		if name.begins_with(_prefix) and age > _OLD_SECONDS:
			_remove_folder(old)


static func _remove_folder(old: String) -> void:
	if not DirAccess.dir_exists_absolute(old):
		return
	for name: String in DirAccess.get_files_at(old):
		DirAccess.remove_absolute(old.path_join(name))
	DirAccess.remove_absolute(old)
