extends GridContainer
## A grid of texts. Those of the first columns begin at their left, the others end at their right.


## Adds a line with a text for each of [param widths], and returns its labels. A [param bar] comes before
## the last one.
func add_line(
	texts: Array,
	widths: Array[float],
	height: float,
	color: Color,
	font_size: int,
	text_columns := 1,
	bar: Control = null
) -> Array[Label]:
	columns = widths.size() + (1 if bar != null else 0)
	var labels: Array[Label] = []
	for column in texts.size():
		if bar != null and column == texts.size() - 1:
			bar.size_flags_horizontal = SIZE_EXPAND_FILL
			add_child(bar)
		var label := Label.new()
		label.text = texts[column]
		label.custom_minimum_size = Vector2(widths[column], height)
		label.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
		if column >= text_columns:
			label.horizontal_alignment = HORIZONTAL_ALIGNMENT_RIGHT
		label.add_theme_color_override(&"font_color", color)
		label.add_theme_font_size_override(&"font_size", font_size)
		labels.append(label)
		add_child(label)
	return labels
