extends SceneTree
## Makes the vectors in fastlz.txt with this engine:
## [codeblock]
## cd rust/storage/tests/vectors && godot --headless --script fastlz.gd
## [/codeblock]
## The comments in the file stay as they are; the same engine gives the same file.

const VectorFile := preload("vector_file.gd")

## From 65536 bytes on, the engine takes level 2.
const LENGTHS: Dictionary[String, Array] = {
	"run": [1, 2, 15, 16, 17, 40, 4096, 65535, 65536, 70000],
	"noise": [1, 2, 3, 12, 15, 16, 17, 31, 32, 33, 64, 65, 300],
	"voxels": [1, 15, 16, 100, 4095, 4096, 65535, 65536, 71680],
	"text": [5, 15, 16, 17, 100, 4096, 5000],
	"far": [65536, 70000],
}
const WORDS: PackedStringArray = [
	"the", "player", "has", "a", "sword", "and", "three", "keys", "of", "iron", "in", "his", "bag"
]
const MADE_UP := 800
const ROOM := 20_000

var _state := 1


func _init() -> void:
	var lines: PackedStringArray = []
	for kind: String in LENGTHS:
		for length: int in LENGTHS[kind]:
			var block := _stream(kind, length).compress(FileAccess.COMPRESSION_FASTLZ)
			lines.append("%s %d | %s" % [kind, length, block.hex_encode()])
	_state = 5
	for index: int in MADE_UP:
		var block := _made_up()
		# Mostly what it gives, if it gives anything.
		var length := _unpacked(block, ROOM).size()
		if length == 0:
			# Or what it would give if the engine did not ask for a byte more.
			length = _unpacked(block + PackedByteArray([0, 0]), ROOM).size() - 1
		if length < 16 or index % 8 == 0:
			length = maxi(16, length + _random(3) - 1)
		lines.append("%d | %s | %s" % [length, block.hex_encode(), _verdict(block, length)])
	VectorFile.write("res://fastlz.txt", lines)
	quit()


func _stream(kind: String, length: int) -> PackedByteArray:
	_state = 1
	var bytes: PackedByteArray = []
	while bytes.size() < length:
		match kind:
			"run":
				bytes.append(7)
			"noise":
				bytes.append(_random(256))
			"voxels":
				var value := _random(5)
				for i: int in 1 + _random(200):
					bytes.append(value)
			"text":
				bytes.append_array((WORDS[_random(WORDS.size())] + " ").to_ascii_buffer())
			"far":
				bytes.append(_random(256) if bytes.size() < 9000 else bytes[-9000])
	return bytes.slice(0, length)


## Instructions that may go back too far, and half of the time one bit that is wrong, or an end
## that is missing.
func _made_up() -> PackedByteArray:
	var is_level_2 := _random(2)
	var block: PackedByteArray = [15 + 32 * is_level_2]
	block.append_array(_noise(16))
	if is_level_2 and _random(2):
		# A run so long that a far copy has something to go back to.
		block.append(224)
		for i: int in 32 + _random(3):
			block.append(255)
		block.append_array([_random(255), 15])
	for i: int in _random(6):
		var high: int = [0, 0, 0, 1, 31][_random(5)]
		match _random(4):
			0:
				var count := _random(32)
				block.append(count)
				block.append_array(_noise(count + 1))
			1:
				block.append_array([32 * (1 + _random(6)) + high, _random(24)])
			2:
				block.append_array([224 + high, _random(256)])
				while block[-1] == 255 and is_level_2:
					block.append(_random(256))
				block.append(_random(24))
			3:
				block.append_array([32 * (1 + _random(6)) + 31, 255, _random(2), _random(256)])
	match _random(6):
		0:
			var at := _random(block.size())
			block[at] = block[at] ^ 1 << _random(8)
		1:
			block.resize(1 + _random(block.size()))
		2:
			block.resize(block.size() - 1)
	return block


func _noise(length: int) -> PackedByteArray:
	var bytes: PackedByteArray = []
	for i: int in length:
		bytes.append(_random(256))
	return bytes


func _verdict(block: PackedByteArray, length: int) -> String:
	if _ends_too_early(block):
		return "past its end"
	var bytes := _unpacked(block, length)
	return str(_checksum(bytes)) if bytes.size() == length else "-"


## Whether the first byte of a copy ends a block of level 2. The engine takes the byte behind it
## then.
func _ends_too_early(block: PackedByteArray) -> bool:
	if block.size() < 2 or block[0] >> 5 != 1 or block[-1] < 32:
		return false
	# One literal, or two, can follow only a whole instruction.
	var front := block.slice(0, -1)
	var one := _unpacked(front + PackedByteArray([0, 0]), ROOM)
	var two := _unpacked(front + PackedByteArray([1, 0, 0]), ROOM)
	return not one.is_empty() and not two.is_empty()


func _checksum(bytes: PackedByteArray) -> int:
	var sum := 0
	for byte: int in bytes:
		sum = (sum * 31 + byte) & 0xffffffff
	return sum


func _unpacked(block: PackedByteArray, length: int) -> PackedByteArray:
	return block.decompress(length, FileAccess.COMPRESSION_FASTLZ)


func _random(limit: int) -> int:
	_state = (_state * 1103515245 + 12345) & 0x7fffffff
	return (_state >> 8) % limit
