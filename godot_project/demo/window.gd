extends Control
## The demo's window: two tabs, and the state, progress and results of the open one.

## The button was pressed.
signal run_requested
signal tab_opened

const AnyRun = preload("res://demo/any_run.gd")
const BytesRun = preload("res://demo/run.gd")
const BytesTable = preload("res://demo/table.gd")
const KindsGrid = preload("res://demo/kinds/grid.gd")
const KindsTable = preload("res://demo/kinds/table.gd")
const Palette = preload("res://demo/palette.gd")
const SavePage = preload("res://demo/save/page.gd")
const SaveRun = preload("res://demo/save/run.gd")
const SaveTable = preload("res://demo/save/table.gd")
const TableGrid = preload("res://demo/table_grid.gd")
const WorldMap = preload("res://demo/world_map.gd")

var _bytes_run: BytesRun
var _save_run: SaveRun
var _is_running := false

@onready var _bytes_tab: Button = %BytesTab
@onready var _saves_tab: Button = %SavesTab
@onready var _subtitle: Label = %Subtitle
@onready var _details: Label = %Details
@onready var _map_frame: Control = %MapFrame
@onready var _map: TextureRect = %Map
@onready var _bytes: Control = %Bytes
@onready var _table: TableGrid = %Table
@onready var _kinds_text: Label = %KindsText
@onready var _kinds: KindsGrid = %Kinds
@onready var _saves: SavePage = %Saves
@onready var _status: Label = %Status
@onready var _progress: ProgressBar = %Progress
@onready var _again: Button = %Again


func _ready() -> void:
	_again.pressed.connect(run_requested.emit)
	_bytes_tab.pressed.connect(_open)
	_saves_tab.pressed.connect(_open)


func shows_saves() -> bool:
	return _saves_tab.button_pressed


func open_saves() -> void:
	_saves_tab.button_pressed = true
	_open()


## Sets what the tab of this kind shows from now on. Call it for both tabs before anything else.
func show_run(run: AnyRun) -> void:
	if run is SaveRun:
		_save_run = run
	else:
		_bytes_run = run
		_map.texture = null
		_table.show_rows(_bytes_run.rows)


## A run begins.
func start() -> void:
	_is_running = true
	refresh()


func refresh() -> void:
	if shows_saves():
		_show(_save_run, SaveTable.headlines(_save_run))
		_saves.refresh(_save_run)
	else:
		var lines := BytesTable.headlines(_bytes_run)
		_show(_bytes_run, [lines[1], lines[0]])
		_table.refresh()
		_kinds_text.text = " ".join(KindsTable.headlines(_bytes_run.kinds))
		_kinds.refresh(_bytes_run.kinds)


## The run is done.
func finish() -> void:
	_is_running = false
	if _bytes_run.is_finished and _map.texture == null:
		_map.texture = ImageTexture.create_from_image(WorldMap.image(_bytes_run.decoded()))
	refresh()
	_again.grab_focus()


func _open() -> void:
	_bytes.visible = not shows_saves()
	_map_frame.visible = not shows_saves()
	_saves.visible = shows_saves()
	refresh()
	tab_opened.emit()


func _show(run: AnyRun, lines: PackedStringArray) -> void:
	var color := Palette.DIM
	if run.is_finished:
		color = Palette.VARBATCH if run.problem.is_empty() else Palette.WRONG
	_details.text = lines[0]
	_subtitle.text = lines[1]
	_status.text = run.status
	_status.add_theme_color_override(&"font_color", color)
	_progress.value = run.progress()
	_again.disabled = _is_running
