extends SceneTree
## Reads what [code]write.gd[/code] wrote in Godot 3, converted to Godot 4, and compares it with
## [code]renamed.txt[/code]:
## [codeblock]
## varbatch convert --from godot3 --to godot4 FILE CONVERTED
## godot --headless --path rust/codec/tests/vectors/classes --script read.gd -- CONVERTED
## [/codeblock]


func _init() -> void:
	# Nodes find their servers only in the first frame.
	_read.call_deferred()


func _read() -> void:
	var renamed := _renamed()
	var arguments := OS.get_cmdline_user_args()
	var file: FileAccess = null
	if arguments.size() == 1:
		file = FileAccess.open(arguments[0], FileAccess.READ)
	if not file or renamed.is_empty():
		print("usage: --path FOLDER_OF_THIS_SCRIPT --script read.gd -- CONVERTED")
		quit(2)
		return
	var classes := 0
	var properties := 0
	var failures: PackedStringArray = []
	while file.get_position() < file.get_length():
		var entry: Variant = file.get_var(true)
		if entry is not Array:
			failures.append("the value that ends at byte %d is refused" % file.get_position())
			continue
		var row: Array = renamed[entry[0]]
		if not entry[1] is Object or entry[1].get_class() != row[0]:
			failures.append("%s is %s" % [entry[0], entry[1]])
			continue
		classes += 1
		for property: String in entry[2]:
			if _is_taken(entry[1], row[1][property], entry[2][property]):
				properties += 1
			else:
				failures.append("%s.%s does not arrive" % [entry[0], property])
		if entry[1] is Node:
			entry[1].free()
	for failure: String in failures:
		print(failure)
	print("%d classes, %d properties arrived, %d failed" % [classes, properties, failures.size()])
	quit(0 if classes > 0 and failures.is_empty() else 1)


## The class in Godot 4 and the renamed properties of each class of Godot 3.
func _renamed() -> Dictionary[String, Array]:
	var renamed: Dictionary[String, Array] = {}
	for line: String in FileAccess.get_file_as_string("res://renamed.txt").split("\n", false):
		if line.begins_with("#"):
			continue
		var parts := line.split(" | ")
		var properties: Dictionary[String, String] = {}
		if parts.size() > 2:
			for pair: String in parts[2].split(" "):
				properties[pair.get_slice("=", 0)] = pair.get_slice("=", 1)
		renamed[parts[0]] = [parts[1], properties]
	return renamed


## Whether a property has the value that it had in Godot 3, and has it from there.
func _is_taken(object: Object, property: String, value: Variant) -> bool:
	var taken: Variant = object.get(property)
	if value is Object:
		return taken is Object and taken.get_class() == value.get_class()
	# Some Strings of Godot 3 are StringNames, some ints are floats.
	if taken is StringName:
		taken = String(taken)
	var fresh: Object = ClassDB.instantiate(object.get_class())
	var own: Variant = fresh.get(property)
	if fresh is Node:
		fresh.free()
	if value is int or value is float:
		return (taken is int or taken is float) and is_equal_approx(taken, value) and own != taken
	return typeof(taken) == typeof(value) and taken == value and own != taken
