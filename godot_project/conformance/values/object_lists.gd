extends "../support/suite.gd"
## Which properties are written of an object, and which are set again: the lists that are known of
## classes and scripts, for objects in states that change them.

const Documents := preload("../documents/documents.gd")
const Listing := preload("../support/listing.gd")
const RandomProperties := preload("../support/random_properties.gd")

const OBJECTS := 6
## Objects of each class that are made: so many that the values of a new one are known.
const MADE := 20
## Objects of each class of which each property is set.
const SET := 24

var _random := Values.seeded(20261126)
var _properties := RandomProperties.new(_random)


func test_every_class() -> void:
	for name: String in _classes():
		var objects := _make(name, OBJECTS, func(i: int) -> int: return 2 if i > 0 else 0)
		_check(objects, name)
		_free(objects)


## A Container manages some properties of the Controls in it. It does so in the tree.
func test_controls_in_parents() -> void:
	for name: String in _classes():
		if ClassDB.is_parent_class(name, &"Control"):
			for parent: Node in [VBoxContainer.new(), Panel.new(), Node.new()]:
				add_child(parent)
				var controls := _make(name, OBJECTS, func(i: int) -> int: return 4 if i > 0 else 0, parent)
				_check(controls, "%s in %s" % [name, parent.get_class()])
				_free([parent])


func test_theme_overrides() -> void:
	for name: String in ["Label", "Button", "ProgressBar", "RichTextLabel", "SpinBox", "ItemList"]:
		var controls: Array[Object] = [ClassDB.instantiate(name)]
		for property: Dictionary in controls[0].get_property_list():
			if (property.name as String).begins_with("theme_override_") and "/" in property.name:
				var control: Control = ClassDB.instantiate(name)
				control.set(property.name as StringName, _override(property))
				controls.append(control)
		check(controls.size() > 5, name + " has theme items")
		_check(controls, "theme overrides of " + name)
		(controls[1] as Control).add_theme_color_override(&"not an item", Color.RED)
		_check(controls, "overrides of no item of " + name)
		_free(controls)


## Lights and materials store some properties only in projects with physical units of light.
func test_physical_light() -> void:
	const SETTING := "rendering/lights_and_shadows/use_physical_light_units"
	var was: Variant = ProjectSettings.get_setting(SETTING)
	for is_physical: bool in [false, true, false]:
		ProjectSettings.set_setting(SETTING, is_physical)
		var objects: Array = ["OmniLight3D", "DirectionalLight3D", "StandardMaterial3D"].map(ClassDB.instantiate)
		_check(objects, "physical light: %s" % is_physical)
		_free(objects)
	ProjectSettings.set_setting(SETTING, was)


## What a class adds to the list of a player, and what the engine writes of objects in objects.
func test_objects_in_unknown_objects() -> void:
	var library := AnimationLibrary.new()
	var animation := Animation.new()
	animation.add_track(Animation.TYPE_VALUE)
	animation.track_insert_key(0, 0.5, {"a": [Scripted.new(), RID()]})
	library.add_animation(&"run", animation)
	var player := AnimationPlayer.new()
	player.add_animation_library(&"", library)
	var objects: Array = [animation, library, player, MeshInstance3D.new(), AudioStreamPlayer.new(), AnimatedSprite2D.new()]
	objects[3].mesh = BoxMesh.new()
	objects[4].stream = AudioStreamMP3.new()
	objects[5].sprite_frames = SpriteFrames.new()
	_check(objects, "objects in unknown objects")
	animation.track_insert_key(0, 1.0, animation.changed)
	_check(objects, "a signal in an unknown object")
	# The engine writes nothing of what hangs below to tell a list.
	var themes: Array[Theme] = [Theme.new(), Theme.new()]
	for i: int in 2:
		themes[i].set_meta(&"next", themes[1 - i])
	expect_errors(func() -> PackedByteArray: return VarBatch.var_to_bytes(themes[0], true), 1, "levels of nesting")
	themes[0].remove_meta(&"next")
	_free(objects)


