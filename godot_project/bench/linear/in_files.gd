extends RefCounted
## Cases of files and streams.

const Case := preload("case.gd")
const InMemory := preload("in_memory.gd")
const Place := preload("../place.gd")
const Shapes := preload("shapes.gd")

const GODOT_3 := VarBatch.DIALECT_GODOT_3
const GODOT_4 := VarBatch.DIALECT_GODOT_4


static func all(place: Place) -> Dictionary[String, Callable]:
	var cases: Dictionary[String, Callable] = {}
	var path := place.path("values")
	var saves: Array[String] = ["save_vars", "save_vars_async", "append_vars", "append_vars_async"]
	for method: String in saves:
		for shape: StringName in [&"flat", &"deep"]:
			cases["VarBatch.%s, %s" % [method, shape]] = func(scale: int) -> Case:
				var save := Case.call_of(&"VarBatch", method, [path, Shapes.value(shape, scale)])
				return Case.of(InMemory.finished.bind(save), _remove.bind(path))
	var single_saves: Array[String] = ["save_var", "save_var_async"]
	for method: String in single_saves:
		for shape: StringName in Shapes.VALUES:
			cases["VarBatch.%s, %s" % [method, shape]] = func(scale: int) -> Case:
				var save := Case.call_of(&"VarBatch", method, [path, Shapes.value(shape, scale)])
				return Case.of(InMemory.finished.bind(save))
	var loads: Array[String] = ["load_vars", "load_vars_async"]
	for method: String in loads:
		for shape: StringName in [&"flat", &"deep"]:
			cases["VarBatch.%s, %s" % [method, shape]] = func(scale: int) -> Case:
				var of_scale := place.path("load-%d" % scale)
				VarBatch.save_vars(of_scale, Shapes.value(shape, scale))
				return Case.of(InMemory.finished.bind(Case.call_of(&"VarBatch", method, [of_scale])))
		# From the end, which takes a walk over all.
		cases["VarBatch.%s, the last" % method] = func(scale: int) -> Case:
			var of_scale := place.path("load-%d" % scale)
			VarBatch.save_vars(of_scale, Shapes.records(scale))
			return Case.of(InMemory.finished.bind(Case.call_of(&"VarBatch", method, [of_scale, false, -1])))
	var single_loads: Array[String] = ["load_var", "load_var_async"]
	for method: String in single_loads:
		for shape: StringName in Shapes.VALUES:
			cases["VarBatch.%s, %s" % [method, shape]] = func(scale: int) -> Case:
				var of_scale := place.path("load-%d" % scale)
				VarBatch.save_var(of_scale, Shapes.value(shape, scale))
				return Case.of(InMemory.finished.bind(Case.call_of(&"VarBatch", method, [of_scale])))
	for form: String in ["", "_async"]:
		cases["VarBatch.save_bytes" + form] = func(scale: int) -> Case:
			var save := Case.call_of(&"VarBatch", "save_bytes" + form, [path, Shapes.buffer(&"flat", scale)])
			return Case.of(InMemory.finished.bind(save))
		cases["VarBatch.load_bytes%s, compressed" % form] = func(scale: int) -> Case:
			var of_scale := place.path("load-%d" % scale)
			VarBatch.save_bytes(of_scale, Shapes.buffer(&"flat", scale), FileAccess.COMPRESSION_ZSTD)
			return Case.of(InMemory.finished.bind(Case.call_of(&"VarBatch", "load_bytes" + form, [of_scale])))
	for mode: int in [FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_DEFLATE]:
		cases["VarBatch.load_vars, compressed %d" % mode] = func(scale: int) -> Case:
			var of_scale := place.path("load-%d" % scale)
			VarBatch.save_vars(of_scale, Shapes.records(scale), false, mode)
			return Case.of(Case.call_of(&"VarBatch", &"load_vars", [of_scale]))
	for shape: StringName in [&"flat", &"deep", &"keys"]:
		cases["VarBatch.transcode_file, %s" % shape] = func(scale: int) -> Case:
			var of_scale := place.path("load-%d" % scale)
			var bytes := Shapes.buffer(shape, scale)
			var file := FileAccess.open(of_scale, FileAccess.WRITE)
			file.store_32(bytes.size())
			file.store_buffer(bytes)
			file.close()
			return Case.of(Case.call_of(&"VarBatch", &"transcode_file", [of_scale, path, GODOT_4, GODOT_3]))
	_add_streams(cases, place)
	return cases


static func _remove(path: String) -> void:
	if FileAccess.file_exists(path):
		DirAccess.remove_absolute(path)


static func _add_streams(cases: Dictionary[String, Callable], place: Place) -> void:
	for shape: StringName in [&"flat", &"deep"]:
		cases["VarBatch.store_var, %s" % shape] = func(scale: int) -> Case:
			var file := FileAccess.open(place.path("stream"), FileAccess.WRITE)
			return Case.of(Case.call_of(&"VarBatch", &"store_var", [file, Shapes.value(shape, scale)]), Case.call_on(file, &"seek", [0]))
		cases["VarBatch.store_vars, %s" % shape] = func(scale: int) -> Case:
			var file := FileAccess.open(place.path("stream"), FileAccess.WRITE)
			return Case.of(Case.call_of(&"VarBatch", &"store_vars", [file, Shapes.value(shape, scale)]), Case.call_on(file, &"seek", [0]))
		cases["VarBatch.get_var, %s" % shape] = func(scale: int) -> Case:
			var file := FileAccess.open(place.path("stream-%d" % scale), FileAccess.WRITE_READ)
			file.store_var(Shapes.value(shape, scale))
			return Case.of(Case.call_of(&"VarBatch", &"get_var", [file]), Case.call_on(file, &"seek", [0]))
		cases["VarBatch.get_vars, %s" % shape] = func(scale: int) -> Case:
			var file := FileAccess.open(place.path("stream-%d" % scale), FileAccess.WRITE_READ)
			VarBatch.store_vars(file, Shapes.value(shape, scale))
			return Case.of(Case.call_of(&"VarBatch", &"get_vars", [file]), Case.call_on(file, &"seek", [0]))
