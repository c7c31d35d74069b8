@tool
extends EditorPlugin
## Worked example: an editor tool whose edits can be undone.
##
## Copy this folder to the addons of a project that has VarBatch, and enable it in the project's
## settings. The menu Project > Tools then contains its actions for the selected nodes.

const Scatter := preload("scatter.gd")

const SCATTER_ITEM := "Scatter Selected Nodes"
const ALIGN_ITEM := "Align Selected Nodes"

## The max distance that nodes are scattered, in pixels.
const REACH := 100.0


func _enter_tree() -> void:
	add_tool_menu_item(SCATTER_ITEM, scatter_selected)
	add_tool_menu_item(ALIGN_ITEM, align_selected)


func _exit_tree() -> void:
	remove_tool_menu_item(SCATTER_ITEM)
	remove_tool_menu_item(ALIGN_ITEM)


func scatter_selected() -> void:
	Scatter.scatter(_selected(), get_undo_redo(), REACH, randi())


func align_selected() -> void:
	Scatter.align(_selected(), get_undo_redo())


func _selected() -> Array[Node2D]:
	var nodes: Array[Node2D] = []
	for node: Node in EditorInterface.get_selection().get_selected_nodes():
		if node is Node2D:
			nodes.append(node)
	return nodes
