extends Node
## The game of the rollback example: two players who move and shoot.
##
## What it is in a tick are a few properties of its nodes. A tick depends only on these and on the
## inputs, so that the same capture and the same inputs always give the same bytes.

const UP := 1
const DOWN := 2
const FIRE := 4

const TEAMS: Array[StringName] = [&"red", &"blue"]

const _REACH := 12.0
const _EDGE := 100.0

var players: Array[Player] = [Player.new(-60.0), Player.new(60.0)]
## Those that fly: who shot, the position and the velocity of each.
var projectiles: Array[Dictionary] = []
var scores := {&"red": 0, &"blue": 0}


func _init() -> void:
	for player: Player in players:
		add_child(player)


## Adds everything that a tick may change.
func add_to(state: VarBatchState) -> void:
	state.add_all(players, ["position", "velocity", "health"])
	state.add(self, ["projectiles", "scores"])


## A player's true input in a tick: up or down for a while, and a shot now and then.
static func true_input(player: int, tick: int) -> int:
	var way := UP if hash([player, tick / 16]) % 2 == 0 else DOWN
	return way | (FIRE if (tick + player * 5) % 13 == 0 else 0)


## Does one tick, with an input for each player.
func step(inputs: PackedInt32Array) -> void:
	for index: int in inputs.size():
		var player := players[index]
		var way := -1.0 if inputs[index] & UP else 1.0
		player.velocity = player.velocity * 0.5 + Vector2(0.0, way)
		player.position += player.velocity
		if inputs[index] & FIRE:
			var speed := Vector2(8.0 if index == 0 else -8.0, 0.0)
			projectiles.append({"by": index, "position": player.position, "velocity": speed})
	_move_projectiles()


func _move_projectiles() -> void:
	for index: int in range(projectiles.size() - 1, -1, -1):
		var shot := projectiles[index]
		shot.position += shot.velocity
		var target := players[1 - shot.by]
		if target.position.distance_to(shot.position as Vector2) < _REACH:
			scores[TEAMS[shot.by]] += 1
			target.health -= 1
			projectiles.remove_at(index)
		elif absf((shot.position as Vector2).x) > _EDGE:
			projectiles.remove_at(index)


class Player:
	extends Node2D

	var velocity := Vector2.ZERO
	var health := 100

	func _init(x: float) -> void:
		position.x = x
