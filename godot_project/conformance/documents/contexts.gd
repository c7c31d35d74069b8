extends RefCounted
## What the examples of the documents leave out: the variables that they use, and whether they did
## what they say.
##
## A context begins with [code]===[/code] and a part of the example's text that no other example has.
## [code]members[/code] stands before it in its class, [code]before[/code] and [code]after[/code] run
## around it. An example that has functions is run by [code]after[/code].

const TEXT := """
=== state.add_all(players
--- members
class Player:
	extends Node2D
	var velocity := Vector2.ZERO
	var hp := 5
var players: Array[Player] = [Player.new()]
func play() -> void:
	players[0].hp -= 1
--- after
expect(players[0].hp == 5, "it was not restored")
players[0].free()
=== scatter(selection)
--- members
var history := UndoRedo.new()
@onready var selection: Array[Node2D] = [$Sprite2D as Node2D]
func get_undo_redo() -> UndoRedo:
	return history
func scatter(nodes: Array[Node2D]) -> void:
	for node: Node2D in nodes:
		node.position.y += 5.0
--- after
history.undo()
expect($Sprite2D.position.y == 0.0, "the edit was not undone")
history.free()
=== if FileAccess.file_exists("user://save3.dat")
--- members
var buffer := VarBatch.var_to_bytes_in([1, "two"], VarBatch.DIALECT_GODOT_3)
func _init() -> void:
	var file := FileAccess.open("user://save3.dat", FileAccess.WRITE)
	file.store_32(buffer.size())
	file.store_buffer(buffer)
	DirAccess.remove_absolute("user://save4.dat")
--- after
expect(VarBatch.load_vars("user://save4.dat") == [[1, "two"]], "the save was not translated")
=== VarBatch.save_var("user://save.delta", delta
--- members
var last_save := var_to_bytes({"items": [{"name": "rope", "count": 1}], "level": 3})
var save := var_to_bytes({"items": [{"name": "rope", "count": 2}, {"name": "lamp"}], "level": 4})
=== var packet = peer.get_packet()
--- members
class Peer:
	func get_packet() -> PackedByteArray:
		return VarBatch.var_to_bytes_in({"pos": Vector3(1, 2, 3)}, VarBatch.DIALECT_GODOT_3)
var peer := Peer.new()
=== match VarBatch.get_last_error():
--- before
VarBatch.save_var("user://game.dat", {"level": 3})
--- after
expect(save == {"level": 3}, "the save differs")
=== func save_game(state):
--- after
await save_game({"level": 3})
expect(VarBatch.load_var("user://state.dat") == {"level": 3}, "the game differs")
=== func load_world(path):
--- before
VarBatch.save_vars("user://world.dat", [1, 2])
--- after
expect(await load_world("user://world.dat") == [1, 2], "the values differ")
expect($ProgressBar.ratio == 1.0, "the bar stands at %f" % $ProgressBar.ratio)
=== func received(packet):
--- members
var state := {"hp": 7}
var last_received := VarBatch.var_to_bytes(state)
func send(packet: PackedByteArray) -> void:
	received(packet)
--- after
state.hp = 5
_physics_process(0.1)
expect(VarBatch.bytes_to_var(last_received) == {"hp": 5}, "the other side differs")
=== chunks[0][0] = 5 # Is not saved.
--- members
var chunks = [[1, 2], [3]]
--- after
await save_world()
expect(VarBatch.load_vars("user://world.dat") == [[1, 2], [3]], "the world differs")
expect($ProgressBar.ratio == 1.0, "the bar stands at %f" % $ProgressBar.ratio)
=== [PlayerData, ItemData, &"Curve"]
--- members
const PlayerData := preload("res://conformance/support/saved_item.gd")
const ItemData := preload("res://conformance/support/saved_child.gd")
func _init() -> void:
	var data := PlayerData.new()
	data.parts = [ItemData.new()]
	VarBatch.save_var("user://player.save", data, true)
--- after
expect(player is PlayerData and player.parts[0] is ItemData, "the player differs")
=== VarBatch.load_var("user://items.dat", [] as Array[Item], [Item])
--- members
const Item := preload("res://conformance/support/saved_item.gd")
func _init() -> void:
	DirAccess.remove_absolute("user://items.dat")
--- after
expect(VarBatch.load_var("user://items.dat", null, [Item])[0] is Item, "no item")
=== In Godot 3 this was written with: file.store_buffer(var2bytes(data))
--- before
var written := FileAccess.open("user://settings.dat", FileAccess.WRITE)
written.store_buffer(VarBatch.var_to_bytes_in({"volume": 0.5}, VarBatch.DIALECT_GODOT_3))
written.close()
--- after
expect(bytes == var_to_bytes({"volume": 0.5}), "the settings differ")
=== func load_save():
--- members
func _init() -> void:
	var bytes := VarBatch.var_to_bytes_in("old", VarBatch.DIALECT_GODOT_3)
	var file := FileAccess.open("user://save.dat", FileAccess.WRITE)
	file.store_32(bytes.size())
	file.store_buffer(bytes)
	DirAccess.remove_absolute("user://save_4.dat")
--- after
expect(load_save() == ["old"] and load_save() == ["old"], "the save differs")
=== The world was not saved: 
--- members
var chunks = [[1, 2], [3]]
--- after
await save_world()
expect(VarBatch.load_vars("user://world.dat") == [[1, 2], [3]], "the world differs")
=== var decoded = await task.finished
--- before
var buffers := [var_to_bytes(1)]
--- after
expect(decoded == [1], "the values differ")
=== recorder.record_all(nodes)
--- before
$Sprite2D.set_meta("log", [])
--- after
scatter([$Sprite2D])
expect($Sprite2D.get_meta("log") == ["moved"], "nothing was scattered")
undo_redo.undo()
expect($Sprite2D.position == Vector2() and $Sprite2D.get_meta("log") == [], "it was not undone")
undo_redo.free()
=== recorder.record($Sprite2D, ["position", "modulate"])
--- members
var recorder := VarBatchUndoRecorder.new()
--- after
expect($Sprite2D.position.y == 0.0, "it was not undone")
=== for change in recorder.flush(true):
--- members
var recorder := VarBatchUndoRecorder.new()
=== func get_overrides(instance, scene):
--- after
var scene := PackedScene.new()
scene.pack($Sprite2D)
var instance := scene.instantiate()
expect(get_overrides(instance, scene).is_empty(), "an instance overrides something")
instance.rotation = 1.0
var overrides: Array = get_overrides(instance, scene)
expect(overrides.size() == 1 and overrides[0].property == "rotation", "overrides %s" % [overrides])
instance.free()
=== func rewind():
--- after
$Sprite2D.add_to_group("enemies")
_ready()
_physics_process(0.1)
$Sprite2D.position.x = 7.0
_physics_process(0.1)
rewind()
expect($Sprite2D.position.x == 0.0 and snapshots.size() == 2, "it was not rewound")
=== recorder.record_complete($Sprite2D)
--- members
class Fighter:
	extends Sprite2D
	@export var health := 3

var recorder := VarBatchUndoRecorder.new()
var undo_redo := UndoRedo.new()
--- after
$Sprite2D.set_script(null)
undo_redo.free()
"""


## Each context, as the texts of its parts; of is what the example has.
static func all() -> Array[Dictionary]:
	var contexts: Array[Dictionary] = []
	for text: String in TEXT.split("=== ", false).slice(1):
		var parts := text.split("--- ")
		var context := {"of": parts[0].strip_edges()}
		for part: String in parts.slice(1):
			context[part.get_slice("\n", 0)] = part.substr(part.find("\n") + 1)
		contexts.append(context)
	return contexts
