//! All ways to read a value end at the same byte, and nothing behind the value changes it. Its tree is whole, and
//! its values are found at their paths.

use varbatch_codec::{CodecError, Engine, Reader};

use super::Options;
use super::described::described;
use super::grammar::{Due, Grammar};
use super::looked_up::looked_up;
use super::steps::{is_bare, read, reader, same, validated};

/// Each value is read once more for each that is around it, so that not all values of a long input are.
const VALUES: usize = 32;

/// Reads a value event by event, and each one inside it at one go. Bit 0 of the options: objects are allowed; the next
/// three are the engine. The two bytes behind the options say where the input is cut off.
///
/// # Panics
/// If something does not hold.
pub fn validate(data: &[u8]) {
    let (options, rest) = Options::split(data);
    let Some((&cut, bytes)) = rest.split_first_chunk() else { return };
    let cut = usize::from(u16::from_le_bytes(cut)) % (bytes.len() + 1);
    step_by_step(bytes, options.engine(), options.allow_objects());
    cut_off(bytes, cut, options.engine(), options.allow_objects());
    described(bytes, options.engine());
    looked_up(bytes, options.engine());
}

/// A value that has begun: how deep it lies, and where it ends if it is read at one go.
struct Begun {
    depth: usize,
    at: usize,
    /// Whether it has no header.
    bare: bool,
    end: Result<usize, CodecError>,
}

fn step_by_step(bytes: &[u8], engine: Engine, allow_objects: bool) {
    let mut reader = reader(bytes, engine, allow_objects);
    let mut grammar = Grammar::default();
    let mut begun: Vec<Begun> = Vec::new();
    let mut count = 0;
    let result = loop {
        let (depth, at, bare) = (reader.depth(), reader.position(), grammar.is_bare());
        if grammar.due() == Due::Value {
            if count < VALUES || count.is_multiple_of(VALUES) {
                begun.push(Begun { depth, at, bare, end: at_one_go(&reader) });
            }
            count += 1;
        }
        match reader.next_event() {
            Ok(Some(event)) => grammar.take_of(&event, is_bare(bytes, engine, at, &event)),
            Ok(None) => break Ok(reader.position()),
            Err(error) => break Err(error),
        }
        while let Some(ended) = begun.pop_if(|top| top.depth >= grammar.depth() && grammar.due() != Due::Text) {
            let end = reader.position();
            assert_eq!(ended.end, Ok(end), "the end of a value at depth {}", ended.depth);
            // Alone it is a value as well.
            let alone = reader.bytes(ended.at, end);
            let is_value = validated(alone, engine, allow_objects) == Ok(end - ended.at);
            assert!(is_value || ended.bare, "{alone:02x?}");
        }
    };
    for value in begun {
        assert_eq!(value.end.err(), result.clone().err(), "a value at depth {} that does not end", value.depth);
    }
    assert_eq!(validated(bytes, engine, allow_objects), result);
}

/// Where the next value ends, by `skip_value` and by `finish_value`.
fn at_one_go(reader: &Reader<'_>) -> Result<usize, CodecError> {
    let depth = reader.depth();
    let (mut skipped, mut finished) = (reader.clone(), reader.clone());
    let skip = skipped.skip_value().map(|()| skipped.position());
    let finish = finished.next_event().and_then(|_| finished.finish_value(depth)).map(|()| finished.position());
    assert_eq!(skip, finish, "skipped and finished");
    assert!(skip.is_err() || skipped.depth() <= depth, "{} deep behind a value at {depth}", skipped.depth());
    skip
}

fn cut_off(bytes: &[u8], cut: usize, engine: Engine, allow_objects: bool) {
    let whole = read(bytes, engine, allow_objects);
    let part = read(&bytes[..cut], engine, allow_objects);
    match (&whole, &part) {
        (Ok((whole, len)), Ok((part, part_len))) => {
            assert!(same(whole, part), "{whole:?}, but cut off {part:?}");
            assert_eq!(len, part_len, "another length where it is cut off");
            // Only the padding of a PackedByteArray may be missing.
            assert!(cut + 4 > *len, "{len} bytes in {cut}");
        }
        (Ok((_, len)), Err(error)) => assert!(cut < *len, "refused at {cut} of {len} bytes: {error}"),
        (Err(error), Ok(_)) => panic!("read where it is cut off, but: {error}"),
        (Err(_), Err(_)) => {}
    }
    assert_eq!(validated(&bytes[..cut], engine, allow_objects), part.map(|(_, len)| len));
}
