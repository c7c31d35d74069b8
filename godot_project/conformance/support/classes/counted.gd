extends RefCounted
## How many objects there are of the scripts in this folder that count theirs.

static var alive := 0
