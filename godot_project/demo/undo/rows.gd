extends Control
## A list of rows, as many as fit: the first column is dim, the last one is aligned right.

const Palette = preload("res://demo/palette.gd")

const _ROW_HEIGHT := 20.0
const _FONT_SIZE := 13
const _TITLE_SIZE := 15
const _TITLE_HEIGHT := 30.0
## The x position of the second column.
const _COLUMN := 62.0
const _GAP := 10.0

var title := "":
	set(value):
		title = value
		queue_redraw()
var rows: Array[PackedStringArray] = []:
	set(value):
		rows = value
		queue_redraw()
## The row that is highlighted; all rows after it are faint. -1 for none.
var marked := -1


func _draw() -> void:
	var font := get_theme_default_font()
	var left := HORIZONTAL_ALIGNMENT_LEFT
	draw_string(font, Vector2(0.0, 15.0), title, left, size.x, _TITLE_SIZE, Palette.TEXT)
	var room := int((size.y - _TITLE_HEIGHT) / _ROW_HEIGHT)
	var shown := mini(rows.size(), room)
	if marked < 0 and shown < rows.size():
		shown -= 1
	# Keeps the highlighted row visible, with as many rows before it as after it.
	var first := clampi(marked - shown / 2, 0, rows.size() - shown)
	for index: int in shown:
		_draw_row(font, first + index, _TITLE_HEIGHT + (index + 0.6) * _ROW_HEIGHT)
	if marked < 0 and shown < rows.size():
		var at := Vector2(0.0, _TITLE_HEIGHT + (shown + 0.6) * _ROW_HEIGHT)
		var more := "and %d more" % (rows.size() - shown)
		draw_string(font, at, more, left, size.x, _FONT_SIZE, Palette.DIM)


func _draw_row(font: Font, index: int, y: float) -> void:
	var row := rows[index]
	var colors: Array[Color] = [Palette.DIM, Palette.TEXT, Palette.VARBATCH]
	if index == marked:
		draw_rect(Rect2(-8.0, y - 15.0, size.x + 16.0, _ROW_HEIGHT), Palette.BAND)
	elif marked >= 0 and index > marked:
		colors.fill(Palette.ENGINE.darkened(0.4))
	var right := HORIZONTAL_ALIGNMENT_RIGHT
	var left := HORIZONTAL_ALIGNMENT_LEFT
	draw_string(font, Vector2(0.0, y), row[0], left, _COLUMN, _FONT_SIZE, colors[0])
	var width := size.x - _COLUMN - _GAP
	draw_string(font, Vector2(_COLUMN + _GAP, y), row[1], left, width, _FONT_SIZE, colors[1])
	draw_string(font, Vector2(_COLUMN + _GAP, y), row[2], right, width, _FONT_SIZE, colors[2])
