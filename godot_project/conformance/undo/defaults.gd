extends "undo_base.gd"
## Parts that an object stores only in some state, and metadata that cannot be recorded.


## What an object lists and stores only while it has no default: null would make something else of it.
func test_defaults_of_parts() -> void:
	var atlas := TileSetAtlasSource.new()
	atlas.texture = ImageTexture.create_from_image(Image.create_empty(16, 16, false, Image.FORMAT_RGBA8))
	atlas.create_tile(Vector2i.ZERO)
	var sounds := AudioStreamRandomizer.new()
	sounds.streams_count = 2
	var items: ItemList = node(ItemList.new())
	items.add_item("a")
	var tabs: TabBar = node(TabBar.new())
	tabs.add_tab("a")
	var sparse := Sparse.new()
	for is_complete: bool in [false, true]:
		for row: Array in [
			[atlas, "0:0/0/modulate", Color.WHITE, Color.RED],
			[atlas, "0:0/0/probability", 1.0, 0.25],
			[sounds, "stream_0/weight", 1.0, 3.0],
			[items, "item_0/text", "", "x"],
			[items, "item_0/selectable", true, false],
			[tabs, "tab_0/tooltip", "", "x"],
			[sparse, "stat/hp", 10, 15],
		]:
			var object: Object = row[0]
			for values: Array in [[row[2], row[3]], [row[3], row[2]]]:
				# It is not listed while it has the default.
				if object == sparse and (not is_complete or values[0] == row[2]):
					continue
				object.set(row[1], values[0])
				recorder.record_all([object], [], [], is_complete)
				object.set(row[1], values[1])
				recorder.commit(history, "edit")
				check_back_and_forth(object.get.bind(row[1]), values[0], values[1], str(row))
	# The old value is not known, but null is none.
	recorder.record_complete(sparse)
	sparse.set(&"stat/new", 15)
	recorder.commit(history, "edit")
	expect_logged(history.undo, 0, 1, "the edit has added it, and nothing removes it")
	check_exact(sparse.get(&"stat/new"), 15, "what cannot be undone")


## A removed point of a blend space keeps its value, but is not stored any more. So nothing else may tell of it.
func test_points_that_are_removed() -> void:
	for is_complete: bool in [false, true]:
		for count: int in [1, 2, 3]:
			for gone: int in count:
				var space := AnimationNodeBlendSpace1D.new()
				for point: int in count:
					space.add_blend_point(AnimationNodeAnimation.new(), 0.1 * point)
				var copy := space.duplicate()
				var before := state_of(space)
				var what := "point %d of %d" % [gone, count]
				recorder.record_all([space], [], [], is_complete)
				space.remove_blend_point(gone)
				check(recorder.commit(history, "edit") >= 2, what)
				check(VarBatchUndoRecorder.compare(copy, space).size() >= 2, "compared, " + what)
				history.undo()
				check_bytes(state_of(space), before, "undone, " + what)
				# The engine says that null is no node.
				expect_logged(history.redo, 1, 1, "it")
				history.undo()
				check_bytes(state_of(space), before, "undone again, " + what)
	# One that is added has the value that was there before.
	var space := AnimationNodeBlendSpace1D.new()
	space.add_blend_point(AnimationNodeAnimation.new(), 0.5)
	space.remove_blend_point(0)
	recorder.record(space)
	space.add_blend_point(AnimationNodeAnimation.new(), 0.5)
	recorder.commit(history, "edit")
	expect_logged(history.undo, 0, 1, "the edit has added it, and nothing removes it")


## What an edit has changed only in whether it is stored keeps what it has since.
func test_values_that_are_no_longer_stored() -> void:
	var player: AnimationPlayer = node(AnimationPlayer.new())
	recorder.record(player)
	player.playback_auto_capture = false
	recorder.commit(history, "edit")
	player.playback_auto_capture_duration = 4
	history.undo()
	check_exact([player.playback_auto_capture, player.playback_auto_capture_duration], [true, 4.0], "undone")


