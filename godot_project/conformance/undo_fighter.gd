extends Node2D
## A script with variables of its own, for edits that change the script.

@export var health := 3
@export var bag: Array = []
