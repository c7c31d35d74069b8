extends RefCounted
## One kind of data that games hold: a row of the second table.

## The columns of the table, in order.
enum Column { ENCODE_COLD, ENCODE_WARM, DECODE_COLD, DECODE_WARM }

const Race = preload("res://demo/kinds/race.gd")
const Trip = preload("res://demo/kinds/trip.gd")

var label := ""
## The length of all buffers together; 0 before the first trip.
var bytes := 0
## One for each column.
var races: Array[Race] = []

## Returns the values, made anew.
var _make: Callable
## All cold trips, until [method keep_last] is called. As nothing is freed before, none of them gets
## memory that was used before.
var _trips: Array[Trip] = []


func _init(kind_label: String, make: Callable) -> void:
	label = kind_label
	_make = make
	for _column in Column.size():
		races.append(Race.new())


## Times one trip of values that are made now. Call it for the engine first, then for VarBatch.
func time_cold(by_engine: bool) -> void:
	var trip := Trip.new(by_engine, _make.call())
	_trips.append(trip)
	_time(trip, Column.ENCODE_COLD, Column.DECODE_COLD)
	if by_engine:
		bytes = 0
		for buffer: PackedByteArray in trip.buffers:
			bytes += buffer.size()


## Times the last cold trip once more.
func time_warm(by_engine: bool) -> void:
	var trip := _trips[-2 if by_engine else -1]
	trip.clear()
	_time(trip, Column.ENCODE_WARM, Column.DECODE_WARM)


## Forgets the times of the warm trips.
func forget_warm() -> void:
	for column: Column in [Column.ENCODE_WARM, Column.DECODE_WARM]:
		races[column] = Race.new()


## Returns true if the results of a trip are those of the engine's first trip.
func is_equal(index: int) -> bool:
	return _trips[index].is_equal_to(_trips[0].buffers)


## Frees all trips but the last one of the engine and of VarBatch.
func keep_last() -> void:
	_trips = _trips.slice(-2)


func _time(trip: Trip, encode: Column, decode: Column) -> void:
	var started := Time.get_ticks_usec()
	trip.encode()
	var encoded := Time.get_ticks_usec()
	trip.decode()
	var decoded := Time.get_ticks_usec()
	races[encode].add(trip.by_engine, encoded - started)
	races[decode].add(trip.by_engine, decoded - encoded)
