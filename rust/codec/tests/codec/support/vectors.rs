//! The vectors that a real engine made: see the comments in `tests/vectors/`. Those of Pandemonium are made by hand.

use varbatch_codec::Engine;

/// A value as the engine writes it.
pub struct Encoded {
    pub name: &'static str,
    /// `None` where the engine fails.
    pub bytes: Option<Vec<u8>>,
}

/// Bytes as the engine reads them.
pub struct Decoded {
    pub name: &'static str,
    pub allow_objects: bool,
    pub bytes: Vec<u8>,
    pub verdict: Option<Accepted>,
}

pub struct Accepted {
    /// What `decode_var_size` says: may pass the end by the missing padding of a PackedByteArray.
    pub consumed: usize,
    /// What the engine writes for the value that it read.
    pub again: Vec<u8>,
}

/// A buffer of any vector.
pub struct Buffer {
    pub engine: Engine,
    pub name: &'static str,
    pub allow_objects: bool,
    pub bytes: Vec<u8>,
}

/// A value of Pandemonium, and the same of Godot 4.
pub struct Foreign {
    pub name: &'static str,
    pub engine: Engine,
    pub bytes: Vec<u8>,
    pub godot_4: Vec<u8>,
    /// What Pandemonium has for that.
    pub back: Vec<u8>,
}

pub fn encoded() -> Vec<Encoded> {
    encoded_in(include_str!("../../vectors/encoded.txt"))
}

/// What a build with double precision writes.
pub fn double_encoded() -> Vec<Encoded> {
    encoded_in(include_str!("../../vectors/double_encoded.txt"))
}

/// What Godot 3 writes.
pub fn godot_3_encoded() -> Vec<Encoded> {
    encoded_in(include_str!("../../vectors/godot3_encoded.txt"))
}

fn encoded_in(text: &'static str) -> Vec<Encoded> {
    rows(text).map(|[name, _expression, bytes]| Encoded { name, bytes: (bytes != "-").then(|| hex(bytes)) }).collect()
}

pub fn decoded() -> Vec<Decoded> {
    decoded_in(include_str!("../../vectors/decoded.txt"))
}

/// What Godot 3 was given to read.
pub fn godot_3_decoded() -> Vec<Decoded> {
    decoded_in(include_str!("../../vectors/godot3_decoded.txt"))
}

/// What Pandemonium writes.
pub fn pandemonium() -> Vec<Foreign> {
    let rows = rows(include_str!("../../vectors/pandemonium.txt"));
    rows.map(|[name, bytes, godot_4, back]| {
        let engine = match name.split_once(" (") {
            None => Engine::Pandemonium,
            Some((_, "3.8)")) => Engine::Pandemonium38,
            Some((_, "3.5)")) => Engine::Pandemonium35,
            Some(_) => panic!("not a version: {name}"),
        };
        let bytes = hex(bytes);
        let back = if back == "=" { bytes.clone() } else { hex(back) };
        Foreign { name, engine, bytes, godot_4: hex(godot_4), back }
    })
    .collect()
}

fn decoded_in(text: &'static str) -> Vec<Decoded> {
    rows(text)
        .map(|[name, bytes, consumed, again]| {
            let consumed = consumed.parse().expect("a number of bytes");
            let verdict = (consumed > 0).then(|| Accepted { consumed, again: hex(again) });
            Decoded { name, allow_objects: allows_objects(name), bytes: hex(bytes), verdict }
        })
        .collect()
}

/// What the engine writes.
pub fn written() -> impl Iterator<Item = Buffer> {
    to_buffers(Engine::Godot4, encoded(), Vec::new())
}

/// What the engine writes, and what it was given to read.
pub fn buffers() -> impl Iterator<Item = Buffer> {
    to_buffers(Engine::Godot4, encoded(), decoded())
}

/// Those of all engines.
pub fn all() -> impl Iterator<Item = Buffer> {
    let pandemonium = pandemonium().into_iter().map(|Foreign { engine, name, bytes, .. }| {
        // Objects are allowed.
        Buffer { engine, name, allow_objects: true, bytes }
    });
    buffers().chain(to_buffers(Engine::Godot3, godot_3_encoded(), godot_3_decoded())).chain(pandemonium)
}

fn to_buffers(engine: Engine, written: Vec<Encoded>, read: Vec<Decoded>) -> impl Iterator<Item = Buffer> {
    let written = written.into_iter().filter_map(|vector| Some((vector.name, vector.bytes?)));
    let all = written.chain(read.into_iter().map(|vector| (vector.name, vector.bytes)));
    all.map(move |(name, bytes)| Buffer { engine, name, allow_objects: allows_objects(name), bytes })
}

/// The marker of `make.gd` for full objects.
fn allows_objects(name: &str) -> bool {
    name.ends_with(" (objects)")
}

/// The lines of a file of vectors, cut at each `|`.
pub fn rows<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let parts: Vec<_> = line.split('|').map(str::trim).collect();
        parts.try_into().unwrap_or_else(|_| panic!("not {N} parts: {line}"))
    })
}

/// Bytes from hex digits; whitespace between bytes does not matter, `(...)xN` is that N times.
pub fn hex(text: &str) -> Vec<u8> {
    let Some((before, rest)) = text.split_once('(') else { return digits(text) };
    let (group, rest) = rest.split_once(")x").expect("the end of a group");
    let (times, behind) = rest.split_once(' ').unwrap_or((rest, ""));
    [digits(before), digits(group).repeat(times.parse().expect("a number of times")), hex(behind)].concat()
}

fn digits(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.split_whitespace().flat_map(str::bytes).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte in {text}");
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or_else(|| panic!("no hex: {text}"));
    digits.chunks_exact(2).map(|pair| (digit(pair[0]) * 16 + digit(pair[1])) as u8).collect()
}
