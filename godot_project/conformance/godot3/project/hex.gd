extends Object
# Bytes as the vector files write them: words of 4 bytes in hexadecimal, "(...)xN" for N equal
# groups.

# As many equal groups, one after the other, become one with a number.
const MANY := 32


static func encoded(bytes: PoolByteArray) -> String:
	var words := []
	for at in range(0, bytes.size(), 4):
		words.append(bytes.subarray(at, int(min(at + 4, bytes.size())) - 1).hex_encode())
	var groups := PoolStringArray()
	var at := 0
	while at < words.size():
		var run := _run_at(words, at)
		var group := PoolStringArray(words.slice(at, at + int(run.x) - 1)).join(" ")
		groups.append(group if run.y == 1 else "(%s)x%d" % [group, run.y])
		at += int(run.x * run.y)
	return groups.join(" ")


static func decoded(text: String) -> PoolByteArray:
	text = _expanded(text)
	var bytes := PoolByteArray()
	bytes.resize(text.length() / 2)
	for at in bytes.size():
		bytes[at] = ("0x" + text.substr(at * 2, 2)).hex_to_int()
	return bytes


# How many words repeat themselves from there on (x), and how many times (y).
static func _run_at(words: Array, at: int) -> Vector2:
	for size in range(1, 9):
		var times := 1
		while _same(words, at, at + size * times, size):
			times += 1
		if times >= MANY:
			return Vector2(size, times)
	return Vector2(1, 1)


static func _same(words: Array, a: int, b: int, count: int) -> bool:
	if b + count > words.size():
		return false
	for i in count:
		if words[a + i] != words[b + i]:
			return false
	return true


static func _expanded(hex: String) -> String:
	var text := PoolStringArray()
	for part in hex.split("("):
		var halves: PoolStringArray = part.split(")x")
		if halves.size() == 1:
			text.append(part)
		else:
			var times: String = halves[1].split(" ")[0]
			text.append(halves[0].repeat(int(times)))
			text.append(halves[1].substr(times.length()))
	return text.join("").replace(" ", "")
