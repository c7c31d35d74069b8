extends Control
## The demo's window: what runs, the progress, the table, and the world as it was decoded.

## The button was pressed.
signal run_requested

const Run = preload("res://demo/run.gd")
const Table = preload("res://demo/table.gd")
const TableGrid = preload("res://demo/table_grid.gd")
const WorldMap = preload("res://demo/world_map.gd")

const _RIGHT_COLOR := Color("35d6b4")
const _WRONG_COLOR := Color("ff6b6b")
const _BUSY_COLOR := Color("8f9bb3")

var _run: Run

@onready var _subtitle: Label = %Subtitle
@onready var _details: Label = %Details
@onready var _map: TextureRect = %Map
@onready var _table: TableGrid = %Table
@onready var _status: Label = %Status
@onready var _progress: ProgressBar = %Progress
@onready var _again: Button = %Again


func _ready() -> void:
	_again.pressed.connect(run_requested.emit)


func start(run: Run) -> void:
	_run = run
	_again.disabled = true
	_map.texture = null
	_table.show_rows(run.rows)
	_status.add_theme_color_override(&"font_color", _BUSY_COLOR)
	refresh()


func refresh() -> void:
	var headlines := Table.headlines(_run)
	_subtitle.text = headlines[0]
	_details.text = headlines[1]
	_status.text = _run.status
	_progress.value = _run.progress()
	_table.refresh()


func finish() -> void:
	refresh()
	var is_right := _run.problem.is_empty()
	_status.add_theme_color_override(&"font_color", _RIGHT_COLOR if is_right else _WRONG_COLOR)
	_map.texture = ImageTexture.create_from_image(WorldMap.image(_run.decoded()))
	_again.disabled = false
	_again.grab_focus()
