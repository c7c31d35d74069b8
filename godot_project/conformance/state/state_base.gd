extends "../support/objects_suite.gd"
## Base of the suites on VarBatchState.

const CLASS := "VarBatchState."

var state := VarBatchState.new()


func finish() -> void:
	state.clear()
	super()


func shown(object: Object) -> String:
	return "%s (id %d)" % [object.get_class(), object.get_instance_id()]


## Checks that a capture is what the engine makes of these values, behind their numbers.
func check_capture(expected: Array, what: String, lines: PackedStringArray = []) -> void:
	check_values_in(expect_lines(state.capture, lines), expected, what)
	check_int(VarBatch.get_last_error(), OK, "last error, " + what)


func check_values_in(bytes: PackedByteArray, expected: Array, what: String) -> void:
	check_bytes(bytes, var_to_bytes([numbers_in(bytes)] + expected), what)


func numbers_in(bytes: PackedByteArray) -> PackedByteArray:
	return bytes_to_var(bytes)[0]


func check_restore(bytes: PackedByteArray, what: String, lines: PackedStringArray = [], code := OK) -> void:
	check_int(expect_lines(state.restore.bind(bytes, true), lines), code, what)
	check_int(VarBatch.get_last_error(), code, "last error, " + what)
