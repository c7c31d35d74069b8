extends Logger
## Keeps what scripts print. Only for Godot 4.5 and later.

var _mutex := Mutex.new()
var _text := ""


## The lines since the last call.
func take() -> PackedStringArray:
	_mutex.lock()
	var text := _text
	_text = ""
	_mutex.unlock()
	return text.trim_suffix("\n").split("\n") if text else PackedStringArray()


func _log_message(message: String, is_error: bool) -> void:
	if is_error:
		return
	_mutex.lock()
	_text += message
	_mutex.unlock()
