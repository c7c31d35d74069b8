extends RefCounted
## Random texts of every script of Unicode, the same ones for the same seed.

## Ranges of code points, none with a surrogate in it, and how often each is drawn from.
const RANGES: Array[Vector2i] = [
	Vector2i(0x20, 0x7e),  # ASCII
	Vector2i(0x20, 0x7e),
	Vector2i(0x61, 0x7a),
	Vector2i(0x01, 0x7f),  # with control characters
	Vector2i(0xa0, 0x24f),  # Latin
	Vector2i(0x370, 0x52f),  # Greek, Cyrillic
	Vector2i(0x590, 0x77f),  # Hebrew, Arabic, Syriac
	Vector2i(0x900, 0xe7f),  # the scripts of India, Thai
	Vector2i(0x1100, 0x11ff),  # Hangul parts
	Vector2i(0x2000, 0x2bff),  # punctuation, arrows, symbols
	Vector2i(0x3040, 0x30ff),  # Kana
	Vector2i(0x4e00, 0x9fff),  # Han
	Vector2i(0xac00, 0xd7a3),  # Hangul
	Vector2i(0xe000, 0xffff),  # private use, forms, noncharacters, the byte order mark
	Vector2i(0x10000, 0x1f9ff),  # ancient scripts, music, emoji
	Vector2i(0x1f300, 0x1f6ff),
	Vector2i(0x20000, 0x3134f),  # rare Han
	Vector2i(0xe0000, 0x10ffff),  # tags, private use, the last code points
]

## Code points at which the number of bytes or the meaning changes.
const EDGES: PackedInt32Array = [
	1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff
]

const SHORT_LEN := 24
const MAX_LEN := 30_000  # up to 120,000 bytes

var _random: RandomNumberGenerator


func _init(random: RandomNumberGenerator) -> void:
	_random = random


## Mostly short, and rarely very long.
func text() -> String:
	var kind := _random.randi_range(0, 4000)
	if kind == 0:
		return of_length(_random.randi_range(MAX_LEN / 10, MAX_LEN))
	if kind < 40:
		return of_length(_random.randi_range(SHORT_LEN, 600))
	return of_length(_random.randi_range(0, SHORT_LEN))


## A text of so many letters: of one script, of one with another between, or of edges.
func of_length(length: int) -> String:
	var first := RANGES[_random.randi_range(0, RANGES.size() - 1)]
	var second := RANGES[_random.randi_range(0, RANGES.size() - 1)]
	var mix := _random.randi_range(0, 5)
	var points := PackedInt32Array()
	points.resize(length)
	for i: int in length:
		if mix == 0:
			points[i] = EDGES[_random.randi_range(0, EDGES.size() - 1)]
		elif mix == 1 and i % 5 == 4:
			points[i] = _random.randi_range(second.x, second.y)
		else:
			points[i] = _random.randi_range(first.x, first.y)
	return points.to_byte_array().get_string_from_utf32()


## A name as identifiers have it, so that it can name a property, a signal or a node.
func name() -> String:
	var length := _random.randi_range(1, 12)
	var letters := PackedByteArray()
	letters.resize(length)
	for i: int in length:
		letters[i] = _random.randi_range(0x61, 0x7a)
	return "m" + letters.get_string_from_ascii()
