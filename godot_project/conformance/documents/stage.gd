extends Node
## What an example of a document runs in: the scene that it speaks of, and what is wrong.

var failures: PackedStringArray = []


func _init() -> void:
	var bar := ProgressBar.new()
	bar.name = "ProgressBar"
	add_child(bar)
	var sprite := Sprite2D.new()
	sprite.name = "Sprite2D"
	add_child(sprite)


func expect(is_good: bool, what: String) -> void:
	if not is_good:
		failures.append(what)
