extends "store_game.gd"
## The same with a player who puts other files in the place of those that a killed game left, for scripts/crash-test.sh
## --store --player: `-- --run files/player_game`. All of what is opened then must be of one generation that the world
## there once had, or an error is reported. A journal that was not played must still lie there, under its name or aside.
##
## No two generations have the same number, also those of other worlds.

## What a player does to the file and the journal. Each run does what was done least.
##
## nothing     opens them
## copied      puts an older copy of the closed file there
## template    puts another world there
## renamed     renames the file, and back
## replaced    the same, and meanwhile the game has made another file
## no file     removes the file, but not the journal
## no journal  removes the journal
## parts       puts a file and a journal of different times together
## taken       puts copies there that were taken while the game ran: of the journal first
const ACTIONS: PackedStringArray = [
	"nothing", "copied", "template", "renamed", "replaced", "no file", "no journal", "parts", "taken"
]
## After these, an error is none of the file's.
const SOUND: PackedStringArray = ["nothing", "copied", "template", "renamed", "no file"]
const KEPT := 4
const WAL := "-wal"
const ASIDE := SAVE + "-wal-set-aside-"

## What the test knows: the last number of a generation, the number of worlds, which one is there, the
## generations of each, as ranges, and how often each action was done.
var _known := {"last": 0, "worlds": 1, "world": 1, "ranges": {1: [[0, 0]]}, "done": {}}
## The first generation that the run that was killed began.
var _from := 0
var _action := "nothing"
## The generation that must be there, if it is not any of the world's; and the journal that must not be lost.
var _exact := -1
var _least := 0
var _journal := ""


func _look() -> int:
	for end: String in BESIDE:
		_named.append(SAVE + end)
	for folder: String in ["copies", "parts", "before"]:
		DirAccess.make_dir_recursive_absolute(_folder.path_join(folder))
	if FileAccess.file_exists(_folder.path_join("known")):
		_known = FileAccess.open(_folder.path_join("known"), FileAccess.READ).get_var()
	_read_notes()
	DirAccess.remove_absolute(_backup)
	var is_first := not FileAccess.file_exists(_path) and _saved == 0
	if not is_first and _arguments[0] == "kill":
		_keep_parts()
		_act()
	# So that a fault can be looked into.
	for end: String in ["", WAL]:
		_put(_path + end, _folder.path_join("before").path_join(SAVE + end))
	var generation := _generation_in(_path)
	var problem := _problem(generation)
	var outcome := "error %d" % _error if _error != OK else "generation"
	_append("players", "%s,%s,%d" % [_action, outcome, _remove_aside()])
	if _error != OK:
		_begin_world()
		generation = 0
	elif problem.is_empty():
		problem = _close_and_look(generation)
	var text := "good: generation %d, saved %d, began %d, left 0, saving %d, overtaken %d"
	text = text % [generation, _saved, _began, _under_way.size(), _count_overtaken()]
	_append("results", "bad: %s: %s" % [_action, problem] if problem else text)
	if problem:
		DirAccess.rename_absolute(_folder.path_join("before"), _folder.path_join("bad-%d" % _began))
	FileAccess.open(_folder.path_join("notes"), FileAccess.WRITE).store_string("found %d\n" % generation)
	FileAccess.open(_folder.path_join("known"), FileAccess.WRITE).store_var(_known)
	return _known.last


func _read_notes(from := "notes") -> void:
	super(from)
	if from == "notes":
		_from = _known.last + 1
		_known.last = maxi(_known.last, _began)
		_known.ranges[_known.world].append([_from, _known.last])
	_least = _saved


