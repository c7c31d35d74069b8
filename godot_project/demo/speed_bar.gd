extends Control
## A horizontal bar whose length shows a speed.

const _TRACK := Color(1.0, 1.0, 1.0, 0.05)
const _THICKNESS := 14.0

var color := Color.WHITE
## The filled part of the width, from 0 to 1.
var fraction := 0.0:
	set(value):
		fraction = value
		queue_redraw()


func _draw() -> void:
	_draw_bar(1.0, _TRACK)
	if fraction > 0.0:
		_draw_bar(fraction, color)


func _draw_bar(part: float, bar_color: Color) -> void:
	var style := StyleBoxFlat.new()
	style.bg_color = bar_color
	style.set_corner_radius_all(int(_THICKNESS / 2.0))
	var width := maxf(size.x * part, _THICKNESS)
	draw_style_box(style, Rect2(0.0, (size.y - _THICKNESS) / 2.0, width, _THICKNESS))
