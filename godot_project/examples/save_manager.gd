extends Node
## Worked example: a save manager to copy into a game, as an autoload.
##
## It has slots with a picture, which a menu lists without reading the worlds; saves in the background,
## also by itself once a minute; a backup of each save; classes of the game, and no others; and it
## brings saves of older versions of the game up to date. A save is two records: a small header with
## what the menu shows, and the world. Run as a scene, it makes some saves and lists them:
##
##     godot --headless --path godot_project res://examples/save_manager.tscn

## Emitted when a save has ended. [param message] is empty if it is on the disk.
signal saved(slot: int, message: String)

const Hero := preload("hero.gd")

const FOLDER := "user://save_manager"
## The version of the game's saves. Add a step to [method _migrate] whenever it grows.
const VERSION := 2
## The classes that a save may hold. A save from somebody else brings no others, and no code.
const CLASSES: Array[Script] = [Hero]
const AUTOSAVE_SLOT := 0
const AUTOSAVE_SECONDS := 60.0
const PICTURE_SIZE := Vector2i(160, 90)

## Returns the world as a Dictionary: set it to save by itself.
var collect_world := Callable()
var _seconds := 0.0


func _ready() -> void:
	if get_tree().current_scene != self:
		return
	for slot: int in 3:
		var hero := Hero.new()
		hero.name = "Ada %d" % slot
		await save(slot, {"hero": hero, "places": range(1000)})
	for header: Dictionary in list_saves():
		print("slot %d: %s, %s" % [header.slot, header.name, header.date])
	remove_saves()
	get_tree().quit()


## Saves by itself. The game runs on, and a save that is still under way is replaced by this one.
func _process(delta: float) -> void:
	_seconds += delta
	if _seconds >= AUTOSAVE_SECONDS and collect_world.is_valid():
		_seconds = 0.0
		save(AUTOSAVE_SLOT, collect_world.call() as Dictionary)


## Saves what [param world] holds now, and returns when that is on the disk. The save before it is kept
## as a backup, which [method load_world] takes if the new one is damaged.
func save(slot: int, world: Dictionary) -> Error:
	DirAccess.make_dir_recursive_absolute(FOLDER)
	var header := {
		"version": VERSION,
		"slot": slot,
		"name": (world.hero as Hero).name,
		"date": Time.get_datetime_string_from_system(),
		"picture": _take_picture(),
	}
	var task := VarBatch.save_vars_async(
		path_of(slot), [header, world], true, FileAccess.COMPRESSION_ZSTD, null, true
	)
	var error: Error = await task.finished
	saved.emit(slot, task.get_error_message())
	return error


## Returns the world of a slot, as this version of the game has it. Empty if there is none.
static func load_world(slot: int) -> Dictionary:
	var records := VarBatch.load_vars(path_of(slot), CLASSES)
	if records.size() != 2 or records[0] is not Dictionary or records[1] is not Dictionary:
		return {}
	var version: int = records[0].get("version", 1)
	if version > VERSION:
		push_error("Slot %d was saved by a newer version of the game." % slot)
		return {}
	return _migrate(records[1] as Dictionary, version)


## Returns the headers of all saves, in the order of their slots. Those of damaged files have only a slot.
static func list_saves() -> Array[Dictionary]:
	var headers: Array[Dictionary] = []
	for file: String in DirAccess.get_files_at(FOLDER):
		if file.get_extension() != "save":
			continue
		var records := VarBatch.load_vars(FOLDER.path_join(file), false, 0, 1)
		if not records.is_empty() and records[0] is Dictionary:
			headers.append(records[0])
		else:
			headers.append({"slot": file.to_int()})
	headers.sort_custom(func(a: Dictionary, b: Dictionary) -> bool: return a.slot < b.slot)
	return headers


## Returns the file of a slot.
static func path_of(slot: int) -> String:
	return FOLDER.path_join("slot_%d.save" % slot)


## Returns the picture of a header.
static func picture_of(header: Dictionary) -> Image:
	var picture := Image.new()
	picture.load_jpg_from_buffer(header.get("picture", PackedByteArray()) as PackedByteArray)
	return picture


static func remove_saves() -> void:
	for file: String in DirAccess.get_files_at(FOLDER):
		DirAccess.remove_absolute(FOLDER.path_join(file))
	DirAccess.remove_absolute(FOLDER)


## Brings a world up to date, a version at a time.
static func _migrate(world: Dictionary, version: int) -> Dictionary:
	if version < 2:
		# The hero was a Dictionary.
		var hero := Hero.new()
		hero.name = world.hero.name
		world.hero = hero
	return world


## Returns what the player sees, small. A server has no screen.
func _take_picture() -> PackedByteArray:
	var picture := Image.create(PICTURE_SIZE.x, PICTURE_SIZE.y, false, Image.FORMAT_RGB8)
	if DisplayServer.get_name() != "headless":
		picture = get_viewport().get_texture().get_image()
		picture.resize(PICTURE_SIZE.x, PICTURE_SIZE.y)
	return picture.save_jpg_to_buffer()
