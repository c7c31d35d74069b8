extends "../support/suite.gd"
## What a process grows by while it decodes bytes that are made to need much memory: at most 32
## times the bytes and 1 MiB, or what the engine itself needs for the same bytes, if that is more.
## Each decoder is looked at in a process of its own: see memory_probe.gd.

const Child := preload("../support/child.gd")
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
		var engine_growths: Array = [by_engine.get(what, [0, 0])[1], by_engine.get(Probe.CUT + what, [0, 0])[1]]
		var engine_growth: int = engine_growths.max()
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
	var text := "%s: grew by %d KiB for %d bytes, the engine by %d KiB"
	check(growth <= bound, text % [what, growth / 1024, found[0], by_engine / 1024])


## Each buffer's name, with its size and what the process grew by. Empty where that is not known.
func _probe(decoder: String) -> Dictionary[String, Array]:
	var growth: Dictionary[String, Array] = {}
	for line: String in Child.probe(self, "hostile/memory_probe", [decoder]):
		var parts := line.split(";")
		if parts[0] == "growth":
			growth[parts[1]] = [parts[2].to_int(), parts[3].to_int()]
	return growth
