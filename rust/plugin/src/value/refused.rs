//! Says what the engine refuses in bytes and values; refuses objects known to crash it when properties are set.

use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Reader, Text};

pub fn no_such_class(name: &str) -> CodecErrorKind {
    CodecErrorKind::Refused(format!("expected a class that can be instantiated, found {name:?}"))
}

/// The engine cannot load this script. `found` is the path, or the type that stands in its place.
pub fn no_such_script(found: &str) -> CodecErrorKind {
    CodecErrorKind::Refused(format!("expected the path of a script in res://, found {found}"))
}

pub fn object_failed(class: &str) -> CodecErrorKind {
    let expected = format!("an object of class {class:?} that the engine accepts");
    CodecErrorKind::Refused(format!("expected {expected}, found one that it refuses"))
}

/// A typed container drops a value of another type. Only a warning: the rest of the value is read.
pub fn dropped() -> CodecErrorKind {
    CodecErrorKind::Refused("expected what the container's type takes, found another type".into())
}

/// Checks what the engine does not, when `reader` has read the name of a property.
pub fn check_parts(reader: &Reader<'_>, class: &str, name: &str) -> Result<(), CodecError> {
    let is_good = match (class, name) {
        // The engine makes a bit for each place, and then looks without a check.
        ("BitMap", "data") => Fields::read(reader)?.is_some_and(|fields| fields.size <= fields.data.len() as i64 * 8),
        ("PackedScene", "_bundled") => Fields::read(reader)?.is_some_and(|fields| fields.is_scene()),
        _ => true,
    };
    if is_good { Ok(()) } else { Err(reader.error_at(reader.position(), object_failed(class))) }
}

/// What the Dictionaries of a BitMap and a PackedScene hold.
#[derive(Default)]
struct Fields<'a> {
    size: i64,
    data: &'a [u8],
    counts: [i32; 2],
    nodes: [&'a [u8]; 2],
    version: i32,
}

impl<'a> Fields<'a> {
    /// Reads the value that `reader` has come to; `None` if it holds what the engine has to convert.
    fn read(reader: &Reader<'a>) -> Result<Option<Self>, CodecError> {
        let (mut reader, mut fields) = (reader.clone(), Self::default());
        let Some(Event::Dictionary { count, .. }) = reader.next_event()? else { return Ok(None) };
        for _ in 0..count {
            let inside = reader.depth();
            let key = reader.next_event()?;
            reader.finish_value(inside)?;
            let value = reader.next_event()?;
            reader.finish_value(inside)?;
            let (Some(Event::String(Text::Utf8(key)) | Event::StringName(Text::Utf8(key))), Some(value)) = (key, value)
            else {
                continue;
            };
            let index = usize::from(key.starts_with("conn"));
            match (key, value) {
                ("size", Event::Components(plain)) if plain.kind == Kind::Vector2i => {
                    let side = |at: usize| words(&plain.bytes[at..]).next().map_or(0, i64::from);
                    fields.size = side(0).saturating_mul(side(4));
                }
                ("data", Event::Packed(plain)) if plain.kind == Kind::PackedByteArray => fields.data = plain.bytes,
                // The engine keeps 32 bits of each number.
                ("node_count" | "conn_count", Event::Int(count)) => fields.counts[index] = count as i32,
                ("version", Event::Int(version)) => fields.version = version as i32,
                ("nodes" | "conns", Event::Packed(plain)) if plain.kind == Kind::PackedInt32Array => {
                    fields.nodes[index] = plain.bytes;
                }
                ("size" | "data" | "node_count" | "conn_count" | "version" | "nodes" | "conns", _) => return Ok(None),
                _ => {}
            }
        }
        Ok(Some(fields))
    }

    /// True if the nodes and connections of a scene are all there: the engine reads behind the arrays without a check.
    fn is_scene(&self) -> bool {
        let (mut nodes, mut connections) = (words(self.nodes[0]), words(self.nodes[1]));
        // The engine looks at neither if the counts are larger than the arrays.
        let is_all =
            [0, 1].into_iter().any(|index| i64::from(self.counts[index]) > (self.nodes[index].len() / 4) as i64);
        let mut node = || {
            nodes.nth(4)?;
            skip(&mut nodes, 2)?;
            skip(&mut nodes, 1)
        };
        let mut connection = || {
            connections.nth(4)?;
            skip(&mut connections, 1)?;
            if self.version >= 3 { connections.next().map(drop) } else { Some(()) }
        };
        let [nodes, connections] = self.counts;
        is_all || ((0..nodes).all(|_| node().is_some()) && (0..connections).all(|_| connection().is_some()))
    }
}

/// Skips a count and as many parts of `len` words.
fn skip(words: &mut impl Iterator<Item = i32>, len: usize) -> Option<()> {
    let count = usize::try_from(words.next()?).ok()?.checked_mul(len)?;
    if count > 0 { words.nth(count - 1).map(drop) } else { Some(()) }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = i32> {
    bytes.chunks_exact(4).map(|bytes| i32::from_le_bytes(bytes.try_into().expect("4 bytes")))
}

#[cfg(test)]
#[path = "../../tests/unit/refused.rs"]
mod tests;
