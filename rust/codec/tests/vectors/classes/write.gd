extends SceneTree
# For Godot 3: writes an object of every class in renamed.txt, with all its renamed properties set
# to values that they do not have by themselves, as a File.store_var() loop does:
#   godot3-server --path godot_project/test_projects/godot3 -s CLASSES/write.gd --classes=CLASSES --out=FILE
# CLASSES is the absolute path of this folder. Each value is [class, object, {property: value}].
# A class that this version does not have is left out, and a property that it does not save.
# Converted to Godot 4, the file is for read.gd.

# What makes an engine save other properties than it does by default.
const SWITCHES := {
	"emission_enabled": true,
	"geometry/parsed_geometry_type": 2,
	"geometry/source_geometry_mode": 1,
	"params_use_alpha_scissor": true,
	# Without these, other properties take back what was set.
	"mode_overrides_title": false,
	"text": "long enough for a caret",
	"toggle_mode": true,
}
# Older names of a property: setting both would take back what was set.
const ALIASES := {
	"move_lock_x": "axis_lock_motion_x",
	"move_lock_y": "axis_lock_motion_y",
	"move_lock_z": "axis_lock_motion_z",
}


func _init() -> void:
	# Nodes find their servers only in the first frame.
	call_deferred("_write")


func _write() -> void:
	var folder := ""
	var out := ""
	for argument in OS.get_cmdline_args():
		if argument.begins_with("--classes="):
			folder = argument.substr(10)
		if argument.begins_with("--out="):
			out = argument.substr(6)
	var lines := File.new()
	var file := File.new()
	var found := lines.open(folder.plus_file("renamed.txt"), File.READ) == OK
	if not found or file.open(out, File.WRITE) != OK:
		print("usage: -s CLASSES/write.gd --classes=CLASSES --out=FILE")
		quit(2)
		return
	var classes := 0
	var failed := 0
	for line in lines.get_as_text().split("\n", false):
		var parts: PoolStringArray = line.split(" | ")
		if line.begins_with("#") or not ClassDB.class_exists(parts[0]):
			continue
		var properties := []
		if parts.size() > 2:
			for pair in parts[2].split(" "):
				properties.append(pair.split("=")[0])
		var object: Object = ClassDB.instance(parts[0])
		var values := _change(object, properties)
		for property in values:
			if values[property] == null:
				print("%s.%s keeps its value" % [parts[0], property])
				failed += 1
		file.store_var([parts[0], object, values], true)
		classes += 1
		if not object is Reference:
			object.free()
	file.close()
	print("%d classes written, %d properties failed" % [classes, failed])
	quit(0 if failed == 0 else 1)


# Sets the properties that are saved; gives the value of each then, null if it could not be changed.
func _change(object: Object, properties: Array) -> Dictionary:
	for property in _saved(object):
		if SWITCHES.has(property):
			object.set(property, SWITCHES[property])
	var first := {}
	# A second time, for what is saved since the first.
	for _step in 2:
		var saved := _saved(object)
		var added := []
		for property in properties:
			if saved.has(property) and not first.has(property):
				first[property] = object.get(property)
				added.append(property)
		for property in added:
			if ALIASES.has(property) and saved.has(ALIASES[property]):
				continue
			for value in _others(saved[property], first[property]):
				object.set(property, value)
				if not _is_same(object.get(property), first[property]):
					break
	var values := {}
	for property in first:
		var value = object.get(property)
		values[property] = null if _is_same(value, first[property]) else value
	return values


func _saved(object: Object) -> Dictionary:
	var saved := {}
	for property in object.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:
			saved[property.name] = property
	return saved


func _is_same(left, right) -> bool:
	return typeof(left) == typeof(right) and left == right


# Values to try for a property, until one of them is taken.
func _others(property: Dictionary, now) -> Array:
	match typeof(now):
		TYPE_BOOL:
			return [not now]
		TYPE_INT:
			return [5 if now > 1000 else now + 1, now - 1]
		TYPE_REAL:
			return [now + 0.5, now - 0.5, now + 0.25, now - 0.25]
		TYPE_STRING:
			return ["changed"]
		TYPE_VECTOR2:
			return [now + Vector2(3, 5)]
		TYPE_VECTOR3:
			return [now + Vector3(0.25, 0.5, 0.125)]
		TYPE_COLOR:
			return [Color(0.25, 0.5, 0.75)]
		TYPE_NODE_PATH:
			return [NodePath("../a/b")]
	if property.type == TYPE_OBJECT:
		var kind: String = property.hint_string
		return [ClassDB.instance("GradientTexture" if kind == "Texture" else kind)]
	return []
