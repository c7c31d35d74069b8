extends Resource
## An object with a script, as games have them: five exported properties.

@export var id := 0
@export var title := ""
@export var price := 1.5
@export var position := Vector3.ZERO
@export var tags: Array[String] = []
