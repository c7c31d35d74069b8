extends RefCounted
## The demo's command line options, after `--`.

const USAGE := """options:
  --chunks N         size of the worlds (512)
  --seed N           which world (1)
  --rounds N         rounds; the best of each step counts (15)
  --mib N            size of the saves; the disk needs three times as much (256)
  --save-rounds N    rounds of saving; medians count (3; with a display 1, more with its button);
                     a round of the last part has one save in each way, and five with a display
  --tab NAME         what is shown first: bytes, saves or world (bytes)
  --quit             end after the run, with a display too
  --screenshot PATH  save a picture of the window after the run, and end"""
## The variable of each number, and the least that it takes.
const _NUMBERS: Dictionary[String, Array] = {
	"--chunks": [&"chunk_count", 1],
	"--seed": [&"world_seed", 0],
	"--rounds": [&"round_count", 1],
	"--mib": [&"mib", 1],
	"--save-rounds": [&"save_round_count", 1],
}

var chunk_count := 512
var world_seed := 1
var round_count := 15
var mib := 256
var save_round_count := 1 if DisplayServer.get_name() != "headless" else 3
## The tab that the window shows first.
var tab := "bytes"
var quit := false
var screenshot := ""
## The error in the command line, or "".
var problem := ""


func _init(arguments: PackedStringArray) -> void:
	var at := 0
	while at < arguments.size() and problem.is_empty():
		var name := arguments[at]
		var value := arguments[at + 1] if at + 1 < arguments.size() else ""
		at += 1 if name == "--quit" else 2
		if name == "--quit":
			quit = true
		elif name == "--tab" and value in ["bytes", "saves", "world"]:
			tab = value
		elif name == "--screenshot" and not value.is_empty():
			screenshot = value
			quit = true
		elif name in _NUMBERS and value.is_valid_int() and value.to_int() >= _NUMBERS[name][1]:
			set(_NUMBERS[name][0] as StringName, value.to_int())
		else:
			problem = "unknown option, or not its value: %s %s" % [name, value]
