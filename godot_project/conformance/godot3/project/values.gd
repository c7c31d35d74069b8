extends Object
# The values of the vectors, for all that write or read them: the expressions in a vector file, made
# by this engine.


# An array of the value, or an empty one if the expression is wrong. Each expression has a script of
# its own: within one function GDScript makes one constant of 0.0 and -0.0.
static func made(expression: String) -> Array:
	var script := GDScript.new()
	script.source_code = (
		'extends "res://makers.gd"\nfunc value():\n\tvar result = %s\n\tmade = true\n\treturn result\n' % expression
	)
	if script.reload() != OK:
		return []
	var maker = script.new()
	var value = maker.value()
	return [value] if maker.made else []


# Lets go of a value that nothing else would free.
static func discard(value) -> void:
	if value is Object and is_instance_valid(value):
		if value is Node or value.get_class() == "Object":
			value.free()
