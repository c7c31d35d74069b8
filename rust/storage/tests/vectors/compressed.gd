extends SceneTree
## Makes the vectors in compressed.txt with this engine:
## [codeblock]
## cd rust/storage/tests/vectors && godot --headless --script compressed.gd
## [/codeblock]
## The comments in the file stay as they are; the same engine gives the same file.

const VectorFile := preload("vector_file.gd")

const MODES: Array[FileAccess.CompressionMode] = [
	FileAccess.COMPRESSION_FASTLZ,
	FileAccess.COMPRESSION_DEFLATE,
	FileAccess.COMPRESSION_ZSTD,
	FileAccess.COMPRESSION_GZIP,
]
## Around the borders of the engine's blocks, of 4096 bytes.
const LENGTHS: Array[int] = [0, 1, 2, 4095, 4096, 4097, 8192, 12293]


func _init() -> void:
	var lines: PackedStringArray = []
	for mode: FileAccess.CompressionMode in MODES:
		for length: int in LENGTHS:
			lines.append(
				"%d %d | %s" % [mode, length, _compressed(mode, _stream(length)).hex_encode()]
			)
	VectorFile.write("res://compressed.txt", lines)
	quit()


func _stream(length: int) -> PackedByteArray:
	var bytes: PackedByteArray = []
	for index: int in length:
		bytes.append(((index >> 6) * 7 + index % 5) % 256)
	return bytes


func _compressed(mode: FileAccess.CompressionMode, stream: PackedByteArray) -> PackedByteArray:
	var path := "user://compressed.bin"
	var file := FileAccess.open_compressed(path, FileAccess.WRITE, mode)
	file.store_buffer(stream)
	file.close()
	var bytes := FileAccess.get_file_as_bytes(path)
	DirAccess.remove_absolute(path)
	return bytes
