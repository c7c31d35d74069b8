extends Node
## Worked example: time that runs backwards, as in games in which the player takes back the last
## second.
##
## After each tick, the properties of all balls are captured. Only the last capture is kept whole.
## For each of the 60 ticks before it, a ring keeps the delta that leads one tick back: a hundredth
## of the bytes, as one ball in twenty moves. Run as a scene, it plays some ticks and takes them
## back:
##
##     godot --headless --path godot_project res://examples/rewind.tscn

const BALLS := 200
## Of so many balls, one is moving.
const MOVING := 20
const TICKS := 90
## Ticks that can be taken back.
const RING := 60

## The tick that was captured last.
var tick := 0
var balls: Array[Ball] = []
var state := VarBatchState.new()
## The capture after the last tick.
var capture: PackedByteArray

## The delta from the capture after a tick to the one before it, at the tick's place in the ring.
var _ways_back: Array[PackedByteArray] = []
## How many ticks can be taken back now.
var _kept := 0


func _init() -> void:
	_ways_back.resize(RING)
	for index: int in BALLS:
		var ball := Ball.new()
		ball.position = Vector2(index % 20, index / 20) * 10.0
		if index % MOVING == 0:
			ball.velocity = Vector2(1.5, index * 0.01)
		balls.append(ball)
		add_child(ball)
	state.add_all(balls, ["position", "velocity", "bounces"])
	capture = state.capture()


func _ready() -> void:
	if get_tree().current_scene != self:
		return
	while tick < TICKS:
		advance()
	var first := balls[0].position
	var bytes := kept_bytes()
	while go_back():
		pass
	print("rewind: back from tick %d to tick %d" % [TICKS, tick])
	print("  the first ball was at %s, and is at %s" % [first, balls[0].position])
	print("  %d bytes for %d ticks, %d bytes each as a whole" % [bytes, RING, capture.size()])
	get_tree().quit()


## The work of a game in each physics frame.
func advance() -> void:
	for ball: Ball in balls:
		ball.move()
	var before := capture
	capture = state.capture()
	_ways_back[tick % RING] = VarBatch.make_delta(capture, before)
	tick += 1
	_kept = mini(_kept + 1, RING)


## Takes the last tick back. Returns false if it is no longer known.
func go_back() -> bool:
	if _kept == 0:
		return false
	tick -= 1
	_kept -= 1
	capture = VarBatch.apply_delta(capture, _ways_back[tick % RING])
	# Sets only what differs: the balls that have moved.
	return state.restore(capture) == OK


## What all ticks take that can be taken back.
func kept_bytes() -> int:
	return _ways_back.reduce(
		func(sum: int, delta: PackedByteArray) -> int: return sum + delta.size(), capture.size()
	)


class Ball:
	extends Node2D

	var velocity := Vector2.ZERO
	var bounces := 0

	func move() -> void:
		position += velocity
		if absf(position.x - 100.0) > 100.0:
			velocity.x = -velocity.x
			bounces += 1
