extends RefCounted
## What the engine logged, so that a test can say which errors it expects.
##
## Class Logger came with Godot 4.5. It is named only in engine_logger.gd, which is loaded only
## where it exists, so that the tests run in 4.4 as well, without this check.

## Kinds of entries: Logger.ERROR_TYPE_WARNING, and ERROR_TYPE_SCRIPT, which is never expected.
const KIND_WARNING := 1
const KIND_SCRIPT := 2

var _entries: Array[Dictionary] = []
var _mutex := Mutex.new()  # errors come from any thread
var _logger: RefCounted


func open() -> void:
	_logger = add_logger(&"on_error", add)


## A Logger that calls [param action] for what this property of engine_logger.gd says, or null.
static func add_logger(property: StringName, action: Callable) -> RefCounted:
	if not ClassDB.class_exists(&"Logger"):
		return null
	var logger: RefCounted = load("res://conformance/support/engine_logger.gd").new()
	logger.set(property, action)
	OS.call(&"add_logger", logger)
	return logger


func close() -> void:
	if is_open():
		OS.call(&"remove_logger", _logger)
		_logger = null


func is_open() -> bool:
	return _logger != null


func add(kind: int, text: String) -> void:
	_mutex.lock()
	_entries.append({"kind": kind, "text": text})
	_mutex.unlock()


## Everything since the last call: {"kind": Logger.ErrorType, "text": String} in order.
func take() -> Array[Dictionary]:
	_mutex.lock()
	var taken := _entries
	_entries = []
	_mutex.unlock()
	return taken
