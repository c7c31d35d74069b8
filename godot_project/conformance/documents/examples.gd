extends "../undo/undo_base.gd"
## The worked examples, what those about files read and how fast, and the undo demo with a person in it who is none.

const Overrides := preload("res://examples/overrides.gd")
const Person := preload("res://demo/undo/person.gd")
const Replay := preload("res://examples/replay.gd")
const Rewind := preload("res://examples/rewind.gd")
const Rollback := preload("res://examples/rollback.gd")
const RollbackGame := preload("res://examples/rollback_game.gd")
const SaveManager := preload("res://examples/save_manager.gd")
const Scatter := preload("res://examples/scatter/scatter.gd")

const SCATTER_PLUGIN := "res://examples/scatter/plugin.gd"
const SLOTS := 20
const WORLD := 64 << 20


func test_overrides() -> void:
	var list: Overrides = node(preload("res://examples/overrides.tscn").instantiate())
	var scene := Overrides.make_scene()
	var door: Node = node(scene.instantiate())
	list.inspect(door, scene)
	check_shown(list.overrides, [], "an instance that overrides nothing")
	Overrides.change(door)
	list.refresh()
	var expected: PackedStringArray = [
		"position:x: 0.0 > 400.0",
		'metadata/opens_with: ["brass key"] > ["brass key", "crowbar"]',
		"metadata/creaks: null > true",
		"collision_layer: 1 > 3",
		"size:y: 20.0 > 64.0",
	]
	check_shown(list.overrides, expected, "overrides")
	for at: int in expected.size():
		var left := expected.duplicate()
		left.remove_at(at)
		list.revert([list.overrides[at]])
		check_shown(list.overrides, left, "without %s" % expected[at])
		list.history.undo()
		list.refresh()
		check_shown(list.overrides, expected, "undone: %s" % expected[at])
	list.revert(list.overrides)
	for turn: int in ROUNDS:
		check_shown(list.overrides, [], "all reverted")
		check(not door.has_meta(&"creaks"), "metadata that the scene does not have")
		list.history.undo()
		list.refresh()
		check_shown(list.overrides, expected, "all undone")
		list.history.redo()
		list.refresh()


## Whatever was guessed, what is certain is what a game without a network gives.
func test_rollback() -> void:
	var rollback: Rollback = node(preload("res://examples/rollback.tscn").instantiate())
	var game: RollbackGame = node(RollbackGame.new())
	var state := VarBatchState.new()
	game.add_to(state)
	# The snapshot before each tick, and that after the last one, with true inputs alone.
	var truth: Array[PackedByteArray] = [state.capture()]
	for tick: int in Rollback.TICKS:
		game.step(PackedInt32Array(range(2).map(RollbackGame.true_input.bind(tick))))
		truth.append(state.capture())
	for tick: int in Rollback.TICKS:
		if tick != Rollback.LOST_PACKET:
			rollback.advance()
		else:
			# The first packet after the one that was lost.
			expect_errors(rollback.advance, 1, "VarBatch.apply_delta: expected a base with the hash ")
		var certain := rollback.tick - Rollback.DELAY + 1
		if certain < 1:
			continue
		check_bytes(rollback.snapshot_before(certain), truth[certain], "before tick %d" % certain)
		if rollback.tick != Rollback.LOST_PACKET:
			check_bytes(rollback.spectator, truth[certain], "the spectator, tick %d" % certain)
	check_int(rollback.refused_packets, 1, "refused packets")
	check_bytes(rollback.state.capture(), rollback.snapshot, "the game is in the snapshot")
	# What was predicted wrong, and what deltas save.
	check(rollback.corrections.size() > 5, "%d corrections" % rollback.corrections.size())
	var all: Array[Dictionary] = []
	for correction: Dictionary in rollback.corrections:
		var changes: Array[Dictionary] = correction.changes
		check(not changes.is_empty(), "no changes at tick %d" % correction.tick)
		var patched := VarBatch.patch(correction.predicted as PackedByteArray, changes)
		check_bytes(patched, correction.corrected as PackedByteArray, "a correction as a patch")
		all.append_array(changes)
	# The numbers, three values of each player, then the projectiles and the scores.
	var paths := all.map(func(change: Dictionary) -> Array: return change.path)
	check([4] in paths, "no wrong place")
	var has_insert := all.any(func(change: Dictionary) -> bool: return change.op == "insert")
	check([7, 1] in paths and has_insert, "no shot that was not foreseen")
	check(not [1] in paths, "this player's own place was guessed")
	var sent := rollback.sent_bytes / (Rollback.TICKS - Rollback.DELAY + 1)
	check(sent * 5 < rollback.snapshot.size(), "%d bytes a packet" % sent)


func test_rewind() -> void:
	var rewind: Rewind = node(preload("res://examples/rewind.tscn").instantiate())
	var shown := func() -> Array:
		var alive := rewind.balls.filter(func(ball: Node2D) -> bool: return ball.visible)
		return alive.map(func(ball: Rewind.Ball) -> Array: return [ball.position, ball.velocity, ball.bounces])
	var truth: Array = [shown.call()]
	for _tick: int in Rewind.TICKS:
		rewind.advance()
		truth.append(shown.call())
	check(rewind.kept_bytes() * 5 < rewind.capture.size() * Rewind.RING, "the ring is large")
	for turn: int in 2:
		for back: int in Rewind.RING:
			check(rewind.go_back(), "tick %d is not known" % rewind.tick)
			check(shown.call() == truth[rewind.tick], "tick %d" % rewind.tick)
		check(not rewind.go_back(), "a tick that is no longer known")
		check_int(rewind.tick, Rewind.TICKS - Rewind.RING, "the first tick that is known")
		while rewind.tick < Rewind.TICKS:
			rewind.advance()
			check(shown.call() == truth[rewind.tick], "tick %d again" % rewind.tick)


