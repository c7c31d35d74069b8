extends Node2D
## A node of the field: a shape with a color.

const Palette = preload("res://demo/palette.gd")

const RADIUS := 20.0

const _OUTLINE := 5.0

@export var corners := 4
@export var color := Color.WHITE

var is_selected := false:
	set(value):
		is_selected = value
		queue_redraw()


func _draw() -> void:
	draw_colored_polygon(_points(RADIUS), color)
	# Polygons have no smooth edges.
	var edge := _points(RADIUS)
	edge.append(edge[0])
	draw_polyline(edge, color, 2.0, true)
	# Shows which side is up.
	draw_line(Vector2(0.0, -RADIUS * 0.25), Vector2(0.0, -RADIUS * 0.65), Palette.GROUND, 2.5, true)
	if is_selected:
		var outline := _points(RADIUS + _OUTLINE)
		outline.append(outline[0])
		draw_polyline(outline, Palette.TEXT, 2.0, true)


func _points(radius: float) -> PackedVector2Array:
	var points := PackedVector2Array()
	for corner: int in corners:
		points.append(
			Vector2.UP.rotated(TAU * (corner + 0.5 * (1 - corners % 2)) / corners) * radius
		)
	return points
