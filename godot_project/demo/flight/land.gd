extends RefCounted
## A world whose chunks lie in a store, each with its place as the key, and a player who flies over
## it and digs. Chunks around him are loaded as he comes; those that he changes wait for a save.

const World = preload("res://demo/world.gd")
const WorldMap = preload("res://demo/world_map.gd")

## After the values of World, a chunk has more blocks and light: a save of all takes its time.
const MORE_BYTES := World.SIDE * World.SIDE * 496
const CHUNK_KIB := 130
## The key of the number of the save and the hashes of all chunks. It is saved together with chunks:
## if a part of a save could get lost, they would not match.
const INDEX := "index"
const _REACH := 3
const _BLOCKS_PER_SECOND := 64.0
const _DIG_USEC := 150_000
const _CRATER := 7

## All chunks as they are now: to compare with what the store returns, and for saves of all.
var chunks: Dictionary[Vector2i, Array] = {}
var loaded: Dictionary[Vector2i, bool] = {}
## Changed since the start of the last save.
var changed: Dictionary[Vector2i, bool] = {}
## The number of the last save that was acknowledged, and of the last one that began.
var save_number := 0
var begun_number := 0
## Drawn from chunks of the store only.
var map: Image
## In blocks from the corner of the world.
var player := Vector2(100.0, 60.0)
var direction := Vector2.RIGHT
## What the store did not return as it was saved, or "".
var problem := ""

var _world: World
var _store: VarBatchStore
var _hashes: Dictionary[Vector2i, int] = {}
var _loading: VarBatchTask
var _usec := 0
var _dug_usec := 0


func _init(chunk_count: int, world_seed: int) -> void:
	_world = World.new(mini(chunk_count, World.ROW * WorldMap.ROWS_MAX), world_seed)
	map = WorldMap.blank(chunk_count)


## Opens the store. If a run that was killed has left its world there, checks and takes that.
func open(path: String) -> void:
	_store = VarBatchStore.open(path)
	if _store == null:
		problem = "cannot open " + path
	elif _store.has_key(INDEX):
		var index: Array = _store.load_var(INDEX)
		begun_number = index[0]
		save_number = begun_number
		_hashes = index[1]
		map = WorldMap.blank(_hashes.size())
		var values := _store.load_vars(_hashes.keys())
		for cell: Vector2i in _hashes:
			var value: Variant = values[chunks.size()]
			if hash(value) != _hashes[cell]:
				problem = "chunk %s is not the one of save %d" % [cell, save_number]
				return
			chunks[cell] = value
			WorldMap.draw_chunk(map, cell, value[World.HEIGHTS])


## Makes some chunks of a new world; returns true if more remain.
func grow(count: int) -> bool:
	if save_number > 0:
		return false
	var more: PackedByteArray = []
	more.resize(MORE_BYTES)
	var from := _world.made()
	var remains := _world.grow(count)
	for at in range(from, _world.made()):
		var start := at * World.VALUES_PER_CHUNK
		var cell := Vector2i(at % World.ROW, at / World.ROW)
		chunks[cell] = _world.values.slice(start, start + World.VALUES_PER_CHUNK) + [more]
		changed[cell] = true
	return remains


## Begins to save the chunks that have changed. Call [method end_save] when the task has finished.
func save() -> VarBatchTask:
	return _store.save_vars_async(_changes())


func end_save(error: Error) -> void:
	if error == OK:
		save_number = begun_number
	else:
		problem = "save %d: %s" % [begun_number, error_string(error)]


## Saves the chunks that have changed at once, if there are any.
func flush() -> void:
	if not changed.is_empty():
		end_save(_store.save_vars(_changes()))


func close() -> void:
	if _store != null:
		_store.close()


## Moves the player on, and digs and loads where he comes. [param steering] may be zero.
func fly(usec: int, steering: Vector2) -> void:
	_usec += usec
	var seconds := minf(usec / 1_000_000.0, 0.1)
	direction = direction.rotated(0.9 * seconds * sin(_usec / 1_500_000.0))
	if steering != Vector2.ZERO:
		direction = steering.normalized()
	player = (player + direction * _BLOCKS_PER_SECOND * seconds).posmodv(map.get_size())
	var cell := Vector2i(player) / World.SIDE
	if _usec - _dug_usec >= _DIG_USEC and loaded.has(cell):
		_dug_usec = _usec
		_dig(cell, Vector2i(player) - cell * World.SIDE)
	if _loading == null:
		_load_around(cell)


## Loads all chunks, and returns how they differ from what was saved, or "".
func difference() -> String:
	var found := _store.load_vars(chunks.keys())
	var is_same := found == chunks.values() and _store.get_key_count() == found.size() + 1
	return "" if is_same else "the store has other chunks than were saved"


## The chunks that have changed, by key, and the index that goes with them.
func _changes() -> Dictionary:
	begun_number += 1
	var changes := {}
	for cell: Vector2i in changed:
		changes[cell] = chunks[cell]
		_hashes[cell] = hash(chunks[cell])
	changes[INDEX] = [begun_number, _hashes.duplicate()]
	changed.clear()
	return changes


func _load_around(middle: Vector2i) -> void:
	var near := Rect2i(middle, Vector2i.ONE).grow(_REACH)
	for cell: Vector2i in loaded.keys():
		if not near.grow(1).has_point(cell) and not changed.has(cell):
			loaded.erase(cell)
	var cells: Array[Vector2i] = []
	for place in near.get_area():
		var cell := near.position + Vector2i(place % near.size.x, place / near.size.x)
		if chunks.has(cell) and not loaded.has(cell):
			cells.append(cell)
	if not cells.is_empty():
		_loading = _store.load_vars_async(cells)
		_loading.finished.connect(_take.bind(cells))


func _take(values: Array, cells: Array[Vector2i]) -> void:
	_loading = null
	for at in cells.size():
		if values[at] != chunks[cells[at]]:
			problem = "chunk %s is not what was saved" % cells[at]
			return
		chunks[cells[at]] = values[at]
		loaded[cells[at]] = true
		WorldMap.draw_chunk(map, cells[at], values[at][World.HEIGHTS])


## Digs a crater in a chunk, which becomes another one: the old one may be on its way to the disk.
func _dig(cell: Vector2i, middle: Vector2i) -> void:
	var chunk := chunks[cell].duplicate()
	var heights: PackedFloat32Array = chunk[World.HEIGHTS].duplicate()
	var blocks: PackedByteArray = chunk[World.BLOCKS].duplicate()
	for at in heights.size():
		var place := Vector2i(at % World.SIDE, at / World.SIDE)
		var depth := _CRATER - Vector2(middle).distance_to(place)
		if depth > 0.0:
			heights[at] = maxf(heights[at] - depth, 1.0)
			var ground := clampi(roundi(heights[at]), 0, World.SIDE)
			for y in World.SIDE:
				blocks[at * World.SIDE + y] = _world.columns[ground][y]
	chunk[World.HEIGHTS] = heights
	chunk[World.BLOCKS] = blocks
	chunks[cell] = chunk
	changed[cell] = true
	WorldMap.draw_chunk(map, cell, heights)
