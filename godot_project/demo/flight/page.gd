extends "res://demo/save/page.gd"
## The tab of the world: the map with the player, the table of the ways to save, the plot of the
## frames, and a button that kills the process.

const FlightRun = preload("res://demo/flight/run.gd")
const FlightTable = preload("res://demo/flight/table.gd")
const View = preload("res://demo/flight/view.gd")

## Set by [method make_run].
var run: FlightRun

@onready var _kill: Button = %Kill
@onready var _view: View = %View


func _ready() -> void:
	_kill.pressed.connect(func() -> void: run.kill())
	_kill.visible = not OS.has_feature("web")


func make_run(options: FlightRun.Options) -> FlightRun:
	run = FlightRun.new(options)
	return run


func refresh(_run: Run) -> void:
	super(run)
	_view.land = run.land
	_view.queue_redraw()
	_kill.disabled = run.land == null or run.land.loaded.is_empty()
	var number := 0 if run.land == null else run.land.save_number
	_kill.text = "Kill this process, with %d saves acknowledged" % number
