@tool
extends RefCounted
## The tool's actions on nodes. They change nodes freely: no line says what to undo, as the recorder
## finds out.
##
## The undo history is an EditorUndoRedoManager in the editor, and an UndoRedo in a game.


## Moves, turns and tints nodes at random, and bends their polygons. Returns the number of
## modifications.
static func scatter(nodes: Array[Node2D], undo_redo: Object, reach: float, random_seed: int) -> int:
	var random := RandomNumberGenerator.new()
	random.seed = random_seed
	var recorder := VarBatchUndoRecorder.new()
	recorder.record_all(nodes)
	for node: Node2D in nodes:
		node.position += Vector2(
			random.randf_range(-reach, reach), random.randf_range(-reach, reach)
		)
		node.rotation = random.randf_range(0.0, TAU)
		node.modulate.a = random.randf_range(0.5, 1.0)
		if node is Polygon2D:
			var polygon: PackedVector2Array = node.polygon
			for index: int in polygon.size():
				polygon[index] *= random.randf_range(0.8, 1.2)
			node.polygon = polygon
	return recorder.commit(undo_redo, "Scatter Nodes")


## Moves nodes to the left edge of the leftmost one. Only actual changes become modifications, so
## undo only restores `position:x`, whatever else changes these nodes meanwhile.
static func align(nodes: Array[Node2D], undo_redo: Object) -> int:
	var recorder := VarBatchUndoRecorder.new()
	recorder.record_all(nodes, ["position"])
	var left := INF
	for node: Node2D in nodes:
		left = minf(left, node.position.x)
	for node: Node2D in nodes:
		node.position.x = left
	return recorder.commit(undo_redo, "Align Nodes")
