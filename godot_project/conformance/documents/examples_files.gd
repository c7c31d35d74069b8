extends "../support/suite.gd"
## The worked examples about files: what they read, and how fast.

const Replay := preload("res://examples/replay.gd")
const SaveSlots := preload("res://examples/save_slots.gd")

const SLOTS := 20
const WORLD := 64 << 20
const FRAME_MSEC := 16


func test_save_slots() -> void:
	var world: Array = [PackedByteArray()]
	(world[0] as PackedByteArray).resize(sized_part_of(WORLD))
	for slot: int in SLOTS:
		check_int(SaveSlots.save_game(slot, "player %d" % slot, slot, world), OK, "save %d" % slot)
	SaveSlots.list_saves()  # Now the headers are in the cache of the system.
	var best := 1 << 60
	for _round: int in 5:
		var started := Time.get_ticks_usec()
		var headers := SaveSlots.list_saves()
		best = mini(best, Time.get_ticks_usec() - started)
		check_int(headers.size(), SLOTS, "headers")
		for slot: int in mini(SLOTS, headers.size()):
			check_value(headers[slot].name, "player %d" % slot, "name %d" % slot)
	print("  %d saves of %d MiB listed in %d us" % [SLOTS, sized_part_of(WORLD) >> 20, best])
	check(best < FRAME_MSEC * 1000 * slowness, "the list took %d us" % best)
	var picture := SaveSlots.picture_of(SaveSlots.list_saves()[3])
	check_value(picture.get_size(), SaveSlots.PICTURE_SIZE, "size of a picture")
	check_value(SaveSlots.load_world(7), world, "a world")
	var file := FileAccess.open(SaveSlots.path_of(5), FileAccess.WRITE)
	file.store_32(1)
	file.close()
	var headers: Array[Dictionary] = expect_errors(SaveSlots.list_saves, 1, "slot_5.save")
	check_value(headers[5], {"slot": 5}, "the header of a damaged save")
	SaveSlots.remove_saves()
	check(not DirAccess.dir_exists_absolute(SaveSlots.FOLDER), "the saves are removed")


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
