extends ResourceFormatLoader
## Loads resources that do what a test asks for while they are loaded, as one that warms a cache does.

const EXTENSION := "warming"

static var action := Callable()


func _get_recognized_extensions() -> PackedStringArray:
	return [EXTENSION]


func _handles_type(_type: StringName) -> bool:
	return true


func _get_resource_type(path: String) -> String:
	return "Resource" if path.get_extension() == EXTENSION else ""


## Scripts that are named in bytes are looked for first.
func _exists(path: String) -> bool:
	return path.get_extension() == EXTENSION


func _load(_path: String, _original: String, _sub_threads: bool, _cache: int) -> Variant:
	if action.is_valid():
		action.call()
	return Resource.new()
