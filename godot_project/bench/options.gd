extends RefCounted
## The command line options of the bench.

## What is measured: in this process by default, or with one of these.
const SETS: Array[String] = ["cold", "files"]
const NUMBERS: Array[String] = ["mib", "rounds", "runs", "slow-flush"]

## "", or one of [constant SETS].
var set_name := ""
## The size of saved files.
var mib := 256
## How often each save and load is timed; of the cold set, the processes of each way.
var rounds := 0
## How often each task is timed.
var runs := 15
## True if only VarBatch is timed, to compare libraries.
var alone := false
## True for cases that are only fair without flushing.
var no_flush := false
## Milliseconds that each flush of a store takes longer, see scripts/slow-flush.c.
var slow_flush := 0
## What starts an engine, where the executable of this process does not do it alone.
var engine := OS.get_executable_path()
## In a process that makes one cold call: the row, the way and the folder for files.
var call_arguments: PackedStringArray = []
var filters: PackedStringArray = []
## The error, or "".
var problem := ""


func _init(arguments: PackedStringArray) -> void:
	var at := 0
	while at < arguments.size() and problem.is_empty():
		var name := arguments[at].trim_prefix("--")
		var value := arguments[at + 1] if at + 1 < arguments.size() else ""
		at += 1
		if not arguments[at - 1].begins_with("--"):
			filters.append(name)
		elif name == "call":
			call_arguments = arguments.slice(at)
			return
		elif name in SETS:
			set_name = name
		elif name == "alone":
			alone = true
		elif name == "no-flush":
			no_flush = true
			problem = _check_no_flush()
		elif name == "engine":
			engine = value
			at += 1
		elif name in NUMBERS and value.is_valid_int() and value.to_int() > 0:
			set(name.replace("-", "_"), value.to_int())
			at += 1
		else:
			problem = "unknown option, or no number for it: --%s" % name
	if rounds == 0:
		rounds = 7 if set_name == "cold" else 9


## A device cannot be flushed: this succeeds only if flushing does nothing.
func _check_no_flush() -> String:
	if OS.execute("sync", ["-d", "/dev/null"]) == 0:
		return ""
	return "--no-flush is for a process that scripts/bench.sh starts"
