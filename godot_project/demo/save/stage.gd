extends Control
## The game that must not stutter: comets on a smooth path, each at its position for that time, so
## that a late frame is visible at once. Below them, what the game says about the save.

const Palette = preload("res://demo/palette.gd")

const _COMETS := 3
const _DOTS := 64
## The distance on the path between two dots of a comet, in radians.
const _SPACING := 0.019
const _RADIANS_PER_SECOND := 1.8
const _DOT_SIZE := 15.0
const _MARGIN := 18.0
const _NOTICE_HEIGHT := 34.0
const _FONT_SIZE := 15

var notice := ""
## The saved part, from 0 to 1.
var fraction := 0.0

var _dot := _glow()


func _process(_delta: float) -> void:
	if is_visible_in_tree():
		queue_redraw()


func _draw() -> void:
	var now := Time.get_ticks_usec() / 1_000_000.0 * _RADIANS_PER_SECOND
	for comet in _COMETS:
		var color := Palette.VARBATCH.lerp(Palette.BLUE, comet / (_COMETS - 1.0))
		for index in range(_DOTS - 1, -1, -1):
			var age := float(index) / _DOTS
			var at := _path(now + TAU * comet / _COMETS - index * _SPACING)
			var side := _DOT_SIZE * (1.0 - 0.75 * age)
			color.a = pow(1.0 - age, 2.0) * 0.75
			var corner := at - Vector2.ONE * side / 2.0
			draw_texture_rect(_dot, Rect2(corner, Vector2.ONE * side), false, color)
	_draw_notice()


func _draw_notice() -> void:
	var bottom := size.y - _MARGIN + 4.0
	var width := size.x - 2.0 * _MARGIN
	var at := Vector2(_MARGIN, bottom - 14.0)
	var color := Palette.TEXT if fraction > 0.0 else Palette.DIM
	var left := HORIZONTAL_ALIGNMENT_LEFT
	draw_string(get_theme_default_font(), at, notice, left, width, _FONT_SIZE, color)
	draw_rect(Rect2(_MARGIN, bottom - 5.0, width, 5.0), Palette.FAINT)
	draw_rect(Rect2(_MARGIN, bottom - 5.0, width * fraction, 5.0), Palette.VARBATCH)


## A figure eight across the whole stage.
func _path(turn: float) -> Vector2:
	var room := Vector2(size.x, size.y - _NOTICE_HEIGHT) / 2.0
	var reach := room - Vector2.ONE * _MARGIN
	return room + Vector2(cos(turn), sin(turn * 2.0)) * reach


static func _glow() -> GradientTexture2D:
	var texture := GradientTexture2D.new()
	texture.width = 32
	texture.height = 32
	texture.fill = GradientTexture2D.FILL_RADIAL
	texture.fill_from = Vector2(0.5, 0.5)
	texture.fill_to = Vector2(1.0, 0.5)
	texture.gradient = Gradient.new()
	texture.gradient.offsets = [0.0, 0.35, 1.0]
	texture.gradient.colors = [Color.WHITE, Color(1, 1, 1, 0.8), Color(1, 1, 1, 0)]
	return texture
