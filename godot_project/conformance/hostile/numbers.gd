extends "../support/suite.gd"
## Sets each property of each class of the running engine to hostile numbers, if VarBatch would: none may end the engine
## or make an object large or slow, nor may many objects of a class be large. What does belongs into rust/plugin/src/value/costs.txt.
##
##     godot --headless --path godot_project res://conformance/all.tscn -- --long hostile/numbers
##     ... all.tscn -- --run hostile/numbers Curve point_count 1000 65536      # what numbers cost: us, bytes
##
## A process of its own says what it tries. Where it dies or hangs, another one goes on with the next class.

const NUMBERS: Array = [1000, 1 << 16, 1 << 20, 1 << 24, 0x7fffffff, -1, -0x80000000]
const FLOATS: Array = [1e-9, 1e30, INF, -INF, NAN]
const SIZES: Dictionary[int, int] = {
	TYPE_VECTOR2: 2, TYPE_VECTOR2I: 2, TYPE_VECTOR3: 3, TYPE_VECTOR3I: 3, TYPE_VECTOR4: 4, TYPE_VECTOR4I: 4
}
## What objects store under names with an index, which new ones do not list; and values for them.
const INDEXED := (
	"tracks/0/type bones/0/name point_0/position item_0/text popup/item_0/text layer_0/name surfaces/0 bind/0/name item/0/name tab_0/title slot/0/left_type"
	+ " option_0/name stream_0/stream clip_0/name input_0/name states/0/node cache/0/16/0/ascent cache/0/16/0/textures/0/offsets cache/0/face_index"
	+ " occlusion_layer_0/light_mask physics_layer_0/collision_layer navigation_layer_0/layers custom_data_layer_0/name terrain_set_0/mode scenes/0/scene"
	+ " terrain_set_0/terrain_0/name sources/0 pattern_0 0:0/0 nodes/vertex/0/node modes/0 bus/0/name bus/0/effect/0/effect joint_data/0/bone_index"
)
const VALUES: Array = [1, "value", true, 1.0, Vector2.ONE, [], {}]
const MAX_MSEC := 500
const MAX_BYTES := 64 << 20
## What an object may have of its own, as a Node or a Control.
const MAX_OWN := 4 << 10
## What is ended.
const ENDLESS_MSEC := 4000
const ENDLESS_BYTES := 3 << 30

## When the current one was set, 0 if there is none.
var _started := 0
var _counts: Array[StringName] = []
## What is only set by a restore.
var _unstored: Array[StringName] = []
var _digits := RegEx.create_from_string("[0-9]+")


func test_what_is_decoded_is_small_and_quick() -> void:
	var own_name := (get_script() as Script).resource_path.get_file().get_basename()
	var command := Child.own_command() + PackedStringArray(["--", "--run", "hostile/" + own_name])
	var arguments := PackedStringArray([str(randi()), str(0.02 if is_quick else share), "0"])
	var tried := "unless the command of this process is not known"
	var lines := PackedStringArray()
	while command.size() > 3 and tried and not Child.LAST_LINE in lines:
		tried = ""
		lines = Child.sh('ulimit -v 8000000; exec "$@" 2>&1', command + arguments)[1]
		for line: String in lines:
			tried = line if line.begins_with("try;") else tried
			check(not line.begins_with(Child.FAILURE), line)
		check(Child.LAST_LINE in lines, "dies or hangs: " + tried)
		arguments[2] = str(tried.get_slice(";", 1).to_int() + 1)
	checks += 1


func run_alone() -> void:
	OS.low_processor_usage_mode_sleep_usec = 1
	var arguments := Child.own_arguments()
	if ClassDB.class_exists(arguments[0]):
		for text: String in arguments.slice(2):
			print(text, " ", await _cost(arguments[0], arguments[1], str_to_var(text)))
		return
	var thread := Thread.new()
	thread.start(_watch)
	var random := Values.seeded(arguments[0].to_int())
	var classes := ClassDB.get_class_list()
	for index: int in classes.size():
		if random.randf() < arguments[1].to_float() and index >= arguments[2].to_int() and _can_be_made(classes[index]):
			await _try_class(index, classes[index])
	_started = -1
	thread.wait_to_finish()


func _watch() -> void:
	var started := 0
	while started >= 0:
		OS.delay_msec(20)
		started = _started
		var is_endless := Time.get_ticks_msec() - started > ENDLESS_MSEC * slowness
		if started > 0 and (is_endless or Child.status("VmRSS:") > ENDLESS_BYTES):
			OS.kill(OS.get_process_id())


## Not what the engine has one of: it does not survive that another one is freed.
func _can_be_made(of: StringName) -> bool:
	var can := ClassDB.can_instantiate(of) and ClassDB.class_get_api_type(of) == ClassDB.API_CORE
	while of:
		can = can and not Engine.has_singleton(of)
		of = ClassDB.get_parent_class(of)
	return can


