extends Resource
## A class of the game that is saved: what it exports.

@export var name := ""
@export var hp := 10
@export var bag: Array[String] = []
