extends "files_base.gd"
## Base of the suites on what is done while too many files are open.

const FULL := ERR_CANT_ACQUIRE_RESOURCE

## Open files at most, while a test lasts, and what was the most before.
const LIMIT := "96"
var _limit := ""


## False if nothing limits them here.
func _begins() -> bool:
	var output: Array = []
	var arguments := ["--pid", str(OS.get_process_id()), "--nofile", "--output", "SOFT", "--noheadings"]
	if OS.has_feature("linux") and OS.execute("prlimit", arguments, output) == 0 and _limit_to(LIMIT):
		_limit = str(output[0]).strip_edges()
		return true
	print("  prlimit limits no files here")
	checks += 1
	return false


func finish() -> void:
	check(not _limit or _limit_to(_limit), "the limit stays")
	super()


func _limit_to(count: String) -> bool:
	return OS.execute("prlimit", ["--pid", str(OS.get_process_id()), "--nofile=%s:" % count]) == 0


## Takes all handles but a few, which last as long as what is returned.
func _take(left: int) -> Array[FileAccess]:
	var taken: Array[FileAccess] = []
	while true:
		var file := FileAccess.open(folder + "/taken", FileAccess.READ_WRITE if taken else FileAccess.WRITE_READ)
		if file == null:
			break
		taken.append(file)
	taken.resize(maxi(taken.size() - left, 0))
	return taken
