extends RefCounted
## A picture of a world, drawn from decoded values only: visible proof that they are intact.

const World = preload("res://demo/world.gd")

## Only a part of a larger world is shown.
const ROWS_MAX := 16
## The max height of each color.
const _COLORS: Dictionary[float, Color] = {
	3.5: Color("1d4e89"),
	6.0: Color("2f7fc1"),
	6.7: Color("e6d5a0"),
	9.0: Color("6fb65b"),
	11.5: Color("3d8a4c"),
	13.5: Color("8a8178"),
	99.0: Color("f2f5f9"),
}


static func image(values: Array) -> Image:
	var chunk_count := values.size() / World.VALUES_PER_CHUNK
	var picture := blank(chunk_count)
	for index in mini(chunk_count, ROWS_MAX * World.ROW):
		var cell := Vector2i(index % World.ROW, index / World.ROW)
		draw_chunk(picture, cell, values[index * World.VALUES_PER_CHUNK + World.HEIGHTS])
	return picture


static func blank(chunk_count: int) -> Image:
	var rows := clampi(ceili(float(chunk_count) / World.ROW), 1, ROWS_MAX)
	var size := Vector2i(mini(chunk_count, World.ROW), rows) * World.SIDE
	return Image.create_empty(size.x, size.y, false, Image.FORMAT_RGBA8)


static func draw_chunk(picture: Image, cell: Vector2i, heights: PackedFloat32Array) -> void:
	for place in heights.size():
		var at := cell * World.SIDE + Vector2i(place % World.SIDE, place / World.SIDE)
		picture.set_pixelv(at, _color(heights[place]))


static func _color(height: float) -> Color:
	for limit: float in _COLORS:
		if height < limit:
			# Shades by height, so that the ground does not look flat.
			return _COLORS[limit].darkened(0.12 * (ceilf(height) - height))
	return Color.WHITE
