//! Guards: what a real Pandemonium writes and reads is written and read alike, but for what is listed here with its cause.

use std::collections::BTreeMap;

use varbatch_codec::transcode::{Lost, Translation};
use varbatch_codec::{Dialect, ElementType, Event, Kind, Reader, Value};

use crate::support::shown::shown;
use crate::support::steps::{plain_of, read_of, rest};
use crate::support::vectors::{hex, rows};

const PANDEMONIUM: Dialect = Dialect::PANDEMONIUM;

/// A value that the engine wrote.
struct Written {
    name: &'static str,
    bytes: Vec<u8>,
    value: &'static str,
    /// What the engine reads.
    reread: &'static str,
}

fn written() -> Vec<Written> {
    let rows = rows(include_str!("../vectors/pandemonium53_encoded.txt"));
    rows.map(|[name, _expression, bytes, value, reread]| {
        let reread = if reread == "=" { value } else { reread };
        Written { name, bytes: hex(bytes), value, reread }
    })
    .collect()
}

/// What we read, as the recording shows it; "error" if it is refused.
fn found(bytes: &[u8]) -> String {
    let mut reader = Reader::new(bytes).with_dialect(PANDEMONIUM).with_objects(true);
    Value::read(&mut reader).map_or_else(|_| "error".to_owned(), |value| shown(&value))
}

/// Translates bytes of Pandemonium; gives what is lost, too.
fn translated(bytes: &[u8], from: Dialect, to: Dialect) -> (Vec<u8>, Vec<Lost>) {
    let (bytes, losses) = Translation::new(from, to).bytes(bytes).expect("translates");
    (bytes, losses.iter().map(|loss| loss.what).collect())
}

