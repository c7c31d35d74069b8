extends Logger
## Calls what a suite asks for whenever an error is logged. Loaded only where the engine has Logger.

var action: Callable


func _log_error(
	_function: String,
	_file: String,
	_line: int,
	_code: String,
	_rationale: String,
	_editor_notify: bool,
	_error_type: int,
	_script_backtraces: Array[ScriptBacktrace]
) -> void:
	action.call()
