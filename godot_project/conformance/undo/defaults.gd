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
				history.undo()
				check_exact(object.get(row[1]), values[0], "undo of %s" % [row])
				history.redo()
				check_exact(object.get(row[1]), values[1], "redo of %s" % [row])
	# The old value is not known, but null is none.
	recorder.record_complete(sparse)
	sparse.set(&"stat/new", 15)
	recorder.commit(history, "edit")
	expect_logged(history.undo, 0, 1, "the edit has added it, and nothing removes it")
	check_exact(sparse.get(&"stat/new"), 15, "what cannot be undone")


## Parts that an edit adds, and the theme, are no more modifications than what is stored; and a thread sees no others.
func test_only_what_is_stored() -> void:
	var items: ItemList = node(ItemList.new())
	recorder.record_complete(items)
	items.add_item("a")
	check_flush(["item_count: 0 > 1", "item_0/text: null > \"a\""], "an item")
	var button := Button.new()
	var thread := Thread.new()
	thread.start(recorder.record_complete.bind(button))
	thread.wait_to_finish()
	check_flush([], "recorded on a thread")
	button.free()


## Metadata that could not be recorded stays where it is.
func test_metadata_that_holds_itself() -> void:
	var object := Resource.new()
	var graph := {}
	graph.self = graph
	object.set_meta(&"graph", graph)
	object.set_meta(&"a", 1)
	expect_logged(recorder.record_complete.bind(object), 1, 0, "levels of nesting")
	object.set_meta(&"b", 2)
	expect_logged(recorder.commit.bind(history, "b"), 1, 0, "levels of nesting")
	history.undo()
	check_exact([object.has_meta(&"graph"), object.has_meta(&"b")], [true, false], "undone")
	history.redo()
	check_exact([object.has_meta(&"graph"), object.get_meta(&"b")], [true, 2], "done again")
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
	extends RefCounted
	var _own := {}

	func _get_property_list() -> Array[Dictionary]:
		var list: Array[Dictionary] = []
		for stat: String in _own:
			list.append({"name": stat, "type": TYPE_INT, "usage": PROPERTY_USAGE_DEFAULT})
		return list

	func _get(property: StringName) -> Variant:
		return _own.get(String(property), 10) if property.begins_with("stat/") else null

	func _set(property: StringName, new: Variant) -> bool:
		if property.begins_with("stat/"):
			if is_same(new, 10):
				_own.erase(String(property))
			else:
				_own[String(property)] = new
		return property.begins_with("stat/")
