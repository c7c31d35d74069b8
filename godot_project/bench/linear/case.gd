extends RefCounted
## One size of a case: the call that is timed, and what is done before each time.

var timed: Callable
var before: Callable


static func of(timed_call: Callable, before_call := Callable()) -> RefCounted:
	var made := new()
	made.timed = timed_call
	made.before = before_call
	return made


## Makes the call; returns its time in microseconds.
func run() -> int:
	if before.is_valid():
		before.call()
	var started := Time.get_ticks_usec()
	timed.call()
	return Time.get_ticks_usec() - started


## A call of a method of an object. A Callable of it alone would not keep it.
static func call_on(object: Object, method: StringName, arguments: Array = []) -> Callable:
	return _call_on.bind(object, method, arguments)


## A call of a static method. A Callable of a native class does not keep that either.
static func call_of(named: StringName, method: StringName, arguments: Array) -> Callable:
	return _call_static.bind(named, method, arguments)


static func _call_static(named: StringName, method: StringName, arguments: Array) -> Variant:
	var all: Array = [named, method]
	return ClassDB.callv(&"class_call_static", all + arguments)


static func _call_on(object: Object, method: StringName, arguments: Array) -> Variant:
	return object.callv(method, arguments)
