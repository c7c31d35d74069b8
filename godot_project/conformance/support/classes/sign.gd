extends Label
## A control with a script, whose list the engine is asked for.

@export_multiline var hint := ""
@export var fonts: Dictionary[String, LabelSettings] = {}