func test_scatter() -> void:
	var nodes := _nodes_to_scatter()
	var before := _states(nodes)
	# Three of each node, and a polygon.
	check_int(Scatter.scatter(nodes, history, 50.0, 5), 3 * nodes.size() + 1, "modifications")
	check(history.get_current_action_name() == "Scatter Nodes", "the name of the action")
	var after := _states(nodes)
	for index: int in nodes.size():
		check(after[index] != before[index], "node %d is where it was" % index)
		check((nodes[index].position - Vector2(index, 0)).length() < 72.0, "node %d is far" % index)
	_check_there_and_back(nodes, before, after)


func test_align() -> void:
	check_int(Scatter.scatter([], history, 50.0, 5), 0, "modifications of no nodes")
	check_int(Scatter.align([node(Node2D.new())] as Array[Node2D], history), 0, "modifications of one that is aligned")
	check_int(history.get_history_count(), 0, "actions")
	var nodes := _nodes_to_scatter()
	nodes[2].position = Vector2(-7, 3)
	var before := _states(nodes)
	check_int(Scatter.align(nodes, history), nodes.size() - 1, "modifications")
	var after := _states(nodes)
	check(nodes.all(func(one: Node2D) -> bool: return one.position.x == -7.0), "one is elsewhere")
	_check_there_and_back(nodes, before, after)
	# What else has happened to a node meanwhile is not undone.
	nodes[0].position.y = 33.0
	history.undo()
	check_exact(nodes[0].position, Vector2(0, 33), "a place that two have changed")


## In the editor itself scripts/editor-test.sh runs it.
func test_plugin() -> void:
	if not ClassDB.class_exists(&"EditorPlugin"):
		check(not OS.has_feature("editor"), "no EditorPlugin")
		return
	var script: GDScript = load(SCATTER_PLUGIN)
	check(script != null and script.can_instantiate(), "the plugin does not load")
	var config := ConfigFile.new()
	check_int(config.load(SCATTER_PLUGIN.get_base_dir().path_join("plugin.cfg")), OK, "its settings")
	var named: String = config.get_value("plugin", "script", "")
	check(SCATTER_PLUGIN.get_file() == named, "the plugin's script is %s" % named)


func test_undo_demo() -> void:
	var viewport := SubViewport.new()
	viewport.size = Vector2i(1152, 648)
	add_child(viewport)
	var window: Control = preload("res://demo/undo/window.tscn").instantiate()
	viewport.add_child(window)
	# The layout is that of a frame.
	await get_tree().process_frame
	await get_tree().process_frame
	var person := Person.new(window)
	person.begin()
	while person.advance():
		pass
	check(person.problem.is_empty(), person.problem)
	check_int(person.edit_count, Person.EDITS, "edits")
	check(person.progress() == 1.0, "the person has left")
	# The release template complains of each child of a container that is freed.
	quietly(viewport.free)


func _nodes_to_scatter() -> Array[Node2D]:
	var polygon := Polygon2D.new()
	polygon.polygon = [Vector2(1, 1), Vector2(5, 1), Vector2(1, 6)]
	var tagged := Node2D.new()
	tagged.set_meta(&"tags", ["a", {"b": [1]}])
	var nodes: Array[Node2D] = [Node2D.new(), polygon, tagged, Node2D.new()]
	for index: int in nodes.size():
		node(nodes[index])
		nodes[index].position = Vector2(index, 0)
	return nodes


func _check_there_and_back(nodes: Array[Node2D], before: Array[PackedByteArray], after: Array[PackedByteArray]) -> void:
	var states := func() -> PackedByteArray: return var_to_bytes(_states(nodes))
	check_turns(states, var_to_bytes(before), var_to_bytes(after), "nodes")


func _states(nodes: Array[Node2D]) -> Array[PackedByteArray]:
	return Array(nodes.map(state_of), TYPE_PACKED_BYTE_ARRAY, &"", null)


func test_save_manager() -> void:
	var empty := Image.create_empty(1, 1, false, Image.FORMAT_RGB8)
	var has_jpeg := not (quietly(empty.save_jpg_to_buffer) as PackedByteArray).is_empty()
	if not has_jpeg:
		print("  examples: this engine was built without JPEG, so the pictures of saves are not looked at")
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
		var names := headers.map(func(header: Dictionary) -> String: return header.name)
		check_value(names, range(SLOTS).map(func(slot: int) -> String: return "player %d" % slot), "names of saves")
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
	FileAccess.open(SaveManager.path_of(0), FileAccess.WRITE).store_32(1)
	var backup: Dictionary = expect_logged(SaveManager.load_world.bind(0), 0, 1, "slot_0.save.bak")
	check_value(backup.hero.name, "player 0", "the backup of a damaged save")


func test_replay() -> void:
	var replay := Replay.new()
	replay.begin()
	var expected := range(Replay.TICKS).map(func(tick: int) -> Dictionary: return {"tick": tick, "at": Vector2(tick, 1)})
	expected.map(replay.record)
	check_value(replay.last_second(), expected.slice(-Replay.TICKS_A_SECOND), "the last second")
	check_value(replay.task.get_result(), OK, "the last append")
	check_value(VarBatch.load_vars(Replay.PATH), expected, "the whole replay")
	DirAccess.remove_absolute(Replay.PATH)
	replay.free()
