extends Node
## Worked example: a rollback loop, as in networked games.
##
## No tick waits for the network. It is simulated at once, with a guess of the other player's input;
## the true input arrives some ticks later. If the guess was wrong, the game goes back to that tick
## and simulates all ticks since then again. Run as a scene, it prints what happened:
##
##     godot --headless --path godot_project res://examples/rollback.tscn

const Game := preload("rollback_game.gd")

const TICKS := 120
## Ticks until the other player's input arrives.
const DELAY := 6
## The packet to the spectator that the network loses.
const LOST_PACKET := 40

var tick := 0
var game := Game.new()
## The properties of the game's nodes that a tick may change.
var state := VarBatchState.new()
## Their values as bytes, after the last tick. No other snapshot is kept whole.
var snapshot: PackedByteArray
## The wrong guesses: the tick, the snapshots before and after, and the changes between them.
var corrections: Array[Dictionary] = []
## The snapshot that a spectator knows, who only receives what is certain.
var spectator: PackedByteArray
var sent_bytes := 0
var refused_packets := 0

## A ring of deltas: each turns the snapshot after a tick into the one before it.
var _ways_back: Array[PackedByteArray] = []
## The other player's inputs, by tick: true inputs, then guesses.
var _inputs: PackedInt32Array = []
var _sent: PackedByteArray


func _init() -> void:
	_ways_back.resize(DELAY)
	add_child(game)
	game.add_to(state)
	snapshot = state.capture()
	spectator = snapshot
	_sent = snapshot


func _ready() -> void:
	if get_tree().current_scene != self:
		return
	while tick < TICKS:
		advance()
	for correction: Dictionary in corrections:
		print("tick %d was guessed wrong:" % correction.tick)
		for change: Dictionary in correction.changes:
			print("  %s %s" % [change.op, "/".join(change.path.map(str))])
	print(
		(
			"rollback: %d ticks, %d corrections, %d bytes a snapshot, %d a packet"
			% [TICKS, corrections.size(), snapshot.size(), sent_bytes / (TICKS - DELAY + 1)]
		)
	)
	get_tree().quit()


## The work of a game in each physics frame.
func advance() -> void:
	# Predict: a player who moved keeps moving, and does not shoot.
	_inputs.append(0 if _inputs.is_empty() else _inputs[-1] & ~Game.FIRE)
	_simulate()
	# The network: the other player's input from some ticks ago.
	var true_tick := tick - DELAY
	if true_tick >= 0:
		_receive(true_tick, Game.true_input(1, true_tick))
		_send(snapshot_before(true_tick + 1))


## Returns the snapshot before one of the last ticks: from the current one backwards, a delta per
## tick.
func snapshot_before(earlier: int) -> PackedByteArray:
	var bytes := snapshot
	for undone: int in range(tick - 1, earlier - 1, -1):
		bytes = VarBatch.apply_delta(bytes, _ways_back[undone % DELAY])
	return bytes


func _simulate() -> void:
	var before := snapshot
	game.step([Game.true_input(0, tick), _inputs[tick]])
	snapshot = state.capture()
	_ways_back[tick % DELAY] = VarBatch.make_delta(snapshot, before)
	tick += 1


func _receive(true_tick: int, input: int) -> void:
	if _inputs[true_tick] == input:
		return
	var now := tick
	var predicted := snapshot
	_inputs[true_tick] = input
	for later: int in range(true_tick + 1, now):
		_inputs[later] = input & ~Game.FIRE

	# Roll back, which sets only what differs, and simulate again.
	snapshot = snapshot_before(true_tick)
	state.restore(snapshot)
	tick = true_tick
	while tick < now:
		_simulate()

	# A game would smooth this over, or play a sound for it: here it is only kept.
	var changes := VarBatch.diff(predicted, snapshot)
	corrections.append(
		{"tick": true_tick, "predicted": predicted, "corrected": snapshot, "changes": changes}
	)


## Both ends of the connection to the spectator, for states that will not change any more.
func _send(certain: PackedByteArray) -> void:
	var packet := VarBatch.make_delta(_sent, certain)
	_sent = certain
	sent_bytes += packet.size()
	if tick == LOST_PACKET:
		return
	var received := VarBatch.apply_delta(spectator, packet)
	if received.is_empty():
		# A delta identifies the bytes that it was made from, and VarBatch has printed that these
		# differ, as the previous packet was lost. So the spectator requests the whole state.
		refused_packets += 1
		received = certain
	spectator = received
