extends RefCounted
## The demo's command line options, after `--`.

const USAGE := """options:
  --chunks N         size of the world (512)
  --seed N           which world (1)
  --rounds N         rounds; the best of each step counts (15)
  --mib N            size of the saves; the disk needs three times as much (256)
  --save-rounds N    rounds of saving; medians count (3; with a display 1, and more with its button)
  --tab NAME         what is shown first: bytes or saves (bytes)
  --quit             end after the run, with a display too
  --screenshot PATH  save a picture of the window after the run, and end"""

var chunk_count := 512
var world_seed := 1
var round_count := 15
var mib := 256
var save_round_count := 1 if DisplayServer.get_name() != "headless" else 3
## True if the window first shows the tab of the saves.
var shows_saves := false
var quit := false
var screenshot := ""
## The error in the command line, or "".
var problem := ""


func _init(arguments: PackedStringArray) -> void:
	var at := 0
	while at < arguments.size() and problem.is_empty():
		var value := arguments[at + 1] if at + 1 < arguments.size() else ""
		match arguments[at]:
			"--chunks":
				chunk_count = _number(value, 1)
			"--seed":
				world_seed = _number(value, 0)
			"--rounds":
				round_count = _number(value, 1)
			"--mib":
				mib = _number(value, 1)
			"--save-rounds":
				save_round_count = _number(value, 1)
			"--tab":
				shows_saves = value == "saves"
				if value not in ["bytes", "saves"]:
					problem = "--tab takes bytes or saves, found '%s'" % value
			"--screenshot":
				screenshot = value
				quit = true
				if value.is_empty():
					problem = "--screenshot needs a path"
			"--quit":
				quit = true
				at -= 1  # It has no value.
			_:
				problem = "unknown option %s" % arguments[at]
		at += 2


func _number(text: String, least: int) -> int:
	if not text.is_valid_int() or text.to_int() < least:
		problem = "expected a number of at least %d, found '%s'" % [least, text]
	return text.to_int()
