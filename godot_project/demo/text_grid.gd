extends GridContainer
## A grid of texts. Those of the first column begin at its left, the others end at their right.


## Adds a line with a text for each of [param widths], and returns its labels.
func add_line(
	texts: Array, widths: Array[float], height: float, color: Color, font_size: int
) -> Array[Label]:
	columns = widths.size()
	var labels: Array[Label] = []
	for column in texts.size():
		var label := Label.new()
		label.text = texts[column]
		label.custom_minimum_size = Vector2(widths[column], height)
		label.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
		if column > 0:
			label.horizontal_alignment = HORIZONTAL_ALIGNMENT_RIGHT
		label.add_theme_color_override(&"font_color", color)
		label.add_theme_font_size_override(&"font_size", font_size)
		labels.append(label)
		add_child(label)
	return labels
