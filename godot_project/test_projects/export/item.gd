extends Resource
## An object with a script, which is saved with its properties.

@export var count := 1
@export var content: Variant
