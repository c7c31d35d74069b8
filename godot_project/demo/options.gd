extends RefCounted
## What the demo was asked for on the command line, after `--`.

const USAGE := """options:
  --chunks N         size of the world (512)
  --seed N           which world (1)
  --rounds N         rounds; the best of each step counts (15)
  --quit             end after the run, with a display too
  --screenshot PATH  save a picture of the window after the run, and end"""

var chunk_count := 512
var world_seed := 1
var round_count := 15
var quit := false
var screenshot := ""
## What is wrong with the command line, or "".
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
