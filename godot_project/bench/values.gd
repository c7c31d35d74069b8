extends RefCounted
## The values that the bench encodes: packed arrays of every type with about a given payload, and a
## saved game.

## The text of a PackedStringArray: its letters, and how many a word has. Tags are a few words of 20
## letters, repeated: they show what knowing a word gains.
enum Words { ASCII_20, ASCII_4, MIXED_20, TAGS }

const WORD_NAMES: Array[String] = ["ASCII 20", "ASCII 4", "mixed 20", "64 tags"]

## Payload bytes per element, of every packed array of numbers.
const ELEMENT_LEN: Dictionary[int, int] = {
	TYPE_PACKED_BYTE_ARRAY: 1,
	TYPE_PACKED_INT32_ARRAY: 4,
	TYPE_PACKED_INT64_ARRAY: 8,
	TYPE_PACKED_FLOAT32_ARRAY: 4,
	TYPE_PACKED_FLOAT64_ARRAY: 8,
	TYPE_PACKED_VECTOR2_ARRAY: 8,
	TYPE_PACKED_VECTOR3_ARRAY: 12,
	TYPE_PACKED_VECTOR4_ARRAY: 16,
	TYPE_PACKED_COLOR_ARRAY: 16,
}
## In a saved game.
const ENTITIES := 20_000
const _SEED := 20_260
const _POOL := 256
const _TAG_COUNT := 64
## Each half of a word is one of this many, or of all combinations of its letters.
const _HALVES := 2048
const _ASCII := "abcdefghijklmnopqrstuvwxyz"
## Letters of one to four bytes: Latin, Greek, Cyrillic, Devanagari, Kana, Han, Hangul, emoji.
const _MIXED := "abcxyzéößñαβγδжщюяअआइかきくサシス山川森한국어🌲🔥🚀"
const _SPECIES: Array[String] = [
	"troll", "skeleton archer", "merchant", "guard", "Kobold-Jäger", "影の狐"
]
const _TAGS: Array[String] = ["hostile", "undead", "trader", "quest", "boss", "sleeping", "burning"]


## Returns a packed array of numbers with [param bytes] bytes of payload or a little less, at least
## one element. The elements repeat every 256, as all are copied alike.
static func numbers(type: Variant.Type, bytes: int) -> Variant:
	var random := RandomNumberGenerator.new()
	random.seed = _SEED
	var pool: Array = []
	for _index in _POOL:
		pool.append(_element(type, random))
	return _repeat(type_convert(pool, type), maxi(bytes / ELEMENT_LEN[type], 1))


## Returns words of about [param bytes] bytes of text together, at least one. All differ, up to four
## million words of 20 letters and 456,976 of 4: a repeated word would be known already.
static func words(kind: Words, bytes: int) -> PackedStringArray:
	var random := RandomNumberGenerator.new()
	random.seed = _SEED
	var letters := _MIXED if kind == Words.MIXED_20 else _ASCII
	var length := 2 if kind == Words.ASCII_4 else 10
	var heads := _half_words(letters, length, random)
	var tails := _half_words(letters, length, random)
	var text_len := ("".join(heads) + "".join(tails)).to_utf8_buffer().size()
	var count := maxi(roundi(bytes * heads.size() / float(text_len)), 1)
	var all: PackedStringArray = []
	all.resize(count)
	for index in count:
		var word := random.randi() % _TAG_COUNT if kind == Words.TAGS else index
		# Both halves change from word to word, so that no branch is predictable.
		var head := word % heads.size()
		all[index] = heads[head] + tails[(head + word / heads.size()) % tails.size()]
	# A decoded word takes no more memory than its text.
	return bytes_to_var(var_to_bytes(all))


## Returns packed arrays that share no payload: the first element of each is different.
static func batch(type: Variant.Type, bytes: int, count: int) -> Array:
	var random := RandomNumberGenerator.new()
	random.seed = _SEED
	var original: Variant = numbers(type, bytes)
	var values: Array = []
	for _index in count:
		var value: Variant = original.duplicate()
		value[0] = _element(type, random)
		values.append(value)
	return values


## The entities of a saved game: a dictionary of six keys each, with strings, vectors, an array and
## a nested dictionary. As in a game whose scripts collect them, all share the text of their keys.
## Every name is different; the other words are a few repeated ones.
static func save_game(entity_count := ENTITIES) -> Array:
	var random := RandomNumberGenerator.new()
	random.seed = _SEED
	var entities: Array = []
	for id in entity_count:
		var species: String = _SPECIES[random.randi() % _SPECIES.size()]
		var tag: String = _TAGS[random.randi() % _TAGS.size()]
		var entity := {"id": id, "name": "%s %d" % [species, id]}
		entity["position"] = Vector3(random.randfn(), random.randfn(), random.randfn())
		entity["velocity"] = Vector2(random.randfn(), random.randfn())
		entity["tags"] = [tag, species, random.randi_range(0, 99)]
		var stats := {"health": random.randi_range(0, 100), "mana": random.randf() * 100.0}
		stats["alive"] = random.randf() < 0.9
		entity["stats"] = stats
		entities.append(entity)
	return entities


## Returns different texts of this many letters.
static func _half_words(
	letters: String, length: int, random: RandomNumberGenerator
) -> PackedStringArray:
	var halves: Dictionary[String, bool] = {}
	while halves.size() < mini(_HALVES, roundi(pow(letters.length(), length))):
		var half := ""
		for _letter in length:
			half += letters[random.randi_range(0, letters.length() - 1)]
		halves[half] = true
	return PackedStringArray(halves.keys())


static func _element(type: Variant.Type, random: RandomNumberGenerator) -> Variant:
	match type:
		TYPE_PACKED_BYTE_ARRAY:
			return random.randi() & 0xff
		TYPE_PACKED_INT32_ARRAY:
			return random.randi() - 0x80000000
		TYPE_PACKED_INT64_ARRAY:
			return random.randi() << 32 | random.randi()
		TYPE_PACKED_FLOAT32_ARRAY, TYPE_PACKED_FLOAT64_ARRAY:
			return random.randfn(0.0, 1000.0)
		TYPE_PACKED_VECTOR2_ARRAY:
			return Vector2(random.randfn(), random.randfn())
		TYPE_PACKED_VECTOR3_ARRAY:
			return Vector3(random.randfn(), random.randfn(), random.randfn())
		TYPE_PACKED_VECTOR4_ARRAY:
			return Vector4(random.randfn(), random.randfn(), random.randfn(), random.randfn())
	return Color(random.randf(), random.randf(), random.randf(), random.randf())


static func _repeat(pool: Variant, count: int) -> Variant:
	var values: Variant = pool
	while values.size() < count:
		values.append_array(values.duplicate())
	# A slice and not a resize, which would keep the memory of the larger one.
	return values.slice(0, count)
