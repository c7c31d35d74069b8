extends Logger
## Hands the engine's errors and warnings to an error_log.gd. Only for Godot 4.5 and later.

const ErrorLog := preload("error_log.gd")

var _log: ErrorLog


func _init(error_log: ErrorLog) -> void:
	_log = error_log


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
	_log.add(error_type, code if rationale.is_empty() else rationale)