## Does what was done least of what can be done.
func _act() -> void:
	var can_be := Array(ACTIONS)
	for needed: String in ["copies", "parts", "taken"]:
		if not DirAccess.get_files_at(_folder.path_join(needed)):
			can_be.erase("copied" if needed == "copies" else needed)
	can_be.shuffle()
	can_be.sort_custom(func(a: String, b: String) -> bool: return _known.done.get(a, 0) < _known.done.get(b, 0))
	_action = can_be[0]
	if _found == _known.get("template", -1) and randi() % 2:
		# Of a world that began with it a moment ago.
		_action = "template"
	_known.done[_action] = _known.done.get(_action, 0) + 1
	match _action:
		"copied":
			var named := _any_of("copies")
			_put(_folder.path_join("copies").path_join(named), _path)
			_known.world = named.get_slice("-", 0).to_int()
			_exact = named.get_slice("-", 1).to_int()
		"template":
			var template := _folder.path_join("template")
			_exact = _make_template(template)
			_put(template, _path)
			_set_world(_exact)
		"renamed":
			DirAccess.rename_absolute(_path, _path + ".away")
			DirAccess.rename_absolute(_path + ".away", _path)
		"replaced":
			_note_journal()
			DirAccess.rename_absolute(_path, _path + ".away")
			_store = VarBatchStore.open(_path)
			_expect_ok("save", _store.save_var("other", 1))
			_expect_ok("close", _store.close())
			_store = null
			DirAccess.rename_absolute(_path + ".away", _path)
			_least = 0
			return
		"no file":
			DirAccess.remove_absolute(_path)
			_exact = 0
			_set_world(0)
		"no journal":
			DirAccess.remove_absolute(_path + WAL)
			_least = 0
		"parts":
			var named := _any_of("parts")
			_known.world = named.get_slice("-", 1).to_int()
			_put(_folder.path_join("parts").path_join(named), _path)
			if randi() % 2:
				_put(_folder.path_join("parts").path_join(_any_of("parts").get_slice(".", 0) + WAL), _path + WAL)
			_least = 0
		"taken":
			_saved = 0
			_read_notes("taken/notes")
			_put(_folder.path_join("taken").path_join(SAVE + WAL), _path + WAL)
			_put(_folder.path_join("taken").path_join(SAVE), _path)
	_note_journal()


## Returns what is wrong with what was opened, or "".
func _problem(generation: int) -> String:
	var what := "generation %d, error %d; found %d, began %d to %d, saved %d, at least %d"
	what = what % [generation, _error, _found, _from, _began, _saved, _least]
	var lost := "" if _journal.is_empty() or _journal in _journals() else "; its journal is lost"
	if _error != OK:
		if _action in SOUND:
			return "not opened: %s, %s" % [VarBatch.get_last_error_message(), what]
		return what + lost if lost else ""
	if generation < 0:
		return "a mixture: " + what
	# The copy that the journal began with.
	var is_own := _action == "copied" and _exact == _found and generation >= maxi(_saved, _from) and generation <= _began
	if _exact >= 0 and generation != _exact and not is_own:
		return "not %d: %s" % [_exact, what]
	if _exact < 0 and (generation < _least or not _is_of_world(generation)):
		return "never of this world, or too old: " + what
	var asides := Array(Files.names(_saves)).filter(func(named: String) -> bool: return named.begins_with(ASIDE))
	if _action in ["nothing", "renamed"] and asides:
		return "its own journal was set aside: " + what
	var must_be_aside := _action in ["template", "no file", "replaced"] or _action == "copied" and _exact != _found
	if must_be_aside and lost:
		return what + lost
	for named: String in Files.names(_saves):
		if not named in _named and not named.begins_with(ASIDE):
			return "a file %s: %s" % [named, what]
	return ""


## The same generation is there once the store was closed, and nothing else. Keeps copies of the file.
func _close_and_look(generation: int) -> String:
	var error := _store.close()
	_store = null
	if error != OK:
		return "not closed: error %d" % error
	if FileAccess.file_exists(_path + WAL):
		return "a journal is left after close"
	if randi() % 3 == 0 and generation > 0:
		var copies := _folder.path_join("copies")
		if DirAccess.get_files_at(copies).size() >= KEPT:
			DirAccess.remove_absolute(copies.path_join(_any_of("copies")))
		_put(_path, copies.path_join("%d-%d-" % [_known.world, generation]))
	var again := _generation_in(_path)
	return "" if again == generation else "%d after it was opened again, %d before, error %d" % [again, generation, _error]


