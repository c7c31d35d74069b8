extends "suite.gd"
## What a process grows by while it decodes bytes that are made to need much memory: at most 32
## times the bytes and 1 MiB, or what the engine itself needs for the same bytes, if that is more.
## Each decoder is looked at in a process of its own: see memory_probe.gd.

const Probe := preload("memory_probe.gd")
const MIB := 1 << 20
const MAX_FACTOR := 32
## Two processes never grow by quite the same.
const ENGINE_SHARE := 1.1


func test_growth() -> void:
	var by_engine := _probe("engine")
	var found := _probe("VarBatch")
	check_int(found.size(), by_engine.size(), "buffers that were decoded")
	if found.is_empty():
		print("  memory: this system does not tell how much a process grows")
	for what: String in found:
		var size: int = found[what][0]
		# What was made in vain before is free for the same values.
		var engine_growth: int = maxi(
			by_engine.get(what, [0, 0])[1] as int, by_engine.get(Probe.CUT + what, [0, 0])[1] as int
		)
		var bound := maxi(MAX_FACTOR * size, roundi(engine_growth * ENGINE_SHARE)) + MIB
		_check_growth(what, found[what], bound, engine_growth)


## Without a value there is next to nothing to keep.
func test_validate() -> void:
	var found := _probe("validate")
	checks += 1
	for what: String in found:
		_check_growth(what, found[what], MIB, 0)


func _check_growth(what: String, found: Array, bound: int, by_engine: int) -> void:
	var growth: int = found[1]
	check(
		growth <= bound,
		(
			"%s: grew by %d KiB for %d bytes, the engine by %d KiB"
			% [what, growth / 1024, found[0], by_engine / 1024]
		)
	)


## Each buffer's name, with its size and what the process grew by. Empty where that is not known.
func _probe(decoder: String) -> Dictionary[String, Array]:
	var growth: Dictionary[String, Array] = {}
	var command := _own_command()
	if command.is_empty():
		return growth
	command.append_array(["--", Probe.ARGUMENT, decoder])
	var output: Array = []
	var status := OS.execute(command[0], command.slice(1), output)
	var lines := str(output[0] if output else "").replace("\r", "").split("\n", false)
	check_int(status, 0, "exit status of a process")
	check(Probe.LAST_LINE in lines, "a process did not get to its end: %s" % [lines.slice(-3)])
	for line: String in lines:
		var parts := line.split(";")
		if parts[0] == "growth":
			growth[parts[1]] = [parts[2].to_int(), parts[3].to_int()]
	return growth


## What started this process, without the arguments for the tests. The path of the executable is not
## enough: it may be a loader that was given the engine.
static func _own_command() -> PackedStringArray:
	var command := PackedStringArray()
	var file := FileAccess.open("/proc/self/cmdline", FileAccess.READ)
	if file == null:
		return command
	var bytes := file.get_buffer(1 << 16)
	while 0 in bytes:
		var end := bytes.find(0)
		var argument := bytes.slice(0, end).get_string_from_utf8()
		if argument == "--":
			break
		# The engine may have left the folder where it was started.
		if command and command[-1] == "--path":
			argument = ProjectSettings.globalize_path("res://")
		elif command.is_empty() and argument.is_relative_path() and "/" in argument:
			argument = OS.get_executable_path()
		command.append(argument)
		bytes = bytes.slice(end + 1)
	return command
