extends GridContainer
## The demo's table in the window: the cells of the plain table, and a bar for each speed.

const Palette = preload("res://demo/palette.gd")
const Row = preload("res://demo/row.gd")
const SpeedBar = preload("res://demo/speed_bar.gd")
const Table = preload("res://demo/table.gd")

const _ROW_HEIGHT := 21.0
## Width of the columns; the bars take the remaining width.
const _WIDTHS: Array[float] = [84.0, 244.0, 104.0, 72.0, 78.0, 76.0]
const _BAR_COLUMN := 5

var _rows: Array[Row] = []
## The labels of each row, in the order of the plain table.
var _labels: Array[Array] = []
var _bars: Array[SpeedBar] = []


func show_rows(rows: Array[Row]) -> void:
	for child: Node in get_children():
		child.queue_free()
		remove_child(child)
	_labels.clear()
	_bars.clear()
	_rows = rows
	columns = _WIDTHS.size() + 1
	_add_line(Table.TITLES, Palette.DIM, 13, null)
	for index in rows.size():
		if index > 0 and rows[index].group != rows[index - 1].group:
			_add_gap()
		_add_line(Table.cells(rows[index]), Palette.TEXT, 15, rows[index])
	refresh()


func refresh() -> void:
	var fastest := 1.0
	for row: Row in _rows:
		fastest = maxf(fastest, row.megabytes_per_second())
	for index in _rows.size():
		var cells := Table.cells(_rows[index])
		for column in cells.size():
			_labels[index][column].text = cells[column]
		# Shows the name of a group only once.
		if index > 0 and _rows[index].group == _rows[index - 1].group:
			_labels[index][0].text = ""
		_bars[index].fraction = _rows[index].megabytes_per_second() / fastest


func _add_line(texts: Array, color: Color, font_size: int, row: Row) -> void:
	var labels: Array[Label] = []
	for column in texts.size():
		if column == _BAR_COLUMN:
			_add_bar(row)
		var label := Label.new()
		label.text = texts[column]
		label.custom_minimum_size = Vector2(_WIDTHS[column], _ROW_HEIGHT)
		label.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
		if column > 1:
			label.horizontal_alignment = HORIZONTAL_ALIGNMENT_RIGHT
		var is_result := row != null and not row.by_engine and column == texts.size() - 1
		label.add_theme_color_override(&"font_color", _cell_color(row, column, color))
		label.add_theme_font_size_override(&"font_size", font_size + (2 if is_result else 0))
		labels.append(label)
		add_child(label)
	if row != null:
		_labels.append(labels)


func _cell_color(row: Row, column: int, color: Color) -> Color:
	if row == null or column == 0:
		return Palette.DIM
	if column == _BAR_COLUMN:
		return Palette.ENGINE if row.by_engine else Palette.VARBATCH
	return color


func _add_bar(row: Row) -> void:
	if row == null:
		add_child(Control.new())
		return
	var bar := SpeedBar.new()
	bar.color = Palette.ENGINE if row.by_engine else Palette.VARBATCH
	bar.size_flags_horizontal = SIZE_EXPAND_FILL
	_bars.append(bar)
	add_child(bar)


func _add_gap() -> void:
	for _column in columns:
		var gap := Control.new()
		gap.custom_minimum_size.y = 6.0
		add_child(gap)