func _begin_world() -> void:
	_store = null
	for end: String in ["", WAL, "-varbatch-new"]:
		DirAccess.remove_absolute(_path + end)
	_set_world(0)
	_held = {}
	_open(_path)


func _set_world(generation: int) -> void:
	_known.worlds += 1
	_known.world = _known.worlds
	_known.ranges[_known.world] = [[generation, generation]]


func _is_of_world(generation: int) -> bool:
	return _known.ranges[_known.world].any(func(all: Array) -> bool: return generation >= all[0] and generation <= all[1])


func _make_template(template: String) -> int:
	if FileAccess.file_exists(template):
		return _known.template
	_open(template)
	_known.last += 1
	_known.template = _known.last
	_held = {}
	_expect_ok("template", _store.save_vars(_change(_known.last)[0]))
	_expect_ok("template", _store.close())
	_store = null
	return _known.last


func _any_of(folder: String) -> String:
	var names := Array(DirAccess.get_files_at(_folder.path_join(folder)))
	return names.filter(func(named: String) -> bool: return not named.ends_with(WAL)).pick_random()


## Keeps what lies there now, or what was taken while the game ran: NUMBER-WORLD- and its journal.
func _keep_parts() -> void:
	if randi() % 2:
		return
	var from := [_path, _folder.path_join("taken").path_join(SAVE)].pick_random() as String
	if not FileAccess.file_exists(from):
		return
	for at: String in DirAccess.get_files_at(_folder.path_join("parts")):
		if at.to_int() == _began % KEPT:
			DirAccess.remove_absolute(_folder.path_join("parts").path_join(at))
	var to := _folder.path_join("parts").path_join("%d-%d-" % [_began % KEPT, _known.world])
	_put(from, to)
	_put(from + WAL, to + WAL)


## Puts a copy of a file at a path: over what is there, or in its place. What is not there is there no more.
func _put(from: String, to: String) -> void:
	if not FileAccess.file_exists(from):
		DirAccess.remove_absolute(to)
		return
	var is_over := randi() % 2 == 0
	var file := FileAccess.open(to if is_over else to + ".put", FileAccess.WRITE)
	file.store_buffer(FileAccess.get_file_as_bytes(from))
	file.close()
	if not is_over:
		DirAccess.rename_absolute(to + ".put", to)


## Notes the journal there, if anything was committed to it.
func _note_journal() -> void:
	if _journal.is_empty() and _has_commit(FileAccess.get_file_as_bytes(_path + WAL)):
		_journal = FileAccess.get_md5(_path + WAL)


func _journals() -> Array:
	var of_game := func(named: String) -> bool: return named.begins_with(ASIDE) or named == SAVE + WAL
	return Array(Files.names(_saves)).filter(of_game).map(
		func(named: String) -> String: return FileAccess.get_md5(_saves.path_join(named))
	)


func _remove_aside() -> int:
	var count := 0
	for named: String in Files.names(_saves):
		if named.begins_with(ASIDE):
			count += 1
			DirAccess.remove_absolute(_saves.path_join(named))
	return count


## True if an SQLite journal has a page with which a commit ends.
static func _has_commit(journal: PackedByteArray) -> bool:
	if journal.size() < 32:
		return false
	var page := journal[8] << 24 | journal[9] << 16 | journal[10] << 8 | journal[11]
	var at := 32
	while at + 24 + page <= journal.size() and journal.slice(at + 8, at + 16) == journal.slice(16, 24):
		if journal.decode_u32(at + 4) != 0:
			return true
		at += 24 + page
	return false
