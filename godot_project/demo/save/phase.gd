extends RefCounted
## A part of a round: a rest or a save. Keeps the duration of each of its frames.

const Way = preload("res://demo/save/way.gd")

var way: Way
## The time since the start of the round.
var start_usec := 0
var end_usec := 0
var frames: PackedInt64Array = []
var longest_usec := 0
## The start of the longest frame, relative to the start of the round.
var longest_at_usec := 0


func _init(phase_way: Way, phase_start_usec: int) -> void:
	way = phase_way
	start_usec = phase_start_usec
	end_usec = phase_start_usec


func add(frame_usec: int) -> void:
	frames.append(frame_usec)
	if frame_usec > longest_usec:
		longest_usec = frame_usec
		longest_at_usec = end_usec
	end_usec += frame_usec


func usec() -> int:
	return end_usec - start_usec
