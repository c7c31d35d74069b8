extends Control
## The field of nodes, and its mouse actions: drag one or all selected nodes, select nodes with a
## frame, turn them with the wheel. Each is one action of the undo history.

signal changed

const History = preload("res://demo/undo/history.gd")
const Palette = preload("res://demo/palette.gd")
const Token = preload("res://demo/undo/token.gd")

const _COLUMNS := 10
const _ROWS := 6
const _WHEEL_STEP := deg_to_rad(15.0)
const _SHAPES: Dictionary[int, String] = {3: "Tri", 4: "Quad", 6: "Hex"}

var history: History
var tokens: Array[Token] = []

var _random := RandomNumberGenerator.new()
var _selected: Array[Token] = []
## The position where the mouse was pressed.
var _pressed_at := Vector2.ZERO
## While nodes are dragged: their old positions.
var _starts: PackedVector2Array = []
## While a frame is drawn: its other corner.
var _frame := Rect2()
var _has_frame := false


func _ready() -> void:
	_random.seed = 7
	for cell: int in _COLUMNS * _ROWS:
		var token := Token.new()
		token.corners = _SHAPES.keys()[cell % 3]
		token.name = "%s %d" % [_SHAPES[token.corners], cell]
		token.color = Palette.TOKENS[_random.randi_range(0, Palette.TOKENS.size() - 1)]
		token.position = _place(cell)
		tokens.append(token)
		add_child(token)
	history = History.new(tokens)


func _gui_input(event: InputEvent) -> void:
	if event is InputEventMouseMotion:
		_move(event.position, event.shift_pressed)
	elif event is InputEventMouseButton:
		var button := event as InputEventMouseButton
		if button.button_index == MOUSE_BUTTON_LEFT and button.pressed:
			_press(button.position)
		elif button.button_index == MOUSE_BUTTON_LEFT:
			_release()
		elif button.pressed and button.button_index == MOUSE_BUTTON_WHEEL_UP:
			_turn(-_WHEEL_STEP)
		elif button.pressed and button.button_index == MOUSE_BUTTON_WHEEL_DOWN:
			_turn(_WHEEL_STEP)


func _draw() -> void:
	if _has_frame:
		draw_rect(_frame.abs(), Palette.BAND)
		draw_rect(_frame.abs(), Palette.DIM, false, 1.0)


func select(those: Array[Token]) -> void:
	_selected = those
	for token: Token in tokens:
		token.is_selected = token in those
		if token.is_selected:
			token.move_to_front()


func selected() -> Array[Token]:
	return _selected


## Moves each node to another position, as one action.
func shuffle() -> void:
	if _is_busy():
		return
	history.begin(tokens)
	var cells := range(tokens.size())
	for index: int in range(cells.size() - 1, 0, -1):
		var other := _random.randi_range(0, index)
		var cell: int = cells[index]
		cells[index] = cells[other]
		cells[other] = cell
	for index: int in tokens.size():
		tokens[index].position = _place(cells[index])
		tokens[index].rotation = _random.randf_range(-PI, PI)
	_end("Shuffle all")


func undo() -> void:
	if not _is_busy() and history.undo_redo.undo():
		changed.emit()


func redo() -> void:
	if not _is_busy() and history.undo_redo.redo():
		changed.emit()


func _press(at: Vector2) -> void:
	_release()  # The window may have missed it.
	_pressed_at = at
	var token := _token_at(at)
	if token == null:
		_has_frame = true
		_frame = Rect2(at, Vector2.ZERO)
		select([])
		return
	if not token.is_selected:
		select([token])
	history.begin(_selected)
	for one: Token in _selected:
		_starts.append(one.position)


func _move(at: Vector2, along_an_axis: bool) -> void:
	if _has_frame:
		_frame.end = at
		select(tokens.filter(_is_in_frame))
		queue_redraw()
	if _starts.is_empty():
		return
	var way := at - _pressed_at
	if along_an_axis:
		way[way.abs().min_axis_index()] = 0.0
	var box := Rect2(_starts[0], Vector2.ZERO)
	for start: Vector2 in _starts:
		box = box.expand(start)
	box = box.grow(Token.RADIUS)
	way = way.clamp(-box.position, (size - box.end).max(-box.position))
	for index: int in _starts.size():
		_selected[index].position = _starts[index] + way.round()


func _release() -> void:
	_has_frame = false
	queue_redraw()
	if not _starts.is_empty():
		_starts.clear()
		_end("Move %s" % _count_text())


func _turn(angle: float) -> void:
	if _is_busy() or _selected.is_empty():
		return
	history.begin(_selected)
	for token: Token in _selected:
		token.rotation = wrapf(token.rotation + angle, -PI, PI)
	_end("Turn %s" % _count_text())


func _end(title: String) -> void:
	history.end(title)
	changed.emit()


## Nothing else may change nodes during a drag: it would become part of the same action.
func _is_busy() -> bool:
	return not _starts.is_empty()


func _token_at(at: Vector2) -> Token:
	var found: Token = null
	for token: Token in get_children():  # The last one is on top.
		if token.position.distance_to(at) <= Token.RADIUS:
			found = token
	return found


func _is_in_frame(token: Token) -> bool:
	return _frame.abs().has_point(token.position)


func _count_text() -> String:
	return "1 node" if _selected.size() == 1 else "%d nodes" % _selected.size()


func _place(cell: int) -> Vector2:
	var side := custom_minimum_size / Vector2(_COLUMNS, _ROWS)
	var corner := Vector2(cell % _COLUMNS, cell / _COLUMNS) * side
	var room := side - Vector2.ONE * 2.2 * Token.RADIUS
	var jitter := Vector2(_random.randf_range(-0.5, 0.5), _random.randf_range(-0.5, 0.5))
	return (corner + side / 2.0 + jitter * room).round()
