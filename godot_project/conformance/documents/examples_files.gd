extends "../support/suite.gd"
## The worked examples about files: what they read, and how fast.

const Replay := preload("res://examples/replay.gd")
const SaveManager := preload("res://examples/save_manager.gd")

const SLOTS := 20
const WORLD := 64 << 20


func test_save_manager() -> void:
	var empty := Image.create_empty(1, 1, false, Image.FORMAT_RGB8)
	var has_jpeg := not (quietly(empty.save_jpg_to_buffer) as PackedByteArray).is_empty()
	if not has_jpeg:
		print("  examples_files: this engine was built without JPEG, so the pictures of saves are not looked at")
	var manager := SaveManager.new()
	add_child(manager)
	var hero := SaveManager.Hero.new()
	hero.bag = ["lamp"]
	var places: Array = [filled_bytes(sized_part_of(WORLD))]
	for slot: int in SLOTS:
		hero.name = "player %d" % slot
		var world := {"hero": hero, "places": places}
		check_int(await manager.save(slot, world), OK, "save %d" % slot)
	SaveManager.list_saves()  # Now the headers are in the cache of the system.
	var best := 1 << 60
	for _round: int in 5:
		var started := Time.get_ticks_usec()
		var headers := SaveManager.list_saves()
		best = mini(best, Time.get_ticks_usec() - started)
		check_int(headers.size(), SLOTS, "headers")
		for slot: int in mini(SLOTS, headers.size()):
			check_value(headers[slot].name, "player %d" % slot, "name %d" % slot)
	print("  %d saves of %d MiB listed in %d us" % [SLOTS, sized_part_of(WORLD) >> 20, best])
	check(best < 16_000 * slowness, "the list took %d us, more than a frame" % best)
	if has_jpeg:
		var picture := SaveManager.picture_of(SaveManager.list_saves()[3])
		check_value(picture.get_size(), SaveManager.PICTURE_SIZE, "size of a picture")
	var loaded := SaveManager.load_world(7)
	check_value([loaded.hero.name, loaded.hero.bag[0]], ["player 7", "lamp"], "a hero")
	check_value(loaded.places, places, "a world")
	await _check_old_and_damaged(manager)
	SaveManager.remove_saves()
	check(not DirAccess.dir_exists_absolute(SaveManager.FOLDER), "the saves are removed")
	manager.queue_free()


## Of an older version, of a newer one, and damaged with a backup and without.
func _check_old_and_damaged(manager: SaveManager) -> void:
	var old := {"hero": {"name": "Bo"}, "places": []}
	VarBatch.save_vars(SaveManager.path_of(30), [{"name": "Bo"}, old])
	check_value((SaveManager.load_world(30).hero as SaveManager.Hero).name, "Bo", "an older save")
	VarBatch.save_vars(SaveManager.path_of(30), [{"version": SaveManager.VERSION + 1}, old])
	check_value(expect_errors(SaveManager.load_world.bind(30), 1, "newer version"), {}, "a newer save")
	manager.collect_world = func() -> Dictionary: return SaveManager.load_world(7)
	manager._process(SaveManager.AUTOSAVE_SECONDS)
	await manager.saved
	await get_tree().process_frame  # No longer within the signal.
	check_value(SaveManager.load_world(0).hero.name, "player 7", "an autosave")
	var file := FileAccess.open(SaveManager.path_of(0), FileAccess.WRITE)
	file.store_32(1)
	file.close()
	var backup: Dictionary = expect_logged(SaveManager.load_world.bind(0), 0, 1, "slot_0.save.bak")
	check_value(backup.hero.name, "player 0", "the backup of a damaged save")


func test_replay() -> void:
	var replay := Replay.new()
	replay.begin()
	var expected: Array = []
	for tick: int in Replay.TICKS:
		var state := {"tick": tick, "at": Vector2(tick, 1)}
		expected.append(state)
		replay.record(state)
	check_value(replay.last_second(), expected.slice(-Replay.TICKS_A_SECOND), "the last second")
	check_value(replay.task.get_result(), OK, "the last append")
	check_value(VarBatch.load_vars(Replay.PATH), expected, "the whole replay")
	DirAccess.remove_absolute(Replay.PATH)
	replay.free()
