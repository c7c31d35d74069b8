extends Node
## Worked example: time that runs backwards, as in games in which the player takes back the last
## second.
##
## After each tick, the properties of all balls are captured. Only the last capture is kept whole.
## For each of the 60 ticks before it, a ring keeps the delta that leads one tick back: a hundredth
## of the bytes, as one ball in twenty moves. Balls come and go: one that pops is hidden as long as
## that can be taken back, and one that came is freed when its tick is taken back. Run as a scene, it
## plays some ticks and takes them back:
##
##     godot --headless --path godot_project res://examples/rewind.tscn

const BALLS := 200
## Of so many balls, one is moving.
const MOVING := 20
## After so many ticks, a ball pops, and another one comes.
const CHANGE := 15
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
		_add_ball(index)
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
	var alive := balls.filter(func(ball: Ball) -> bool: return ball.visible)
	for ball: Ball in alive:
		ball.move()
	if tick % CHANGE == 0:
		alive[1].visible = false
		alive[1].popped = tick
		_add_ball(tick, tick + 1)
	# What has popped before all that can be taken back.
	for ball: Ball in balls.filter(
		func(known: Ball) -> bool: return not known.visible and known.popped <= tick - RING
	):
		_remove_ball(ball)
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
	for ball: Ball in balls.filter(func(known: Ball) -> bool: return known.born > tick):
		_remove_ball(ball)
	# Sets only what differs: the balls that have moved, or popped.
	return state.restore(capture) == OK


## What all ticks take that can be taken back.
func kept_bytes() -> int:
	return _ways_back.reduce(
		func(sum: int, delta: PackedByteArray) -> int: return sum + delta.size(), capture.size()
	)


func _add_ball(index: int, born := 0) -> void:
	var ball := Ball.new()
	ball.born = born
	ball.position = Vector2(index % 20, index / 20) * 10.0
	if index % MOVING == 0:
		ball.velocity = Vector2(1.5, index * 0.01)
	balls.append(ball)
	add_child(ball)
	state.add(ball, ["position", "velocity", "bounces", "visible"])


func _remove_ball(ball: Ball) -> void:
	balls.erase(ball)
	state.remove(ball)
	ball.free()


class Ball:
	extends Node2D

	var velocity := Vector2.ZERO
	var bounces := 0
	## The tick after which it is there, and the one in which it popped.
	var born := 0
	var popped := 0

	func move() -> void:
		position += velocity
		if absf(position.x - 100.0) > 100.0:
			velocity.x = -velocity.x
			bounces += 1
