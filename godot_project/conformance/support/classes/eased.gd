extends Curve
## A script of a class that has a list of its own for each object.

@export var label := "eased"
@export var inner: Curve