func _try_class(index: int, of: StringName) -> void:
	var properties := _properties(of)
	var own := _own_bytes(of)
	if own > MAX_OWN:
		var many := Values.header(TYPE_ARRAY) + Values.u32(MAX_BYTES / own)
		for object: int in MAX_BYTES / own:
			many += Values.object(of, {})
		check(not VarBatch.validate([many], true)[0].is_empty(), "%s: %d bytes each" % [of, own])
	for property: String in properties:
		for trial: Array in _trials(of, property, properties[property]):
			if VarBatch.validate([Values.object(of, {trial[0]: trial[1]})], true)[0]:
				continue
			Engine.print_error_messages = true
			printerr("try;%d;%s;%s;%s" % [index, of, trial[0], str(trial[1]).left(300).c_escape()])
			Engine.print_error_messages = false
			var cost := await _cost(of, trial[0] as StringName, trial[1])
			var is_small := cost[0] < MAX_MSEC * 1000 * slowness and cost[1] < MAX_BYTES
			check(is_small, "%s, %s = %s: %d us, %d bytes" % [of, trial[0], str(trial[1]).left(300), cost[0], cost[1]])


## What objects of a class store, also with parts, and its values. Not what its base does, if that can be made.
func _properties(of: StringName) -> Dictionary[String, Variant]:
	var properties: Dictionary[String, Variant] = {}
	var known: Array = ["script"]
	var base := ClassDB.get_parent_class(of)
	if ClassDB.can_instantiate(base):
		known += ClassDB.class_get_property_list(base).map(func(listed: Dictionary) -> String: return listed.name)
	Engine.print_error_messages = false
	_counts = []
	_unstored = []
	var object := _made(of)
	for round: int in 2:
		for listed: Dictionary in object.get_property_list():
			var name_: String = listed.name
			var is_heading: int = listed.usage & (PROPERTY_USAGE_GROUP | PROPERTY_USAGE_CATEGORY | PROPERTY_USAGE_SUBGROUP)
			if not is_heading and not name_ in known and not properties.has(name_):
				if not listed.usage & PROPERTY_USAGE_STORAGE:
					_unstored.append(name_)
				var value: Variant = object.get(name_)
				properties[name_] = type_convert(null, listed.type as int) if value == null else value
				if listed.type == TYPE_INT and name_.ends_with("count"):
					_counts.append(name_)
					object.set(name_, 2)
	for name_: String in INDEXED.split(" "):
		for value: Variant in VALUES:
			object.set(name_, value)
			if object.get(name_) != null:
				properties[name_] = value
				break
	Values.discard(object)
	return properties


func _own_bytes(of: StringName) -> int:
	# The first one also makes what all share.
	Values.discard(ClassDB.instantiate(of))
	var memory := Performance.get_monitor(Performance.MEMORY_STATIC)
	var object: Object = ClassDB.instantiate(of)
	memory = Performance.get_monitor(Performance.MEMORY_STATIC) - memory
	Values.discard(object)
	return int(memory)


func _made(of: StringName) -> Object:
	var object: Object = ClassDB.instantiate(of)
	for count: StringName in _counts:
		object.set(count, 2)
	return object


## Names and values: the number is an index in the name, or the value.
func _trials(_of: StringName, property: String, value: Variant) -> Array[Array]:
	var trials: Array[Array] = []
	var index := _digits.search(property)
	for number: Variant in NUMBERS + (FLOATS if typeof(value) == TYPE_FLOAT or SIZES.has(typeof(value)) else []):
		trials.append([property, _filled(value, number)])
		if index and number is int:
			for from: int in [0, index.get_end()]:
				trials.append([_digits.sub(property, str(number), false, from), value])
	return trials


func _filled(value: Variant, number: Variant) -> Variant:
	match typeof(value):
		TYPE_INT, TYPE_FLOAT:
			return number
		TYPE_RECT2, TYPE_RECT2I, TYPE_AABB:
			value.size = _filled(value.size, number)
		TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_INT64_ARRAY, TYPE_PACKED_FLOAT32_ARRAY, TYPE_PACKED_FLOAT64_ARRAY:
			return type_convert(filled(6, number), typeof(value))
		TYPE_ARRAY:
			return (value as Array).map(_filled.bind(number)) if value else [number]
		TYPE_DICTIONARY:
			value = (value as Dictionary).duplicate()
			for key: Variant in value:
				value[key] = _filled(value[key], number)
	for place: int in SIZES.get(typeof(value), 0):
		value[place] = number
	return value


func _cost(of: StringName, property: StringName, value: Variant) -> PackedInt64Array:
	var object := _made(of)
	var memory := Performance.get_monitor(Performance.MEMORY_STATIC)
	_started = Time.get_ticks_msec()
	var started := Time.get_ticks_usec()
	if property in _unstored:
		var state := VarBatchState.new()
		state.add(object, [property])
		state.restore(var_to_bytes([PackedByteArray([0, 1]), value]))
	else:
		object.set(property, value)
	object.get(property)
	if object is Resource:
		(object as Resource).get_rid()
	elif object is Node:
		add_child(object as Node)
		await get_tree().process_frame
	var cost: PackedInt64Array = [Time.get_ticks_usec() - started, Performance.get_monitor(Performance.MEMORY_STATIC) - memory]
	Values.discard(object)
	_started = 0
	return cost
