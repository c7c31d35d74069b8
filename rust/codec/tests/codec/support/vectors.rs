//! The vectors that a real engine made: see the comments in `tests/vectors/`.

/// A value as the engine writes it.
pub struct Encoded {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// Bytes as the engine reads them.
pub struct Decoded {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub verdict: Option<Accepted>,
}

pub struct Accepted {
    /// What `decode_var_size` says: may pass the end by the missing padding of a PackedByteArray.
    pub consumed: usize,
    /// What the engine writes for the value that it read.
    pub again: Vec<u8>,
}

pub fn encoded() -> Vec<Encoded> {
    let rows = rows(include_str!("../../vectors/encoded.txt"));
    rows.map(|[name, _expression, bytes]| Encoded { name, bytes: hex(bytes) }).collect()
}

pub fn decoded() -> Vec<Decoded> {
    let rows = rows(include_str!("../../vectors/decoded.txt"));
    rows.map(|[name, bytes, consumed, again]| {
        let consumed = consumed.parse().expect("a number of bytes");
        let verdict = (consumed > 0).then(|| Accepted { consumed, again: hex(again) });
        Decoded { name, bytes: hex(bytes), verdict }
    })
    .collect()
}

fn rows<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let parts: Vec<_> = line.split('|').map(str::trim).collect();
        parts.try_into().unwrap_or_else(|_| panic!("not {N} parts: {line}"))
    })
}

/// Bytes from hex digits; whitespace between bytes does not matter.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.split_whitespace().flat_map(str::bytes).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte in {text}");
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_else(|| panic!("no hex: {text}"));
    digits.chunks_exact(2).map(|pair| (digit(pair[0]) * 16 + digit(pair[1])) as u8).collect()
}
