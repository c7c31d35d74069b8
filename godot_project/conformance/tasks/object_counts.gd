extends "tasks_base.gd"
## Nothing is left of objects: after everything that encodes, decodes, fails or is cancelled there are
## as many as before, by what the engine counts and by what scripts count of theirs.

const Bag := preload("../support/classes/bag.gd")
const Enemy := preload("../support/classes/enemy.gd")
const Item := preload("../support/classes/item.gd")
const ObjectGraphs := preload("../support/object_graphs.gd")

const SEED := 20261128
const GRAPHS := 8
const ROUNDS := 3
const MONITORS: Dictionary[String, Performance.Monitor] = {
	"objects": Performance.OBJECT_COUNT,
	"resources": Performance.OBJECT_RESOURCE_COUNT,
	"nodes": Performance.OBJECT_NODE_COUNT,
	"orphans": Performance.OBJECT_ORPHAN_NODE_COUNT,
}

## The bytes of objects that cannot be made, though no byte is missing: of classes that there are not, or
## that are only the engine's, and with scripts that cannot be loaded.
var _unmakable: Array[PackedByteArray] = [
	Values.object("NoSuchClass", {}),
	Values.object("RenderingServer", {}),
	Values.object("Resource", {"script": "res://conformance/no_such.gd"}),
	Values.object("RefCounted", {"script": "res://conformance/all.tscn"}),
]
var _graphs := ObjectGraphs.new(SEED)


## Getters and setters of the engine may print.
func _enter_tree() -> void:
	super()
	Engine.print_error_messages = false
	use(range(GRAPHS).map(func(_i: int) -> Variant: return _graphs.graph()), true)


func _exit_tree() -> void:
	super()
	_graphs.close()


func test_whole_values() -> void:
	for count: int in by_threads():
		for kind: String in KINDS:
			var run := func() -> void: _graphs.free_nodes_in(plain(kind))
			await _check_counts(run, "%s, %d threads" % [kind, count])
		var decode := func() -> void:
			for bytes: PackedByteArray in _buffers:
				_graphs.free_nodes_in(VarBatch.bytes_to_var(bytes, true))
		await _check_counts(decode, "bytes_to_var, %d threads" % count)


func test_values_that_fail() -> void:
	for part: int in range(1, 6):
		var cut := func(bytes: PackedByteArray) -> PackedByteArray: return bytes.slice(0, bytes.size() * part / 6)
		await _check_failing(_buffers.map(cut), "%d sixths of the bytes" % part)
	for last: PackedByteArray in _unmakable:
		var add := func(bytes: PackedByteArray) -> PackedByteArray:
			return Values.header(TYPE_ARRAY) + Values.u32(2) + bytes + last
		await _check_failing(_buffers.map(add), "a last object that cannot be made")


func test_tasks() -> void:
	for end: String in ENDS:
		await each_kind(
			func(kind: String, what: String) -> void:
				var run := func() -> void: _graphs.free_nodes_in(await result_of(start(kind), end))
				await _check_counts(run, "%s, %s, %s" % [kind, end, what])
		)


func test_cancelled_tasks() -> void:
	await _check_cancelled(func() -> Object: return Bag.new())
	await _check_cancelled(func() -> Object: return Enemy.new())


## A load of one value drops its default, or what else was in the file. Nobody else can free the nodes in it.
func test_dropped_nodes() -> void:
	var node := Enemy.new()
	var bytes := var_to_bytes_with_objects([node])
	node.free()
	for end: PackedByteArray in [PackedByteArray(), Values.u32(100)]:
		write(path, frame(bytes) + frame(bytes) + frame(bytes) + end)
		var run := func() -> void: _graphs.free_nodes_in(VarBatch.load_var(path, null, true))
		await _check_counts(run, "load_var of three values and %d bytes" % end.size())


func _check_cancelled(make: Callable) -> void:
	var objects_made: Array = []
	for i: int in sized_part_of(2000):
		objects_made.append(make.call())
		(objects_made[i] as Object).set_meta(&"items", [Item.new(), Item.new()])
	use(objects_made, true)
	var cancelled := [0]
	for frames: int in [0, 1, 2, 3]:
		await each_kind(
			func(kind: String, what: String) -> void:
				var run := func() -> void:
					var task := start(kind)
					await frames_pass(frames)
					task.cancel()
					_graphs.free_nodes_in(task.wait())
					cancelled[0] += int(task.get_error() == ERR_SKIP)
				await _check_counts(run, "%s, cancelled after %d frames, %s" % [kind, frames, what])
		)
	check(cancelled[0] > 0, "no task was cancelled")
	_graphs.free_nodes_in(objects_made)


func _check_failing(buffers: Array, what: String) -> void:
	var mixed: Array = []
	for i: int in buffers.size():
		mixed.append_array([_buffers[i], buffers[i]])
	var stream := frames_of(mixed)
	write(path, stream)
	var run := func() -> void:
		for bytes: PackedByteArray in buffers:
			check(VarBatch.bytes_to_var(bytes, true) == null, "a value of " + what)
		var task := VarBatch.bytes_to_vars_async(mixed, true)
		for found: Array in [
			VarBatch.bytes_to_vars(mixed, true),
			VarBatch.frames_to_vars(stream, true),
			VarBatch.load_vars(path, true),
			task.wait(),
		]:
			check(found.size() == mixed.size() and found[1] == null, "values of " + what)
			_graphs.free_nodes_in(found)
	await _check_counts(run, what)


## Calls [param action] some times, after which nothing may be left.
func _check_counts(action: Callable, what: String) -> void:
	# A function that waits for the second time is one object more from then on.
	await frames_pass(1)
	await action.call()
	await frames_pass(3)
	var before := _counts()
	for i: int in ROUNDS:
		await action.call()
	await frames_pass(3)
	check(_counts() == before, "%s: there were %s, and are %s" % [what, before, _counts()])


static func _counts() -> Dictionary:
	var counts := Values.keyed(MONITORS, func(name: String) -> int: return roundi(Performance.get_monitor(MONITORS[name])))
	return counts.merged({"of scripts": Item.alive()})
