extends "res://demo/text_grid.gd"
## The table of what games hold in the window: the cells of the plain table.

const Kind = preload("res://demo/kinds/kind.gd")
const Palette = preload("res://demo/palette.gd")
const Run = preload("res://demo/kinds/run.gd")
const Table = preload("res://demo/kinds/table.gd")

const _ROW_HEIGHT := 21.0
const _WIDTHS: Array[float] = [180.0, 84.0, 108.0, 48.0, 108.0, 48.0, 108.0, 48.0, 108.0, 48.0]
const _FIRST_RACE_COLUMN := 2

## The labels of each kind, in the order of the plain table.
var _labels: Array[Array] = []


func refresh(run: Run) -> void:
	if _labels.is_empty():
		add_line(Table.TITLES, _WIDTHS, _ROW_HEIGHT, Palette.DIM, 13)
		for kind in run.kinds:
			_labels.append(_add_kind(kind))
	for index in run.kinds.size():
		var kind := run.kinds[index]
		var cells := Table.cells(kind)
		for column in cells.size():
			var label: Label = _labels[index][column]
			label.text = cells[column]
			if _is_speed(column):
				var is_slower := kind.races[(column - _FIRST_RACE_COLUMN) / 2].ratio() < 1.0
				var color := Palette.HITCH if is_slower else Palette.VARBATCH
				label.add_theme_color_override(&"font_color", color)


func _add_kind(kind: Kind) -> Array[Label]:
	var labels := add_line(Table.cells(kind), _WIDTHS, _ROW_HEIGHT, Palette.TEXT, 15)
	for column in range(_FIRST_RACE_COLUMN, labels.size()):
		if not _is_speed(column):
			labels[column].add_theme_color_override(&"font_color", Palette.DIM)
	return labels


func _is_speed(column: int) -> bool:
	return column >= _FIRST_RACE_COLUMN and (column - _FIRST_RACE_COLUMN) % 2 == 1