func test_objects_that_are_made() -> void:
	for name: String in _classes():
		var objects := _make(name, MADE, func(i: int) -> int: return i if i % 3 == 2 else 0)
		_check_made(quietly(var_to_bytes_with_objects.bind(objects)), "made: " + name)
		_free(objects)


func test_properties_that_come_again() -> void:
	for name: String in ["Node", "Sprite2D", "Marker3D", "Resource", "Curve", "Label"]:
		_check_made(quietly(_bytes_with_repeats.bind(name)), "again: " + name)


## A new object need not be told values that it has, whatever else it is told before or after: also
## properties that are not stored.
func test_each_property_beside_the_others() -> void:
	for name: String in _classes():
		var properties := quietly(_settable.bind(name)) as Array
		for order: String in ["", "reversed "]:
			var bytes := _bytes_with_others(name, properties)
			# The second time, it is known in which order they come.
			_free(quietly(func() -> Array: return VarBatch.bytes_to_var(bytes, true)))
			_check_made(bytes, order + name)
			properties.reverse()


## What objects store although their class declares that none does, and what they take although they say that they did not.
func test_properties_that_classes_do_not_declare() -> void:
	var mesh := MeshInstance3D.new()
	mesh.sorting_offset = 5.0
	mesh.sorting_use_aabb_center = false
	var tiles := TileSet.new()
	tiles.add_terrain_set()
	for object: Object in [mesh, tiles]:
		var found: Object = VarBatch.bytes_to_var(var_to_bytes_with_objects(object), [StringName(object.get_class())])
		check_value(var_to_bytes_with_objects(found), var_to_bytes_with_objects(object), object.get_class())
		Values.discard(found)
	mesh.free()


## What the table says of setters, for undo and restores: an idle property changes by its own setter only, one that moves others
## changes no more than these, and one that moves none holds what another object has. In the tree.
func test_what_setters_change() -> void:
	var path := Documents.project_folder().path_join("../rust/plugin/src/objects/classes.txt").simplify_path()
	var rows: Dictionary[String, PackedStringArray] = {}
	for line: String in FileAccess.get_file_as_string(path).split("\n", false):
		rows[line.get_slice("|", 0).strip_edges()] = line.split("|")
	for name: String in _classes():
		var tells: PackedStringArray = []
		var idle: PackedStringArray = []
		var moves: Dictionary[String, PackedStringArray] = {}
		var base := name
		while rows.has(base):
			if rows[base].size() > 3:
				idle.append_array(rows[base][3].replace("*", "").split(" ", false))
				for text: String in "".join(rows[base].slice(3, 5)).split(" ", false):
					moves[text.get_slice(">", 0)] = text.trim_prefix(text.get_slice(">", 0)).trim_prefix(">").split(",", false)
			if rows[base].size() > 5:
				for text: String in rows[base][5].split(" ", false):
					for of: String in text.get_slice(">", 1).split(","):
						tells.append(text.get_slice(">", 0) + ">" + of.strip_edges())
			base = ClassDB.get_parent_class(base)
		if not base and name != "Object":
			for turn: int in part_of(SET):
				var found: PackedStringArray = quietly(_moved.bind(name, idle, moves, tells))
				check(found.is_empty(), "%s: %s" % [name, found])


func test_lists_of_scripts() -> void:
	var objects: Array = []
	for i: int in 40:
		var listing := Listing.new()
		listing.hides = i % 3 == 0
		for j: int in i % 5:
			listing.held["held %d" % (i * j % 7)] = [i, {j: Scripted.new()}]
		objects.append(listing)
		var scripted := Scripted.new()
		if i % 4 == 1:
			scripted.set_meta(&"a", i)
		if i % 4 == 2:
			scripted.set_meta(&"b", scripted.words)
		scripted.content = listing
		objects.append(scripted)
	_check(objects, "scripts")


## A script may list once more what is listed already, its own property among it.
func test_listed_twice() -> void:
	for name: String in ["number", "resource_name", "script"]:
		var listing := Listing.new()
		listing.held[name] = 5
		_check([listing, Listing.new()], name + " is listed twice")


