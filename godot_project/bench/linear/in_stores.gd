extends RefCounted
## Cases of VarBatchStore.

const Case := preload("case.gd")
const InMemory := preload("in_memory.gd")
const Place := preload("../place.gd")

const KEYS := 1_000
## More keys than fit into the cache of a reader, with the larger inputs.
const MANY := 30

## What one call needs that looks at all keys, or at the last of them.
const READS: Dictionary[String, Array] = {
	"get_keys": [],
	"get_keys_async": [],
	"get_key_count": [],
	"get_keys_with_prefix": ["key"],
	"get_key_count_with_prefix": ["key"],
	"has_key": ["key 7"],
	"load_var": ["key 7"],
	"compact_async": [],
}
## What removes all keys.
const ERASES: Dictionary[String, Array] = {
	"erase_all": [],
	"erase_prefix": ["key"],
	"erase_prefix_async": ["key"],
	"erase_range": ["key", "kez"],
	"erase_range_async": ["key", "kez"],
}


static func all(place: Place) -> Dictionary[String, Callable]:
	var cases: Dictionary[String, Callable] = {}
	for method: String in READS:
		cases["VarBatchStore.%s" % method] = func(scale: int) -> Case:
			return Case.of(InMemory.finished.bind(Case.call_on(_filled(place, scale), method, READS[method])))
	for method: String in ["load_vars", "load_vars_async", "check_keys"]:
		cases["VarBatchStore.%s" % method] = func(scale: int) -> Case:
			var call := Case.call_on(_filled(place, scale), method, [_values(scale).keys()])
			return Case.of(InMemory.finished.bind(call))
	for method: String in ["load_vars", "load_vars_async", "check_keys", "erase_keys", "save_vars"]:
		cases["VarBatchStore.%s, keys in no order" % method] = func(scale: int) -> Case:
			var values := _values(MANY * scale)
			var store := _filled(place, MANY * scale)
			var keys := values.keys()
			seed(MANY)
			keys.shuffle()
			var shuffled: Dictionary = {}
			for key: String in keys:
				shuffled[key] = values[key]
			var call := Case.call_on(store, method, [shuffled if method == "save_vars" else keys])
			return Case.of(InMemory.finished.bind(call), Case.call_on(store, &"save_vars", [values]))
	for method: String in ["save_vars", "save_vars_async"]:
		cases["VarBatchStore.%s" % method] = func(scale: int) -> Case:
			var call := Case.call_on(_filled(place, scale), method, [_values(scale)])
			return Case.of(InMemory.finished.bind(call))
	cases["VarBatchStore.save_var"] = func(scale: int) -> Case:
		return Case.of(Case.call_on(_filled(place, scale), &"save_var", ["large", _values(scale)]))
	for method: String in ERASES:
		cases["VarBatchStore.%s" % method] = func(scale: int) -> Case:
			var store := _filled(place, scale)
			var call := Case.call_on(store, method, ERASES[method])
			return Case.of(InMemory.finished.bind(call), Case.call_on(store, &"save_vars", [_values(scale)]))
	cases["VarBatchStore.erase_keys"] = func(scale: int) -> Case:
		var store := _filled(place, scale)
		return Case.of(Case.call_on(store, &"erase_keys", [_values(scale).keys()]), Case.call_on(store, &"save_vars", [_values(scale)]))
	cases["VarBatchStore.backup_async"] = func(scale: int) -> Case:
		var call := Case.call_on(_filled(place, scale), &"backup_async", [place.path("backup")])
		return Case.of(InMemory.finished.bind(call))
	cases["VarBatchStore.open and close"] = func(scale: int) -> Case:
		var path := _filled(place, scale).get_path()
		return Case.of(func() -> void: VarBatchStore.open(path).close())
	cases["VarBatchStore.rename"] = func(scale: int) -> Case:
		var path := _filled(place, scale).get_path()
		var to := place.path("renamed")
		return Case.of(
			func() -> void:
				VarBatchStore.rename(path, to)
				VarBatchStore.rename(to, path)
		)
	cases["VarBatchStore.remove"] = func(scale: int) -> Case:
		var path := place.path("removed")
		return Case.of(Case.call_of(&"VarBatchStore", &"remove", [path]), func() -> void: _fill(path, scale).close())
	return cases


static func _values(scale: int) -> Dictionary:
	var values: Dictionary = {}
	for index in KEYS * scale:
		values["key %d" % index] = [index, "value"]
	return values


static func _filled(place: Place, scale: int) -> VarBatchStore:
	return _fill(place.path("store-%d" % scale), scale)


static func _fill(path: String, scale: int) -> VarBatchStore:
	var store := VarBatchStore.open(path)
	store.erase_all()
	store.save_vars(_values(scale))
	return store
