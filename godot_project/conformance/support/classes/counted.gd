extends RefCounted
## How many objects there are of the scripts in this folder that count theirs. One thread may make some
## while another frees some.

static var _alive := 0
static var _mutex := Mutex.new()


static func alive() -> int:
	return _alive


static func add(count: int) -> void:
	_mutex.lock()
	_alive += count
	_mutex.unlock()