/// Counts what differs by its cause. A cause that nobody named is that of a failed test.
#[derive(Default)]
struct Causes(BTreeMap<&'static str, usize>);

impl Causes {
    fn add(&mut self, cause: &'static str) {
        *self.0.entry(cause).or_default() += 1;
    }

    #[track_caller]
    fn assert_are(&self, expected: &[(&str, usize)]) {
        let found: Vec<_> = self.0.iter().map(|(&cause, &count)| (cause, count)).collect();
        assert_eq!(found, expected);
    }
}

/// A value without what Godot 4 has not: it has one type for several Arrays.
fn in_godot_4(value: &str) -> String {
    ["Vector2i", "Vector3i", "Vector4i"]
        .into_iter()
        .fold(value.to_owned(), |value, kind| value.replace(&format!("Array[Array[{kind}]]("), "Array[Array]("))
}

#[test]
fn what_pandemonium_writes_is_read_as_it_was() {
    let (mut same, mut causes) = (0, Causes::default());
    for Written { name, bytes, value, reread } in written() {
        if value == "-" {
            let (events, len) = read_of(PANDEMONIUM.engine, &bytes).expect(name);
            assert_eq!((8 * events.len(), len), (bytes.len(), bytes.len()), "{name}");
            continue;
        }
        let (found, value) = (found(&bytes), in_godot_4(value));
        if found == value {
            same += 1;
            continue;
        }
        // Of all pools, the engine misreads another one.
        assert!(found == in_godot_4(reread) || name == "array_all_pools", "{name}: {found}, written {value}");
        causes.add(match name {
            _ if found == "error" => "a surrogate, which the engine writes and refuses",
            _ if found.contains("id:") || found.contains("EncodedObjectAsID") => "objects, written as ids",
            "node_path_root" => "\"/\" is read as empty",
            "more_packed_typed_resized_bool" => "memory that nobody has written",
            _ if found.contains("Vector4i") => "w of a PoolVector4iArray, for which z is written",
            _ => panic!("{name}: {found}"),
        });
    }
    causes.assert_are(&[
        ("\"/\" is read as empty", 1),
        ("a surrogate, which the engine writes and refuses", 2),
        ("memory that nobody has written", 1),
        ("objects, written as ids", 11),
        ("w of a PoolVector4iArray, for which z is written", 3),
    ]);
    assert_eq!(same, 191);
}

#[test]
fn what_the_engine_misreads_is_told_and_nothing_else() {
    let (mut right, mut told, mut as_vectors) = (0, 0, 0);
    for Written { name, bytes, value, reread } in written() {
        let found = found(&bytes);
        if found == "error" || value == "-" {
            continue;
        }
        let (_, lost) = translated(&bytes, PANDEMONIUM, PANDEMONIUM);
        // The engine refuses its own null in a typed array of anything else than objects.
        let is_misread = found != in_godot_4(reread) && name != "more_packed_typed_resized_PoolByteArray";
        match &lost[..] {
            [] if !is_misread => right += 1,
            [Lost::Misread] if is_misread => told += 1,
            // A pool of Vector4i that the engine reads is an Array of Vector4i that it does not.
            [Lost::Misread] if bytes.chunks_exact(4).any(|word| word == [38, 0, 0, 0]) => as_vectors += 1,
            _ => panic!("{name}: {lost:?} of {found}, reread {reread}"),
        }
    }
    assert_eq!((right, told, as_vectors), (193, 13, 1));
}

#[test]
fn what_was_read_is_written_as_it_was() {
    let (mut same, mut causes) = (0, Causes::default());
    for Written { name, bytes, .. } in written() {
        let before = found(&bytes);
        if before == "error" {
            continue;
        }
        let (again, _) = translated(&bytes, PANDEMONIUM, PANDEMONIUM);
        assert_eq!(found(&again), before, "{name}");
        // By way of Godot 4 as well. Of all that is there, only keys are lost.
        let (there, lost) = translated(&bytes, PANDEMONIUM, Dialect::GODOT_4);
        let has_equal_keys = ["dictionary_string_and_name", "more_keys_equal"].contains(&name);
        assert_eq!(lost, [Lost::Key][usize::from(!has_equal_keys)..], "{name}");
        assert_eq!(translated(&there, Dialect::GODOT_4, PANDEMONIUM).0, again, "{name}");
        if again == bytes {
            same += 1;
            continue;
        }
        let has_pool = |id: u8| bytes.chunks_exact(4).any(|word| word == [id, 0, 0, 0]);
        causes.add(match name {
            "node_path_root" => "\"/\" is read as empty",
            "typed_Nil_nulls" | "typed_default" | "typed_empty_Nil" => "an Array of the type Nil",
            "typed_empty_TypedArray" => "an empty Array of TypedArrays, which is one of Arrays",
            "typed_encoded_full (objects)" => "an Array of the class EncodedObjectAsID, which is one of ids",
            _ if before.starts_with("NodePath") || name == "array_node_paths" => "the padding of names",
            _ if bytes[0] == 28 || name == "typed_PackedTypedArray" => "a PackedTypedArray, written as TypedArray",
            _ if has_pool(34) || has_pool(36) || has_pool(38) => "a pool of integer vectors, written as TypedArray",
            _ => panic!("{name}: {again:02x?}"),
        });
    }
    causes.assert_are(&[
        ("\"/\" is read as empty", 1),
        ("a PackedTypedArray, written as TypedArray", 15),
        ("a pool of integer vectors, written as TypedArray", 10),
        ("an Array of the class EncodedObjectAsID, which is one of ids", 1),
        ("an Array of the type Nil", 3),
        ("an empty Array of TypedArrays, which is one of Arrays", 1),
        ("the padding of names", 3),
    ]);
    assert_eq!(same, 175);
}

#[test]
fn verdict_consumed_bytes_and_value_are_those_of_pandemonium() {
    let (mut refused, mut same, mut causes) = (0, 0, Causes::default());
    for [name, bytes, consumed, value] in rows(include_str!("../vectors/pandemonium53_decoded.txt")) {
        let (bytes, consumed): (_, usize) = (hex(bytes), consumed.parse().expect("a number"));
        let mut reader = Reader::new(&bytes).with_dialect(PANDEMONIUM).with_objects(name.ends_with(" (objects)"));
        match rest(&mut reader) {
            Err(_) if consumed == 0 => refused += 1,
            Err(error) => panic!("{name}: the engine reads {bytes:02x?}: {error}"),
            Ok(_) if reader.position() == consumed && value != "other" => same += 1,
            Ok(events) => {
                let cause = cause(bytes[0], &events, consumed == 0);
                causes.add(cause.unwrap_or_else(|| panic!("{name}: {bytes:02x?} as {events:?}")));
            }
        }
    }
    causes.assert_are(&[
        ("a Projection with less than 184 bytes behind it", 23),
        ("a Vector4 or Vector4i, four bytes of which are read again", 38),
        ("a property that the class has not, or that it changes", 6),
        ("an element of a typed array that is of another type", 2),
        ("w of a pool, for which z is read", 19),
    ]);
    assert_eq!((refused, same), (426, 486));
}

/// Why the engine refuses these, or reads them as something else.
fn cause(id: u8, events: &[Event<'_>], is_refused: bool) -> Option<&'static str> {
    let has = |kinds: &[Kind]| {
        let is = |event: &Event<'_>| plain_of(event).is_some_and(|plain| kinds.contains(&plain.kind));
        events.iter().any(is)
    };
    let is_typed = |event: &Event<'_>| matches!(event, Event::Array { element, .. } if *element != ElementType::Any);
    match id {
        _ if is_refused => has(&[Kind::Projection]).then_some("a Projection with less than 184 bytes behind it"),
        37 | 38 => Some("w of a pool, for which z is read"),
        _ if has(&[Kind::Vector4, Kind::Vector4i]) => Some("a Vector4 or Vector4i, four bytes of which are read again"),
        _ if events.iter().any(|event| matches!(event, Event::Object { .. })) => {
            Some("a property that the class has not, or that it changes")
        }
        27 | 28 => Some("an element of a typed array that is of another type"),
        _ if events.iter().any(is_typed) => Some("an element of a typed array that is of another type"),
        _ => None,
    }
}
