extends RefCounted
## Processes that a suite starts: this engine with this project once more, for what a process can be
## only as a whole: without rights, without space, or as large as it became.


## What started this process, without the arguments for the tests. The path of the executable is not
## enough: it may be a loader that was given the engine. Empty where that is not known.
static func own_command() -> PackedStringArray:
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


## Runs this engine with these arguments for the tests, by a line of shell in which "$@" stands for
## the whole command. Returns its exit status and what it printed: [status, lines].
static func run(arguments: PackedStringArray, shell := 'exec "$@"') -> Array:
	var command := own_command()
	if command.is_empty():
		return [-1, PackedStringArray()]
	return sh(shell, command + PackedStringArray(["--"]) + arguments)


## Runs a line of shell in which "$@" stands for the arguments: [status, lines of its output].
static func sh(line: String, arguments: PackedStringArray) -> Array:
	var escaped := PackedStringArray()
	for argument: String in PackedStringArray(["-c", line, "sh"]) + arguments:
		# The engine puts each argument between quotes into a line for another shell.
		for letter: String in ["\\", '"', "$", "`"]:
			argument = argument.replace(letter, "\\" + letter)
		escaped.append(argument)
	var output: Array = []
	var status := OS.execute("sh", escaped, output)
	var text := str(output[0] if output else "").replace("\r", "")
	return [status, text.split("\n", false)]
