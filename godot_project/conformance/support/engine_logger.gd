extends Logger
## Tells what the engine logs and what scripts print. Only for Godot 4.5 and later.

## Called with the type and the text of each error and warning, on the thread that logs.
var on_error := Callable()
## Called with what is printed, on the thread that prints.
var on_print := Callable()


func _log_error(
	_function: String,
	_file: String,
	_line: int,
	code: String,
	rationale: String,
	_editor_notify: bool,
	error_type: int,
	_script_backtraces: Array[ScriptBacktrace]
) -> void:
	if on_error.is_valid():
		on_error.call(error_type, code if rationale.is_empty() else rationale)


func _log_message(message: String, is_error: bool) -> void:
	if on_print.is_valid() and not is_error:
		on_print.call(message)