func test_reloaded_scripts() -> void:
	var script: GDScript = load("res://conformance/support/reloaded.gd")
	var source := script.source_code
	for more: String in ["", "\n@export var second := 2", "\nvar third := 3", ""]:
		script.source_code = source + more
		check_int(script.reload(true), OK, "reload")
		_check([script.new()], "reloaded: " + more)


func _classes() -> PackedStringArray:
	var names := Array(RandomProperties.class_names)
	# Points that are infinite, and others that are no numbers, are refused.
	names.erase("ConvexPolygonShape3D")
	# A real renderer gives memory that nobody wrote for its instances.
	if DisplayServer.get_name() != "headless":
		names.erase("MultiMesh")
	return names.filter(func(name: String) -> bool: return ClassDB.class_exists(name) and ClassDB.can_instantiate(name))


func _bytes_with_repeats(name: String) -> PackedByteArray:
	var objects: Array[Object] = [ClassDB.instantiate(name), ClassDB.instantiate(name)]
	_properties.change(objects[1], 1)
	var initial: Array[PackedByteArray] = []
	var other: Array[PackedByteArray] = []
	for property: Dictionary in objects[0].get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:
			var text := var_to_bytes(str(property.name)).slice(4)
			initial.append(text + var_to_bytes(objects[0].get(property.name)))
			other.append(text + var_to_bytes(objects[1].get(property.name)))
	_free(objects)
	var lists := filled(MADE, initial)
	for at: int in range(1, initial.size()):
		lists.append(initial.duplicate())
		var place := _random.randi_range(0, at - 1)
		if _random.randi_range(0, 3):
			lists[-1][place] = other[at]
		else:
			lists[-1].insert(place, other[at])
	return _bytes_of(name, lists)


func _bytes_of(name: String, lists: Array) -> PackedByteArray:
	var start := Values.header(TYPE_OBJECT) + var_to_bytes(name).slice(4)
	var bytes := Values.header(TYPE_ARRAY) + Values.u32(lists.size())
	for properties: Array[PackedByteArray] in lists:
		bytes.append_array(start + Values.u32(properties.size()))
		properties.map(bytes.append_array)
	return bytes


func _settable(name: String) -> Array:
	const SKIPPED := PROPERTY_USAGE_READ_ONLY | PROPERTY_USAGE_CATEGORY | PROPERTY_USAGE_GROUP
	var object: Object = ClassDB.instantiate(name)
	var properties: Array = []
	for property: Dictionary in object.get_property_list():
		if not property.usage & (SKIPPED | PROPERTY_USAGE_SUBGROUP) and property.name != "script":
			var text := var_to_bytes(str(property.name)).slice(4)
			var initial: PackedByteArray = text + var_to_bytes(object.get(property.name))
			var other := initial
			for i: int in 5:
				if other == initial:
					other = text + var_to_bytes_with_objects(_properties.value(property))
			properties.append([initial, other])
	_free([object])
	return properties


func _bytes_with_others(name: String, properties: Array) -> PackedByteArray:
	var initial: Array[PackedByteArray]
	initial.assign(properties.map(func(both: Array) -> PackedByteArray: return both[0]))
	var lists := filled(MADE, initial)
	for i: int in properties.size():
		lists.append(initial.duplicate())
		for j: int in properties.size():
			if i == j or i % 2 and _random.randi_range(0, 7) == 0:
				lists[-1][j] = properties[j][1]
	return _bytes_of(name, lists)


func _check_made(bytes: PackedByteArray, what: String) -> void:
	# Some classes make objects that are kept.
	_free(quietly(bytes_to_var_with_objects.bind(bytes)) as Array)
	var count := Performance.get_monitor(Performance.OBJECT_COUNT)
	var made: Variant = quietly(func() -> Variant: return VarBatch.bytes_to_var(bytes, true))
	var made_count := Performance.get_monitor(Performance.OBJECT_COUNT) - count
	var expected: Variant = quietly(bytes_to_var_with_objects.bind(bytes))
	var both_count := Performance.get_monitor(Performance.OBJECT_COUNT) - count
	check(made is Array and expected is Array, "made and expected are Arrays, " + what)
	# The server frees later what those have made.
	if not "Navigation" in what:
		check_int(int(made_count), int(both_count - made_count), "objects, " + what)
	var again := var_to_bytes_with_objects
	check_bytes(quietly(again.bind(made)), quietly(again.bind(expected)), what)
	_free((made as Array) + (expected as Array))


