extends Node
## Worked example: a menu of saved games that reads no more than it shows.
##
## A save is two records: a small header with what the menu shows, and the world. The menu reads the
## first record of each file, whose other bytes stay on the disk. Run as a scene, it makes some saves
## and lists them:
##
##     godot --headless --path godot_project res://examples/save_slots.tscn

const FOLDER := "user://save_slots"
const SLOTS := 3
const PICTURE_SIZE := Vector2i(160, 90)


func _ready() -> void:
	for slot: int in SLOTS:
		var world: Array = range(1000)
		save_game(slot, "Ada %d" % slot, 3600.0 * slot, world)
	for header: Dictionary in list_saves():
		print("%s, played for %d minutes" % [header.name, header.played / 60.0])
	remove_saves()
	get_tree().quit()


## Returns the file of a slot.
static func path_of(slot: int) -> String:
	return FOLDER.path_join("slot_%d.save" % slot)


## Saves the world of a game, with a header for the menu in front of it.
static func save_game(slot: int, player: String, played: float, world: Array) -> Error:
	DirAccess.make_dir_recursive_absolute(FOLDER)
	var picture := Image.create(PICTURE_SIZE.x, PICTURE_SIZE.y, false, Image.FORMAT_RGB8)
	picture.fill(Color.from_hsv(slot / 20.0, 0.6, 0.8))
	var header := {
		"slot": slot,
		"name": player,
		"played": played,
		"picture": picture.save_jpg_to_buffer(),
	}
	return VarBatch.save_vars(path_of(slot), [header, world])


## Returns the headers of all saves, in the order of their slots. Those of damaged files have only a slot.
static func list_saves() -> Array[Dictionary]:
	var headers: Array[Dictionary] = []
	for file: String in DirAccess.get_files_at(FOLDER):
		var records := VarBatch.load_vars(FOLDER.path_join(file), false, 0, 1)
		if not records.is_empty() and records[0] is Dictionary:
			headers.append(records[0])
		else:
			headers.append({"slot": file.to_int()})
	headers.sort_custom(func(a: Dictionary, b: Dictionary) -> bool: return a.slot < b.slot)
	return headers


## Returns the world of a slot, without reading its header again.
static func load_world(slot: int) -> Array:
	var records := VarBatch.load_vars(path_of(slot), false, 1)
	return records[0] if not records.is_empty() and records[0] is Array else []


## Returns the picture of a header.
static func picture_of(header: Dictionary) -> Image:
	var picture := Image.new()
	picture.load_jpg_from_buffer(header.get("picture", PackedByteArray()))
	return picture


static func remove_saves() -> void:
	for file: String in DirAccess.get_files_at(FOLDER):
		DirAccess.remove_absolute(FOLDER.path_join(file))
	DirAccess.remove_absolute(FOLDER)
