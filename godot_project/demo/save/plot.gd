extends Control
## Frame times over the time of a round. A frame is a bar as wide and as high as its duration, so
## that a late frame looks as large as it felt.

const Palette = preload("res://demo/palette.gd")
const Phase = preload("res://demo/save/phase.gd")

const _LEFT := 52.0
const _RIGHT := 62.0
## Above the bars: the names of the phases, and room for the time of the longest frame.
const _TOP := 26.0
const _BOTTOM := 22.0
const _SMALL := 14
const _LARGE := 18
const _BUDGET_MS := 1_000.0 / 60.0
## The min duration of a round, so that the plot grows from the left.
const _LEAST_USEC := 2_800_000
const _STEPS: Array[float] = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]
const _GAP := 10.0

var title := ""
var phases: Array[Phase] = []
## A frame longer than this is shown as late.
var late_usec := INF

## The area of the bars.
var _area := Rect2()
var _pixels_per_usec := 0.0
var _pixels_per_ms := 0.0


func _draw() -> void:
	_area = Rect2(_LEFT, _TOP, size.x - _LEFT - _RIGHT, size.y - _TOP - _BOTTOM)
	var usec := _LEAST_USEC
	var longest_ms := _BUDGET_MS * 2.0
	for phase: Phase in phases:
		usec = maxi(usec, phase.end_usec)
		longest_ms = maxf(longest_ms, phase.longest_usec / 1_000.0)
	_pixels_per_usec = _area.size.x / usec
	_pixels_per_ms = (_area.size.y - 24.0) / longest_ms
	_draw_scales(usec, longest_ms)
	for phase: Phase in phases:
		_draw_phase(phase)
	_draw_budget()
	_draw_title_and_names()
	_draw_peaks()


func _draw_scales(usec: int, longest_ms: float) -> void:
	var step := _STEPS[0]
	for candidate: float in _STEPS:
		step = candidate
		if longest_ms / candidate <= 4.5:
			break
	var line := 0.0
	while line <= longest_ms * 1.1 and _y(line) > _area.position.y:
		draw_rect(Rect2(_area.position.x, _y(line), _area.size.x, 1.0), Palette.FAINT)
		_text("%d ms" % line, Vector2(_LEFT - 8.0, _y(line) + 5.0), _SMALL, Palette.DIM, 1.0)
		line += step
	var tick := 500_000 if usec < 8_000_000 else 2_000_000
	for index in usec / tick + 1:
		var x := _area.position.x + index * tick * _pixels_per_usec
		var seconds := "%.1f s" % (index * tick / 1_000_000.0)
		_text(seconds, Vector2(x, size.y - 2.0), _SMALL, Palette.DIM, 0.5)


func _draw_phase(phase: Phase) -> void:
	if not phase.way.is_idle():
		var band := Rect2(_x(phase.start_usec), _area.position.y, 0.0, _area.size.y)
		band.size.x = maxf(phase.usec() * _pixels_per_usec, 2.0)
		draw_rect(band, Palette.BAND)
	var at := phase.start_usec
	for usec in phase.frames:
		var height := usec / 1_000.0 * _pixels_per_ms
		var width := usec * _pixels_per_usec
		var color := Palette.HITCH if usec > late_usec else Palette.VARBATCH
		if phase.way.is_idle():
			color = color.lerp(Palette.ENGINE, 0.6)
		# A gap marks the end of a frame, if there is room.
		var gap := 1.0 if width > 3.0 else 0.0
		draw_rect(Rect2(_x(at), _y(0.0) - height, width - gap, height), color)
		at += usec


func _draw_budget() -> void:
	var y := _y(_BUDGET_MS)
	draw_dashed_line(Vector2(_area.position.x, y), Vector2(_area.end.x, y), Palette.DIM, 1.0, 5.0)
	_text("16.7 ms", Vector2(_area.end.x + 8.0, y + 5.0), _SMALL, Palette.TEXT, 0.0)


func _draw_title_and_names() -> void:
	var labels: Array[String] = [title]
	var middles: PackedFloat32Array = [0.0]
	for phase: Phase in phases:
		if not phase.way.is_idle():
			labels.append(phase.way.label)
			middles.append(_x(phase.start_usec + phase.usec() / 2))
	_spread(labels, middles)
	for index in labels.size():
		var color := Palette.DIM if index == 0 else Palette.TEXT
		_text(labels[index], Vector2(middles[index], 15.0), _SMALL, color, 0.5)


## Draws the time of the longest frame of each phase at its peak.
func _draw_peaks() -> void:
	for index in phases.size():
		var phase := phases[index]
		if phase.frames.is_empty():
			continue
		var room := _room(phase)
		var color := Palette.HITCH if phase.longest_usec > late_usec else Palette.VARBATCH
		if phase.way.is_idle():
			color = Palette.DIM
			# The room that the saves beside it leave.
			if index > 0:
				room.x = _room(phases[index - 1]).y
			if index + 1 < phases.size():
				room.y = _room(phases[index + 1]).x
		var half := _peak_width(phase) / 2.0
		if room.x + half <= room.y - half + 1.0:
			var peak := _x(phase.longest_at_usec + phase.longest_usec / 2)
			var y := _y(maxf(phase.longest_usec / 1_000.0, _BUDGET_MS)) - 7.0
			var at := Vector2(clampf(peak, room.x + half, room.y - half), y)
			_text(_peak(phase), at, _SMALL if phase.way.is_idle() else _LARGE, color, 0.5)


## The range for the time of a phase: the phase's width, or more if the text needs more.
func _room(phase: Phase) -> Vector2:
	var middle := (_x(phase.start_usec) + _x(phase.end_usec)) / 2.0
	var half := maxf(phase.usec() * _pixels_per_usec, _peak_width(phase)) / 2.0
	return Vector2(middle - half, middle + half)


func _peak(phase: Phase) -> String:
	var ms := phase.longest_usec / 1_000.0
	return "%.*f ms" % [int(ms < 100.0), ms]


func _peak_width(phase: Phase) -> float:
	return _width(_peak(phase), _SMALL if phase.way.is_idle() else _LARGE) + _GAP


## Moves the centers of texts, so that none overlaps another or leaves the plot.
func _spread(labels: Array[String], middles: PackedFloat32Array) -> void:
	var least := 0.0
	for index in labels.size():
		var half := _width(labels[index], _SMALL) / 2.0
		middles[index] = maxf(middles[index], least + half)
		least = middles[index] + half + 2.0 * _GAP
	var most := size.x
	for index in range(labels.size() - 1, 0, -1):
		var half := _width(labels[index], _SMALL) / 2.0
		middles[index] = minf(middles[index], most - half)
		most = middles[index] - half - 2.0 * _GAP


## Draws a line of text; `anchor` is the part of its width that is left of `at`.
func _text(line: String, at: Vector2, font_size: int, color: Color, anchor: float) -> void:
	at.x -= _width(line, font_size) * anchor
	var font := get_theme_default_font()
	draw_string(font, at, line, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size, color)


func _width(line: String, font_size: int) -> float:
	var font := get_theme_default_font()
	return font.get_string_size(line, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x


func _x(usec: int) -> float:
	return _area.position.x + usec * _pixels_per_usec


func _y(ms: float) -> float:
	return _area.end.y - ms * _pixels_per_ms