## Some Containers of the release template complain.
func _free(objects: Array) -> void:
	quietly(Values.discard.bind(objects))


## Objects of a class, in a parent if there is one. [param rarity_of] says how few of the properties of each are changed: none
## if it is 0.
func _make(name: String, count: int, rarity_of: Callable, parent: Node = null) -> Array[Object]:
	var objects: Array[Object] = []
	Engine.print_error_messages = false
	for i: int in count:
		objects.append(ClassDB.instantiate(name))
		if parent:
			parent.add_child(objects[-1] as Node)
		var rarity: int = rarity_of.call(i)
		if rarity > 0:
			_properties.change(objects[-1], rarity)
			if objects[-1] is RefCounted and _random.randi_range(0, 3) == 0:
				objects[-1].set_script(Scripted)
	Engine.print_error_messages = true
	return objects


## Sets each property of an object that was changed at random, and returns those that the table does not expect to change.
func _moved(
	name: String, idle: PackedStringArray, moves: Dictionary[String, PackedStringArray], tells: PackedStringArray
) -> PackedStringArray:
	var objects: Array[Object] = [ClassDB.instantiate(name), ClassDB.instantiate(name)]
	for object: Object in objects:
		if object is Node:
			add_child(object as Node)
		_properties.change(object, 2)
	var control := objects[0] as Control
	if control and _random.randi() % 2:
		# A size that waits until it is shown.
		control.hide()
		control.custom_minimum_size = Vector2(900, 900)
	elif control:
		control.focus_mode = Control.FOCUS_ALL
		control.grab_focus()
	var is_set := func(of: Dictionary) -> bool: return of.usage & PROPERTY_USAGE_STORAGE and of.name != "script"
	var list := objects[0].get_property_list().filter(is_set)
	var bytes := func(of: Dictionary) -> PackedByteArray: return var_to_bytes(objects[0].get(of.name as StringName))
	var before := list.map(bytes)
	var found: PackedStringArray = []
	var heard: Dictionary[String, bool] = {}
	for listed: Dictionary in objects[0].get_signal_list():
		var of: String = listed.name
		objects[0].connect(of, (func() -> void: heard[of] = true).unbind(listed.args.size() as int))
	for of: Dictionary in list:
		for is_known: bool in [false, true]:
			var value: Variant = objects[1].get(of.name as StringName) if is_known else _properties.value(of)
			heard.clear()
			objects[0].set(of.name as StringName, value)
			for signal_name: String in heard:
				if of.name in moves and not "%s>%s" % [of.name, signal_name] in tells:
					found.append("%s tells %s" % [of.name, signal_name])
			var now := list.map(bytes)
			var moved: Array = moves[of.name] if of.name in moves else list.map(func(other: Dictionary) -> String: return other.name)
			for at: int in list.size():
				var other: String = list[at].name
				if now[at] != before[at] and other != of.name and (not other in moved or other in idle):
					found.append("%s > %s" % [of.name, other])
			before = now
			if is_known and moved.is_empty() and var_to_bytes(value) != bytes.call(of):
				found.append("%s does not hold %s" % [of.name, value])
	_free(objects)
	return found


func _override(property: Dictionary) -> Variant:
	match property.hint_string:
		"Font":
			return SystemFont.new()
		"Texture2D":
			return PlaceholderTexture2D.new()
		"StyleBox":
			return StyleBoxEmpty.new()
	return Color.RED if property.type == TYPE_COLOR else 5


## Getters of the engine may print.
func _check(objects: Array, what: String) -> void:
	for value: Variant in [objects] + objects:
		var found: PackedByteArray = quietly(call_method.bind(&"var_to_bytes", [value, true]))
		check_bytes(found, quietly(var_to_bytes_with_objects.bind(value)), "%s: %s" % [what, value])
