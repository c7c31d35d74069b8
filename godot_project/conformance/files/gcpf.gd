extends RefCounted
## What stands in a file of FileAccess.open_compressed(): "GCPF", mode, length of a block, length of
## all, the compressed length of each block, the blocks, "GCPF".

const MAGIC := "GCPF"
const TABLE_AT := 16
const MODES: PackedInt32Array = [
	FileAccess.COMPRESSION_ZSTD, FileAccess.COMPRESSION_DEFLATE, FileAccess.COMPRESSION_GZIP
]

var mode := 0
var block_len := 0
var total := 0
## Where each block begins, and where the last one ends.
var borders := PackedInt32Array()


func _init(bytes: PackedByteArray) -> void:
	mode = bytes.decode_u32(4)
	block_len = bytes.decode_u32(8)
	total = bytes.decode_u32(12)
	var count := total / block_len + 1
	borders.append(TABLE_AT + 4 * count)
	for i: int in count:
		borders.append(borders[-1] + bytes.decode_u32(TABLE_AT + 4 * i))


## How many bytes are in the blocks that end before this byte of the file.
func whole_len(file_len: int) -> int:
	var blocks := borders.bsearch(file_len, false) - 1
	return mini(maxi(blocks, 0) * block_len, total)


static func head(of_mode: int, of_block_len: int, of_total: int) -> PackedByteArray:
	var bytes := MAGIC.to_ascii_buffer()
	bytes.resize(TABLE_AT)
	bytes.encode_u32(4, of_mode)
	bytes.encode_u32(8, of_block_len)
	bytes.encode_u32(12, of_total)
	return bytes
