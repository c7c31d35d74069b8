extends "../support/suite.gd"
## Bytes against a list of classes: whatever they claim, objects of other classes are never made, and no
## script is loaded.

const Mutator := preload("mutator.gd")
const Item := preload("../support/saved_item.gd")
const Child := preload("../support/saved_child.gd")
const ITEM := "res://conformance/support/saved_item.gd"
const NEVER_LOADED := "res://conformance/support/never_loaded.gd"
const SEED := 20261126
const COUNT := 2_000_000
const BATCH := 1000
## Scripts that damaged bytes come to name by chance. The second is that of the unlisted class.
const PATHS: PackedStringArray = [ITEM, "res://conformance/support/saved_child.gd", NEVER_LOADED]
const CLASSES: PackedStringArray = ["Resource", "Curve", "Gradient", "Node", "RefCounted", "GDScript"]
const LIST: Array = [Item, &"Curve", &"Gradient"]


## Every class that the engine can make, plain and with the script of a listed class, where an object is
## listed, in a property of one, and in a typed Array.
func test_every_class() -> void:
	var list: Array = [Item, &"Curve"]
	var buffers: Array[PackedByteArray] = []
	var may_be_made: PackedInt32Array = []
	for type: String in ClassDB.get_class_list():
		for script: Variant in [null, ITEM, PATHS[1], NEVER_LOADED]:
			var bytes := Values.object(type, {"script": script} if script else {})
			var is_listed: bool = type == "Curve" and not script or type == "Resource" and script == ITEM
			var inside := Values.object("Resource", {"script": ITEM, "content": 7})
			# The bytes of the value 7 are the last.
			inside = inside.slice(0, inside.size() - 8) + bytes
			for each: PackedByteArray in [bytes, inside, Values.hex("1c000000 02000000") + inside + bytes]:
				buffers.append(each)
				if is_listed:
					may_be_made.append(buffers.size() - 1)
	var before := _counts()
	var found: Array = quietly(call_method.bind(&"bytes_to_vars", [buffers, list]))
	var reasons: PackedStringArray = quietly(call_method.bind(&"validate", [buffers, list]))
	for index: int in buffers.size():
		var is_made := found[index] != null
		if is_made != (index in may_be_made) or is_made != reasons[index].is_empty():
			check(false, "made: %s, %s, %s" % [found[index], reasons[index], buffers[index].hex_encode()])
	check_int(may_be_made.size(), 6, "buffers with listed classes only")
	found.clear()
	_check_counts(before, "every class")


## Damaged bytes of objects of listed and other classes.
func test_damaged() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = SEED
	var mutator := Mutator.new(random)
	var pool := _pool()
	var count := part_of(COUNT)
	print("  listed classes: %d, seed %d" % [count, SEED])
	var before := _counts()
	var made: Array[int] = [0]
	var check_some := func(size: int, seed_of_batch: int) -> void:
		var buffers: Array[PackedByteArray] = []
		for i: int in size:
			buffers.append(mutator.mutate(_renamed(pool, random), pool[random.randi() % pool.size()]))
		var found: Array = quietly(call_method.bind(&"bytes_to_vars", [buffers, LIST]))
		var others := found.filter(func(value: Variant) -> bool: return not _is_listed(value))
		check(others.is_empty(), "batch seed %d made %s" % [seed_of_batch, others])
		made[0] += found.size() - found.count(null)
	in_batches(count, BATCH, SEED, random, check_some)
	print("  listed classes: %d made" % made)
	check(made[0] > count / 20 and made[0] < count, "one verdict is too rare: %d" % made)
	_check_counts(before, "damaged bytes")


## Bytes of the pool, at times with another class or script in them.
func _renamed(pool: Array[PackedByteArray], random: RandomNumberGenerator) -> PackedByteArray:
	var bytes := pool[random.randi() % pool.size()]
	if random.randi() % 4:
		return bytes
	var names := PATHS if random.randi() % 2 else CLASSES
	var old := var_to_bytes(names[random.randi() % names.size()]).slice(4)
	return Values.replaced(bytes, old, var_to_bytes(names[random.randi() % names.size()]).slice(4))


func _pool() -> Array[PackedByteArray]:
	var item := Item.new()
	item.title = "sword"
	item.parts = [Curve.new(), Item.new()]
	item.content = {"k": [Gradient.new(), Vector2(1, 2)], &"n": Item.new()}
	var typed: Array[Item] = [item]
	var node := Node.new()
	var values: Array = [item, typed, [1, Curve.new()], {"a": Gradient.new()}, [Child.new()], Resource.new(), [node]]
	var pool := Values.engine_bytes(values, true)
	node.free()
	for script: String in PATHS:
		pool.append(Values.object("Resource", {"resource_name": "n", "script": script, "number": 5, "title": "t"}))
	return pool


func _is_listed(value: Variant) -> bool:
	if value is Object:
		if value.get_script() == Item:
			var item: Item = value
			return _is_listed(item.parts) and _is_listed(item.content)
		return value.get_class() in ["Curve", "Gradient", "EncodedObjectAsID"] and value.get_script() == null
	if value is Dictionary:
		return _is_listed(value.keys()) and _is_listed(value.values())
	return not value is Array or value.all(_is_listed)


## Objects that are alive, and how many of the unlisted class were ever made.
func _counts() -> PackedInt32Array:
	var objects := int(Performance.get_monitor(Performance.OBJECT_COUNT))
	return [objects, int(Performance.get_monitor(Performance.OBJECT_NODE_COUNT)), Child.children]


func _check_counts(before: PackedInt32Array, what: String) -> void:
	check_value(_counts(), before, "objects, nodes and objects of the unlisted class after " + what)
	check(not ResourceLoader.has_cached(NEVER_LOADED), "a script was loaded")
