//! Bytes by hand.

/// Numbers, one after the other.
pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A length and a text, padded.
pub fn text(text: impl AsRef<[u8]>) -> Vec<u8> {
    let text = text.as_ref();
    let mut bytes = words(&[text.len() as u32]);
    bytes.extend(text);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A String.
pub fn string(of: impl AsRef<[u8]>) -> Vec<u8> {
    [words(&[4]), text(of)].concat()
}

/// Components of 32 bits.
pub fn floats(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

/// Components of 64 bits.
pub fn doubles(doubles: &[f64]) -> Vec<u8> {
    doubles.iter().flat_map(|double| double.to_le_bytes()).collect()
}

/// An object with its properties; `id` is that of the type in its engine.
pub fn object(id: u32, class: impl AsRef<[u8]>, properties: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = [words(&[id]), text(class), words(&[properties.len() as u32])].concat();
    for (name, value) in properties {
        bytes.extend(text(name));
        bytes.extend(value);
    }
    bytes
}
