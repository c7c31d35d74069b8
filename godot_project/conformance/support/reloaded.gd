extends Resource
## A script whose source a suite changes.

@export var first := 1
