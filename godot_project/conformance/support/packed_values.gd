extends RefCounted
## Packed arrays of any size, with contents that no two places share.

## Bits of 32-bit floats.
const FLOAT_BITS: PackedInt64Array = [
	# 0.0; -0.0; 1.0; -1.5; inf; -inf
	0x00000000, 0x80000000, 0x3f800000, 0xbfc00000, 0x7f800000, 0xff800000,
	# NaN; -NaN; NaN with a payload; signalling NaN; signalling NaN, negative; smallest denormal
	0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xffa00000, 0x00000001,
	# largest denormal, negative; smallest normal; largest; 0.1; 2^24 + 2
	0x807fffff, 0x00800000, 0x7f7fffff, 0x3dcccccd, 0x4b800001,
]

## Bits of 32-bit integers.
const INT_BITS: PackedInt64Array = [
	0x00000000, 0x00000001, 0xffffffff, 0x7fffffff, 0x80000000, 0x80000001, 0x12345678, 0x00ff00ff
]

## Bytes of an element of the arrays that are made of numbers.
const STRIDES: Dictionary[int, int] = {
	TYPE_PACKED_BYTE_ARRAY: 1, TYPE_PACKED_INT32_ARRAY: 4, TYPE_PACKED_INT64_ARRAY: 8, TYPE_PACKED_FLOAT32_ARRAY: 4,
	TYPE_PACKED_FLOAT64_ARRAY: 8, TYPE_PACKED_VECTOR2_ARRAY: 8, TYPE_PACKED_VECTOR3_ARRAY: 12,
	TYPE_PACKED_COLOR_ARRAY: 16, TYPE_PACKED_VECTOR4_ARRAY: 16,
}

## Lengths of noise and of the words before they repeat: primes, so that a part copied from or to
## a wrong multiple of some block size does not look right.
const NOISE_LEN := 65521
const WORD_COUNT := 509

static var _noise := _make_noise()
static var _words := _make_words()


static func make(type: int, count: int) -> Variant:
	if type == TYPE_PACKED_STRING_ARRAY:
		return repeated(_words, count)
	return from_payload(type, repeated(_noise, count * STRIDES[type]) as PackedByteArray)


static func from_payload(type: int, payload: PackedByteArray) -> Variant:
	var bytes := PackedByteArray([type, 0, 0, 0, 0, 0, 0, 0])
	bytes.encode_u32(4, payload.size() / STRIDES[type])
	bytes.append_array(payload)
	return bytes_to_var(bytes)


static func of(type: int) -> Array:
	return [0, 1, 2, 3, 5].map(func(count: int) -> Variant: return make(type, count)) + [specials(type)]


## An array with every special number, NaN with payloads among them, at every place of an element.
static func specials(type: int) -> Variant:
	if type == TYPE_PACKED_STRING_ARRAY:
		return _words.duplicate()
	var payload := PackedByteArray()
	for bits: int in FLOAT_BITS + INT_BITS:
		var number := PackedByteArray([0, 0, 0, 0])
		number.encode_u32(0, bits)
		# As the high half of a 64-bit number it is special there too.
		payload.append_array([0, 0, 0, 0, 1, 0, 0, 0])
		for shift: int in 7:
			payload.append_array(number)
			payload.append_array([0, 0, 0, 0] if shift % 2 else number)
	payload.resize(payload.size() - payload.size() % 48)
	return from_payload(type, payload)


## So many elements of an array, over and over if it has fewer.
static func repeated(packed: Variant, count: int) -> Variant:
	var elements: Variant = packed.slice(0, count)
	while elements.size() < count:
		elements.append_array(elements.slice(0, count - elements.size()))
	return elements


static func _make_noise() -> PackedByteArray:
	var random := RandomNumberGenerator.new()
	random.seed = 20240229
	var words := PackedInt32Array(range(NOISE_LEN / 4 + 1).map(func(_at: int) -> int: return random.randi()))
	return words.to_byte_array().slice(0, NOISE_LEN)


## Words of 0 to 40 letters in scripts of one to four bytes a letter, and some long ones.
static func _make_words() -> PackedStringArray:
	var random := RandomNumberGenerator.new()
	random.seed = 8675309
	var alphabets: PackedStringArray = ["abcXYZ019 _-", "éßøñ¿ЖЯλπ", "日本語漢字かなกข", "😀🎮𝄞𐍈", "aé日😀"]
	var words: PackedStringArray = ["", "a", "\ufeff", "x\ufeff", "\uffff", "\U10ffff"]
	while words.size() < WORD_COUNT:
		var alphabet := alphabets[words.size() % alphabets.size()]
		var length := random.randi_range(0, 40)
		if words.size() % 100 == 0:
			length = 3000
		var word := ""
		for i: int in length:
			word += alphabet[random.randi_range(0, alphabet.length() - 1)]
		words.append(word)
	return words
