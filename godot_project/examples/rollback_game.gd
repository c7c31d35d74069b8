extends RefCounted
## The game of the rollback example: two players who move and shoot.
##
## Its state is one Dictionary of plain values. A tick depends only on the state and the inputs, so
## that the same snapshot and the same inputs always give the same bytes.

const UP := 1
const DOWN := 2
const FIRE := 4

const TEAMS: Array[StringName] = [&"red", &"blue"]

const _REACH := 12.0
const _EDGE := 100.0


static func new_state() -> Dictionary:
	return {
		"players": [_player(-60.0), _player(60.0)],
		"projectiles": [],
		"scores": {&"red": 0, &"blue": 0},
		"map": "two walls",
		"round": 1,
	}


## A player's true input in a tick: up or down for a while, and a shot now and then.
static func true_input(player: int, tick: int) -> int:
	var way := UP if hash([player, tick / 16]) % 2 == 0 else DOWN
	return way | (FIRE if (tick + player * 5) % 13 == 0 else 0)


## Does one tick, with an input for each player.
static func step(state: Dictionary, inputs: PackedInt32Array) -> void:
	for index: int in inputs.size():
		var player: Dictionary = state.players[index]
		var way := -1.0 if inputs[index] & UP else 1.0
		player.velocity = player.velocity * 0.5 + Vector2(0.0, way)
		player.position += player.velocity
		if inputs[index] & FIRE:
			var speed := Vector2(8.0 if index == 0 else -8.0, 0.0)
			var shot := {"by": index, "position": player.position, "velocity": speed}
			state.projectiles.append(shot)
	_move_projectiles(state)


static func _move_projectiles(state: Dictionary) -> void:
	for index: int in range(state.projectiles.size() - 1, -1, -1):
		var shot: Dictionary = state.projectiles[index]
		shot.position += shot.velocity
		var target: Vector2 = state.players[1 - shot.by].position
		if target.distance_to(shot.position) < _REACH:
			state.scores[TEAMS[shot.by]] += 1
			state.projectiles.remove_at(index)
		elif absf(shot.position.x) > _EDGE:
			state.projectiles.remove_at(index)


static func _player(x: float) -> Dictionary:
	return {"position": Vector2(x, 0.0), "velocity": Vector2.ZERO, "health": 100}
