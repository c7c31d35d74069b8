extends "res://demo/text_grid.gd"
## The demo's table in the window: the cells of the plain table, and a bar for each speed.

const Palette = preload("res://demo/palette.gd")
const Row = preload("res://demo/row.gd")
const Table = preload("res://demo/table.gd")

const _ROW_HEIGHT := 34.0
const _BAR_HEIGHT := 14
## Width of the columns; the bars take the remaining width.
const _WIDTHS: Array[float] = [84.0, 244.0, 104.0, 72.0, 78.0, 76.0]

## The labels of each row, in the order of the plain table.
var _labels: Array[Array] = []
var _bars: Array[ProgressBar] = []


func refresh(rows: Array[Row]) -> void:
	if _labels.is_empty():
		add_line(Table.TITLES, _WIDTHS, _ROW_HEIGHT, Palette.DIM, 15, 2, Control.new())
		for row: Row in rows:
			_add_row(row)
	var fastest := 1.0
	for row: Row in rows:
		fastest = maxf(fastest, row.megabytes_per_second())
	for index in rows.size():
		var cells := Table.cells(rows[index])
		for column in cells.size():
			_labels[index][column].text = cells[column]
		if not rows[index].by_engine:  # Shows the name of a group only once.
			_labels[index][0].text = ""
		_bars[index].value = rows[index].megabytes_per_second() / fastest


func _add_row(row: Row) -> void:
	var color := Palette.ENGINE if row.by_engine else Palette.VARBATCH
	var bar := ProgressBar.new()
	bar.max_value = 1.0
	bar.step = 0.0
	bar.show_percentage = false
	bar.custom_minimum_size.y = _BAR_HEIGHT
	bar.size_flags_vertical = SIZE_SHRINK_CENTER
	bar.add_theme_stylebox_override(&"background", _style(Palette.FAINT))
	bar.add_theme_stylebox_override(&"fill", _style(color))
	var labels := add_line(Table.cells(row), _WIDTHS, _ROW_HEIGHT, Palette.TEXT, 17, 2, bar)
	labels[0].add_theme_color_override(&"font_color", Palette.DIM)
	labels[-1].add_theme_color_override(&"font_color", color)
	_bars.append(bar)
	_labels.append(labels)


static func _style(color: Color) -> StyleBoxFlat:
	var style := StyleBoxFlat.new()
	style.bg_color = color
	style.set_corner_radius_all(_BAR_HEIGHT / 2)
	return style
