extends VBoxContainer
## The tab of the saves: their table, the game that must not stutter, and the plot of its frames.

const Grid = preload("res://demo/save/grid.gd")
const Plot = preload("res://demo/save/plot.gd")
const Run = preload("res://demo/save/run.gd")
const Stage = preload("res://demo/save/stage.gd")
const Table = preload("res://demo/save/table.gd")

@onready var _grid: Grid = %Grid
@onready var _plot: Plot = %Plot
@onready var _stage: Stage = get_node_or_null(^"%Stage")


func refresh(run: Run) -> void:
	_grid.refresh(run)
	_plot.title = "Frame times, round %d" % maxi(run.round_number, 1)
	_plot.phases = run.phases
	_plot.late_usec = Table.late_usec(run)
	_plot.queue_redraw()
	if _stage != null:
		_stage.notice = run.notice
		_stage.fraction = run.saved_fraction
