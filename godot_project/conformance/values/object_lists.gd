extends "../support/suite.gd"
## Which properties are written of an object: the lists that are known of classes and scripts, for
## objects in states that change them.

const Listing := preload("../support/listing.gd")
const RandomProperties := preload("../support/random_properties.gd")
const Scripted := preload("../support/scripted.gd")

## Objects of each class.
const OBJECTS := 6

var _random := RandomNumberGenerator.new()
var _properties := RandomProperties.new(_random)


func test_every_class() -> void:
	_random.seed = 20261126
	for name: String in RandomProperties.class_names():
		if ClassDB.can_instantiate(name):
			_check_class(name)


## What one object is like says nothing about another.
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


## A script may have other properties when its source was changed.
func test_reloaded_scripts() -> void:
	var script: GDScript = load("res://conformance/support/reloaded.gd")
	var source := script.source_code
	for more: String in ["", "\n@export var second := 2", "\nvar third := 3", ""]:
		script.source_code = source + more
		check_int(script.reload(true), OK, "reload")
		_check([script.new()], "reloaded: " + more)


func _check_class(name: String) -> void:
	var objects: Array[Object] = []
	quietly(
		func() -> void:
			for i: int in OBJECTS:
				var object: Object = ClassDB.instantiate(name)
				if object == null:
					return
				# The first one is as it was made.
				if i > 0:
					_change(object)
				objects.append(object)
	)
	_check(objects, name)
	for object: Object in objects:
		if not object is RefCounted:
			object.free()


## Getters of the engine may print.
func _check(objects: Array, what: String) -> void:
	for value: Variant in [objects] + objects:
		var both: Array = quietly(
			func() -> Array:
				return [VarBatch.var_to_bytes(value, true), var_to_bytes_with_objects(value)]
		)
		check_bytes(both[0], both[1], "%s: %s" % [what, value])


func _change(object: Object) -> void:
	_properties.change(object)
	if object is RefCounted and _random.randi_range(0, 3) == 0:
		object.set_script(Scripted)
