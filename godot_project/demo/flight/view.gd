extends Control
## The map of the world: bright where chunks are loaded, and framed where a save is still to come.

const Land = preload("res://demo/flight/land.gd")
const Palette = preload("res://demo/palette.gd")
const World = preload("res://demo/world.gd")

const _MARGIN := 12.0
const _PLAYER: PackedVector2Array = [
	Vector2(11, 0), Vector2(-8, 8), Vector2(-4, 0), Vector2(-8, -8)
]
const _CHUNK := Vector2.ONE * World.SIDE

var land: Land

var _texture := ImageTexture.new()


func _draw() -> void:
	if land == null:
		return
	if _texture.get_size() != Vector2(land.map.get_size()):
		_texture.set_image(land.map)
	_texture.update(land.map)
	var room := size - Vector2.ONE * 2.0 * _MARGIN
	var scaling := minf(room.x / land.map.get_width(), room.y / land.map.get_height())
	var corner := (size - land.map.get_size() * scaling) / 2.0
	draw_set_transform(corner, 0.0, Vector2.ONE * scaling)
	draw_texture(_texture, Vector2.ZERO)
	for cell: Vector2i in land.chunks:
		if not land.loaded.has(cell):
			draw_rect(Rect2(cell * World.SIDE, _CHUNK), Color(Palette.GROUND, 0.6))
	for cell: Vector2i in land.changed:
		draw_rect(Rect2(cell * World.SIDE, _CHUNK).grow(-1.0), Palette.HITCH, false, 1.5)
	draw_set_transform(corner + land.player * scaling, land.direction.angle())
	draw_colored_polygon(_PLAYER, Color.WHITE)
