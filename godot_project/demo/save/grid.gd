extends "res://demo/text_grid.gd"
## The table of the saves in the window: the cells of the plain table.

const Palette = preload("res://demo/palette.gd")
const Run = preload("res://demo/save/run.gd")
const Table = preload("res://demo/save/table.gd")

const _ROW_HEIGHT := 28.0
const _LONGEST_COLUMN := 3

## What makes the cells.
@export var table: GDScript = Table

## The labels of each way, in the order of the plain table.
var _labels: Array[Array] = []


func refresh(run: Run) -> void:
	if _labels.is_empty():
		add_line(table.TITLES, table.WIDTHS, _ROW_HEIGHT, Palette.DIM, 15)
		for index in run.ways.size():
			var color := Palette.TEXT if run.ways[index].is_by_varbatch() else Palette.DIM
			var cells: PackedStringArray = table.cells(run, run.ways[index])
			_labels.append(add_line(cells, table.WIDTHS, _ROW_HEIGHT, color, 17))
	var late_usec := Table.late_usec(run)
	for index in run.ways.size():
		var cells: PackedStringArray = table.cells(run, run.ways[index])
		var is_late := Table.longest(run.ways[index]) > late_usec
		for column in cells.size():
			var label: Label = _labels[index][column]
			label.text = cells[column]
			if column >= _LONGEST_COLUMN and index > 0:
				var color := Palette.HITCH if is_late else Palette.VARBATCH
				label.add_theme_color_override(&"font_color", color)
