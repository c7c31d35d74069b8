extends RefCounted
## The files of a run: their own folder in user://, the disk space that they need, and whether they
## are equal.

const MIB := 1 << 20
## Bytes that are compared at a time.
const PIECE_MIB := 8
const _NAME := "varbatch_demo_"
## Files of a run that was killed are removed after this time.
const _OLD_SECONDS := 600

var paths: PackedStringArray = []
## The error, or "".
var problem := ""

var _folder := "user://%s%d" % [_NAME, OS.get_process_id()]
var _compared := 0


func _init(count: int) -> void:
	for index in count:
		paths.append("%s/%d.vars" % [_folder, index])


## The disk space that a run takes: all files are kept until they are compared.
static func needed_mib(file_count: int, file_mib: int) -> int:
	return file_count * (file_mib + 1)


## Makes the folder. Sets `problem` if that fails, or if the disk is too full.
func prepare(file_mib: int) -> void:
	problem = ""
	_compared = 0
	_remove_old()
	var error := DirAccess.make_dir_recursive_absolute(_folder)
	var folder := DirAccess.open(_folder)
	var place := ProjectSettings.globalize_path("user://")
	if folder == null:
		problem = "cannot write to %s: %s" % [place, error_string(error)]
		return
	var needed := needed_mib(paths.size(), file_mib)
	var free := folder.get_space_left() / MIB
	if free < needed:
		problem = (
			"too little room: the saves need %d MiB in %s, and %d MiB are free. Try --mib %d"
			% [needed, place, free, maxi(free / paths.size() - 1, 1)]
		)


func remove_files() -> void:
	for path: String in paths:
		if FileAccess.file_exists(path):
			DirAccess.remove_absolute(path)


func remove_all() -> void:
	_remove_folder(_folder)


## Compares the next piece of each file with that of the first; returns true if more remains.
func compare_some() -> bool:
	var expected := _piece(0)
	for index in range(1, paths.size()):
		if _piece(index) != expected and problem.is_empty():
			problem = "the files of store_var and VarBatch differ after byte %d" % _compared
	if not problem.is_empty():
		return false
	_compared += expected.size()
	if expected.size() == PIECE_MIB * MIB:
		return true
	_compared = 0
	return false


func _piece(index: int) -> PackedByteArray:
	var file := FileAccess.open(paths[index], FileAccess.READ)
	if file == null:
		problem = "cannot read %s" % paths[index]
		return []
	file.seek(_compared)
	return file.get_buffer(PIECE_MIB * MIB)


static func _remove_old() -> void:
	for name: String in DirAccess.get_directories_at("user://"):
		var folder := "user://" + name
		var age := Time.get_unix_time_from_system() - FileAccess.get_modified_time(folder)
		if name.begins_with(_NAME) and age > _OLD_SECONDS:
			_remove_folder(folder)


static func _remove_folder(folder: String) -> void:
	if not DirAccess.dir_exists_absolute(folder):
		return
	for name: String in DirAccess.get_files_at(folder):
		DirAccess.remove_absolute(folder.path_join(name))
	DirAccess.remove_absolute(folder)
