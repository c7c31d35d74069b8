extends RefCounted
## Damages the bytes of values in ways that come close to other values: the same ways for the same
## state of the random numbers.

## Counts, lengths and headers where a check may go wrong.
const WORDS := (
	"0 1 2 3 4 5 6 7 8 c 10 20 ff ffff 10000 fffffff 10000000 15555556 1fffffff 20000000 "
	+ "3fffffff 40000000 55555556 7ffffff8 7ffffffc 7ffffffd 7fffffff 80000000 80000001 "
	+ "80000002 bfffffff c0000000 eda080 bfbbef fffffff8 fffffffc fffffffd fffffffe ffffffff"
)

var _random: RandomNumberGenerator
var _words := WORDS.split(" ")


func _init(random: RandomNumberGenerator) -> void:
	_random = random


## [param bytes] with one to three changes. [param other] is what a piece may come from.
func mutate(bytes: PackedByteArray, other: PackedByteArray) -> PackedByteArray:
	var mutated := bytes.duplicate()
	for i: int in [1, 1, 1, 2, 2, 3][_random.randi() % 6]:
		if mutated.size() < 4:
			mutated.append_array(other)
		mutated = _changed(mutated, other)
	return mutated


func _changed(bytes: PackedByteArray, other: PackedByteArray) -> PackedByteArray:
	var size := bytes.size()
	var word_at := (_random.randi() % (size / 4)) * 4
	match _random.randi() % 16:
		0:
			bytes[_random.randi() % size] = _random.randi() & 0xff
		1:
			bytes[_random.randi() % size] ^= 1 << _random.randi() % 8
		2, 3, 4:
			bytes.encode_u32(word_at, _words[_random.randi() % _words.size()].hex_to_int())
		5, 6:
			var step: int = [-4, -3, -2, -1, 1, 2, 3, 4][_random.randi() % 8]
			bytes.encode_u32(word_at, (bytes.decode_u32(word_at) + step) & 0xffffffff)
		7:
			# What is left of the buffer, in units of some size.
			var left := (size - word_at) / (1 << _random.randi() % 5)
			bytes.encode_u32(word_at, maxi(0, left + _random.randi_range(-2, 1)))
		8, 9:
			bytes.encode_u32(word_at, _header())
		10:
			bytes.encode_u32(word_at, bytes.decode_u32(word_at) ^ (1 << 16 + _random.randi() % 4))
		11:
			# The engine reads up to 3 bytes behind the end as padding, so every end matters.
			bytes.resize(_random.randi() % size)
		12:
			var end := _place(size)
			return bytes.slice(0, _random.randi() % (end + 1)) + bytes.slice(end)
		13:
			var from := _place(size)
			var piece := bytes.slice(from, from + 4 * (_random.randi() % 16))
			var to := _place(size)
			return bytes.slice(0, to) + piece + bytes.slice(to)
		14:
			return bytes.slice(0, _place(size)) + other.slice(_place(other.size()))
		15:
			var to := _place(size)
			return bytes.slice(0, to) + PackedInt32Array([_header()]).to_byte_array() + bytes.slice(to)
	return bytes


## Mostly between two words.
func _place(size: int) -> int:
	if _random.randi() % 8 == 0:
		return _random.randi() % (size + 1)
	return (_random.randi() % (size / 4 + 1)) * 4


## Any type, the first that is none, and flags that mean something or nothing.
func _header() -> int:
	var header := _random.randi() % (TYPE_MAX + 1)
	match _random.randi() % 4:
		0:
			header |= (_random.randi() & 0xf) << 16
		1:
			header |= 1 << 16
		2:
			header |= (_random.randi() & 0xffff) << 16 if _random.randi() % 4 == 0 else 0
	return header
