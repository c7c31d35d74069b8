extends RefCounted
## Processes that a suite starts: this engine with this project once more, for what only a whole
## process can be: without rights, without space, or as large as it became.


## The last line of a script that ran to its end, and how a line begins that says what failed there.
const LAST_LINE := "done"
const FAILURE := "failure: "


## Runs run_alone() of a suite in a process of its own, by a line of shell in which "$@" stands for the
## whole command, and checks with [param suite] that it ran to its end and that all is good there. Returns the
## lines that it printed, none where the command of this process is not known.
static func probe(
	suite: Node, script: String, arguments: PackedStringArray, shell := 'exec "$@"'
) -> PackedStringArray:
	var command := own_command()
	if command.is_empty():
		print("  %s: the command of this process is not known" % script)
		suite.check(true, "nothing is known")
		return []
	var ended := sh(shell, command + PackedStringArray(["--", "--run", script]) + arguments)
	var lines: PackedStringArray = ended[1]
	suite.check_int(ended[0] as int, 0, "exit status of %s" % script)
	suite.check(LAST_LINE in lines, "%s did not run to its end: %s" % [script, lines.slice(-3)])
	for line: String in lines:
		suite.check(not line.begins_with(FAILURE), "%s %s: %s" % [script, arguments, line])
	return lines


static func own_arguments() -> PackedStringArray:
	return OS.get_cmdline_user_args().slice(2)


## What started this process, without the arguments for the tests. The path of the executable is not
## enough: it may be a loader that was given the engine. Empty where that is not known.
static func own_command() -> PackedStringArray:
	var command := PackedStringArray()
	# In /proc/self, qemu hides itself.
	var file := FileAccess.open("/proc/thread-self/cmdline", FileAccess.READ)
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
	return [status, str(output[0] if output else "").replace("\r", "").split("\n", false)]


## A field of /proc/self/status in bytes, 0 where there is none.
static func status(field: String) -> int:
	var file := FileAccess.open("/proc/self/status", FileAccess.READ)
	while file != null and not file.eof_reached():
		var line := file.get_line()
		if line.begins_with(field):
			return line.to_int() * 1024
	return 0
