extends Reference
# An object with a script, for the vectors.

export var exported := {"a": [1, 2.5]}