## What a track or a bone is cannot be set: all of them are made anew.
func test_parts_of_another_kind() -> void:
	var replace := func(tracks: Animation) -> void:
		tracks.remove_track(1)
		tracks.track_set_path(tracks.add_track(Animation.TYPE_METHOD), "m")
	for edit_tracks: Callable in [
		func(tracks: Animation) -> void: tracks.track_swap(0, 1),
		func(tracks: Animation) -> void: tracks.remove_track(0),
		replace,
	]:
		var tracks := Animation.new()
		tracks.track_set_path(tracks.add_track(Animation.TYPE_VALUE), "n:x")
		tracks.track_insert_key(0, 0.0, 7)
		tracks.track_set_path(tracks.add_track(Animation.TYPE_POSITION_3D), "m")
		tracks.position_track_insert_key(1, 0.5, Vector3.ONE)
		var was := state_of(tracks)
		recorder.record_complete(tracks)
		edit_tracks.call(tracks)
		recorder.commit(history, "edit")
		check_turns(state_of.bind(tracks), was, state_of(tracks), "tracks")
	var skeleton: Skeleton3D = node(Skeleton3D.new())
	skeleton.add_bone("a")
	skeleton.set_bone_parent(skeleton.add_bone("b"), 0)
	var bones := func() -> PackedByteArray:
		var parents := range(2).map(skeleton.get_bone_parent)
		return var_to_bytes([skeleton.get_bone_name(0), skeleton.get_bone_name(1), parents])
	var before: PackedByteArray = bones.call()
	recorder.record_complete(skeleton)
	skeleton.clear_bones()
	skeleton.add_bone("b")
	skeleton.add_bone("a")
	recorder.commit(history, "edit")
	check_turns(bones, before, bones.call() as PackedByteArray, "bones")


## Parts that an edit adds, and the theme, are no more modifications than what is stored; and a thread sees no others.
func test_only_what_is_stored() -> void:
	var items: ItemList = node(ItemList.new())
	recorder.record_complete(items)
	items.add_item("a")
	check_flush(["item_count: 0 > 1", "item_0/text: null > \"a\""], "an item")
	end_threads(start_threads(1, recorder.record_complete.bind(node(Button.new())).unbind(1)))
	check_flush([], "recorded on a thread")


func test_metadata_that_holds_itself() -> void:
	var object := Resource.new()
	var graph := {}
	graph.self = graph
	object.set_meta(&"graph", graph)
	object.set_meta(&"a", 1)
	expect_logged(recorder.record_complete.bind(object), 1, 0, "levels of nesting")
	object.set_meta(&"b", 2)
	expect_logged(recorder.commit.bind(history, "b"), 1, 0, "levels of nesting")
	var state := func() -> Array: return [object.has_meta(&"graph"), object.get_meta(&"b", 0)]
	check_back_and_forth(state, [true, 0], [true, 2], "metadata")
	object.remove_meta(&"graph")
	recorder.record_complete(object)
	object.set_meta(&"graph", graph)
	object.set_meta(&"c", 3)
	expect_logged(recorder.commit.bind(history, "graph"), 1, 0, "levels of nesting")
	expect_logged(history.undo, 0, 1, "the edit has added or removed it, and its value could not be recorded")
	history.redo()
	check_exact([object.has_meta(&"graph"), object.get_meta(&"c")], [true, 3], "as the edit has left it")
	graph.clear()


## Stats that are stored only where they differ from 10.
class Sparse:
	var _own := {}

	func _get_property_list() -> Array[Dictionary]:
		var entry := func(stat: String) -> Dictionary: return {"name": stat, "type": TYPE_INT, "usage": PROPERTY_USAGE_DEFAULT}
		return Array(_own.keys().map(entry), TYPE_DICTIONARY, &"", null)

	func _get(property: StringName) -> Variant:
		return _own.get(String(property), 10) if property.begins_with("stat/") else null

	func _set(property: StringName, new: Variant) -> bool:
		if property.begins_with("stat/"):
			_own[String(property)] = new
			if is_same(new, 10):
				_own.erase(String(property))
		return property.begins_with("stat/")
