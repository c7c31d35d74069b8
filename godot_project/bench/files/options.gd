extends RefCounted
## The command line options.

## Starts a process that measures its own memory; the data, the way and the folder follow.
const PROBE := "--probe"
const _NUMBERS: Array[String] = ["--mib", "--rounds", "--runs"]

var mib := 256
var rounds := 9
var runs := 15
var no_flush := false
var probe: PackedStringArray = []
var filters: PackedStringArray = []
## The error, or "".
var problem := ""


func _init(arguments: PackedStringArray) -> void:
	var at := 0
	while at < arguments.size() and problem.is_empty():
		var argument := arguments[at]
		at += 1
		if argument == PROBE:
			probe = arguments.slice(at)
			return
		if argument == "--no-flush":
			no_flush = true
			problem = _check_no_flush()
		elif argument in _NUMBERS:
			_read(argument.trim_prefix("--"), arguments[at] if at < arguments.size() else "")
			at += 1
		elif argument.begins_with("--"):
			problem = "unknown option: %s" % argument
		else:
			filters.append(argument)


func _read(option: String, text: String) -> void:
	if not text.is_valid_int() or text.to_int() < 1:
		problem = "--%s needs a number" % option
	set(option, text.to_int())


## A device cannot be flushed: this succeeds only if flushing does nothing.
func _check_no_flush() -> String:
	if OS.execute("sync", ["-d", "/dev/null"]) == 0:
		return ""
	return "--no-flush is for a process that scripts/bench-files.sh starts"
