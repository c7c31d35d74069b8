extends RefCounted
## An object with a script, for the vectors: see make.gd.

@export var exported := {"a": [1, 2.5]}
