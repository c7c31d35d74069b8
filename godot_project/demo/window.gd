extends Control
## The demo's window: tabs with a run each, and the state, progress and results of the open one.
## Without a display it makes one run after the other, prints their tables, and ends.

const AnyRun = preload("res://demo/any_run.gd")
const BytesRun = preload("res://demo/run.gd")
const BytesTable = preload("res://demo/table.gd")
const Options = preload("res://demo/options.gd")
const Palette = preload("res://demo/palette.gd")
const SavePage = preload("res://demo/save/page.gd")
const SaveRun = preload("res://demo/save/run.gd")
const SaveTable = preload("res://demo/save/table.gd")
const TableGrid = preload("res://demo/table_grid.gd")
const WorldMap = preload("res://demo/world_map.gd")

## In a browser, the world is kept for the next visit of the page.
const KEPT_WORLD := "user://varbatch_demo_world.dat"

## Set this before anything else.
var options: Options

var _bytes_run: BytesRun
var _save_run: SaveRun
## The page of the world, or null if the library has no VarBatchStore: its scripts need the class.
var _world: SavePage
## The run of each tab.
var _runs: Array[AnyRun] = []
var _tabs: Array[Button] = []
## The current run, or null.
var _running: AnyRun
var _is_all_right := true
var _is_headless := DisplayServer.get_name() == "headless"

@onready var _bytes_tab: Button = %BytesTab
@onready var _saves_tab: Button = %SavesTab
@onready var _world_tab: Button = %WorldTab
@onready var _subtitle: Label = %Subtitle
@onready var _details: Label = %Details
@onready var _map_frame: Control = %MapFrame
@onready var _map: TextureRect = %Map
@onready var _bytes: Control = %Bytes
@onready var _table: TableGrid = %Table
@onready var _saves: SavePage = %Saves
@onready var _status: Label = %Status
@onready var _progress: ProgressBar = %Progress
@onready var _again: Button = %Again


func _ready() -> void:
	_bytes_run = BytesRun.new(options)
	_save_run = SaveRun.new(options)
	_runs = [_bytes_run, _save_run]
	_tabs = [_bytes_tab, _saves_tab]
	_world_tab.visible = ClassDB.class_exists(&"VarBatchStore")
	if _world_tab.visible:
		_world = load("res://demo/flight/page.tscn").instantiate()
		_runs.append(_world.call(&"make_run", options))
		_saves.add_sibling(_world)
		_tabs.append(_world_tab)
	else:
		print("demo: the world is left out, as this library has no VarBatchStore")
	_again.pressed.connect(_begin)
	for tab in _tabs:
		tab.pressed.connect(_open)
		if tab.name.to_lower() == options.tab + "tab" and not _is_headless:
			tab.button_pressed = true
	if OS.has_feature("web") and FileAccess.file_exists(KEPT_WORLD):
		_show_world(VarBatch.load_vars(KEPT_WORLD))
		print("demo: the world of the last visit is shown")
	_open()


func _exit_tree() -> void:
	for run in _runs:
		run.tidy()


## One step per frame, so that the progress is visible. There is no loop with `await`: closing the
## window would leak it.
func _process(_delta: float) -> void:
	if _running == null:
		return
	if not _running.advance():
		_finish()
	elif not _is_headless:
		_refresh()


func _shown() -> AnyRun:
	for index in _tabs.size():
		if _tabs[index].button_pressed:
			return _runs[index]
	return _bytes_run


func _open() -> void:
	_bytes.visible = _shown() == _bytes_run
	_map_frame.visible = _bytes.visible
	_saves.visible = _shown() == _save_run
	if _world != null:
		_world.visible = _world_tab.button_pressed
	_refresh()
	if not _shown().is_begun:
		_begin()


## Begins the run of the open tab, also once more: saves add a round.
func _begin() -> void:
	if _running != null:
		return
	_running = _shown()
	_let_frames_run(_running != _bytes_run)
	_running.begin()
	_refresh()


func _finish() -> void:
	var run := _running
	_running = null
	_let_frames_run(false)
	if not run.problem.is_empty():
		_is_all_right = false
		printerr("demo: FAILED: ", run.problem)
	elif run == _save_run:
		print(SaveTable.text(_save_run, SaveTable))
	elif run != _bytes_run:
		print(SaveTable.text(run, _world.get(&"FlightTable")))
	else:
		print(BytesTable.text(_bytes_run))
		if _map.texture == null and not _is_headless:
			_show_world(_bytes_run.decoded())
		if OS.has_feature("web") and VarBatch.save_vars(KEPT_WORLD, _bytes_run.decoded()) != OK:
			_is_all_right = false
	_refresh()
	var at := _runs.find(run)
	if _is_headless and at + 1 < _runs.size():
		print()
		_tabs[at + 1].button_pressed = true
		_open()
		return
	_again.grab_focus()
	if _is_all_right:
		var what := ["bytes and values", "files", "chunks"]
		var all := "bytes, values%s and %s" % ([", files", what[at]] if at > 1 else ["", what[at]])
		print("demo: all %s equal" % (all if _is_headless else what[at]))
	if not options.screenshot.is_empty():
		await _save_screenshot()
	if options.quit or _is_headless:
		get_tree().quit(0 if _is_all_right else 1)
	elif not _shown().is_begun:
		_begin()  # Another tab is open by now.


func _show_world(values: Array) -> void:
	_map.texture = ImageTexture.create_from_image(WorldMap.image(values))


func _refresh() -> void:
	var run := _shown()
	var lines: PackedStringArray
	if run == _save_run:
		lines = SaveTable.headlines(_save_run)
		_saves.refresh(_save_run)
	elif run != _bytes_run:
		lines = _world.get(&"FlightTable").headlines(run)
		_world.refresh(run)
	else:
		lines = BytesTable.headlines(_bytes_run)
		lines.reverse()
		_table.refresh(_bytes_run.rows)
	var color := Palette.DIM
	if run.is_finished:
		color = Palette.VARBATCH if run.problem.is_empty() else Palette.WRONG
	_details.text = lines[0]
	_subtitle.text = lines[1]
	_status.text = run.status
	_status.add_theme_color_override(&"font_color", color)
	_progress.value = run.progress()
	_again.disabled = _running != null


## Runs frames like a game: one after another, 60 per second if no display sets the pace.
func _let_frames_run(on: bool) -> void:
	var has_pace := not _is_headless
	if has_pace:
		has_pace = DisplayServer.window_get_vsync_mode() != DisplayServer.VSYNC_DISABLED
	Engine.max_fps = 60 if on and not has_pace else 0
	OS.low_processor_usage_mode = not on


func _save_screenshot() -> void:
	await get_tree().process_frame  # Waits for the layout of the last change.
	queue_redraw()  # Without a change there may be no frame to wait for.
	await RenderingServer.frame_post_draw
	var error := get_viewport().get_texture().get_image().save_png(options.screenshot)
	if error != OK:
		printerr("demo: cannot save %s: %s" % [options.screenshot, error_string(error)])
		_is_all_right = false
