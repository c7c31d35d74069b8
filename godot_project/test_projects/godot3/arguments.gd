extends Object
# What stands behind the script on the command line: "--name=value" and "--name".


static func value_of(name: String, missing := "") -> String:
	for argument in OS.get_cmdline_args():
		if argument.begins_with("--%s=" % name):
			return argument.substr(name.length() + 3)
	return missing


static func has(name: String) -> bool:
	return Array(OS.get_cmdline_args()).has("--" + name)
