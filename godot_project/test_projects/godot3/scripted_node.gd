extends Node
# A node with a script, for the vectors.

export var exported := Vector2(1, 2)
