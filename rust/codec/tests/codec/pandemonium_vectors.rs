//! Guards: what a real Pandemonium writes and reads is written and read alike, but for what is listed here with its
//! cause; what it writes by the rules of its encoder is read as what Godot 4 has for it, and back.

use std::collections::BTreeMap;

use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{Copied, Dialect, ElementType, Engine, Event, Kind, Reader, Text, Value, Writer};

use crate::support::model::{self, Verdict};
use crate::support::shown::shown;
use crate::support::steps::{assert_same, plain_of, read, read_of, rest};
use crate::support::vectors::{self, hex, rows};
use crate::support::wire::words;
use crate::support::{numbers, on_a_stack};

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
    // The deepest value, in code that nobody optimised.
    on_a_stack(8 << 20, || {
        let mut reader = Reader::new(bytes).with_dialect(PANDEMONIUM).with_objects(true);
        Value::read_nested(&mut reader, 1024).map_or_else(|_| "error".to_owned(), |value| shown(&value))
    })
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

#[test]
fn each_vector_is_and_becomes_the_same_of_godot_4_and_what_pandemonium_has_for_it() {
    for vector in vectors::pandemonium() {
        let (name, pandemonium) = (vector.name, Dialect::of(vector.engine));
        let (found, consumed) = read_of(vector.engine, &vector.bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(consumed, vector.bytes.len(), "{name}: consumed");
        let (expected, consumed) = read(&vector.godot_4).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(consumed, vector.godot_4.len(), "{name}: consumed of Godot 4");
        assert_same(&found, &expected);
        let verdict = model::verdict_of(vector.engine, &vector.bytes, true);
        assert_eq!(verdict, Verdict::Accepted(vector.bytes.len()), "{name}");
        let (there, losses) = Translation::new(pandemonium, Dialect::GODOT_4).bytes(&vector.bytes).expect(name);
        assert_eq!(there, vector.godot_4, "{name}: of Godot 4");
        assert!(losses.is_empty(), "{name}: {losses:?}");
        let (back, losses) = Translation::new(Dialect::GODOT_4, pandemonium).bytes(&there).expect(name);
        assert_eq!(back, vector.back, "{name}: back");
        // Only older versions have no arrays that say what is in them.
        let is_bare = numbers::bare(vector.engine, vector.bytes[0]).is_some();
        let is_less = is_bare && vector.engine != Engine::Pandemonium;
        let is_lost = |losses: Losses| losses.iter().any(|loss| loss.what != Lost::Misread);
        assert_eq!(is_lost(losses), is_less, "{name}");
        // And in its own dialect.
        let (again, losses) = Translation::new(pandemonium, pandemonium).bytes(&vector.bytes).expect(name);
        assert_eq!((again, is_lost(losses)), (vector.back, is_less), "{name}");
    }
}

#[test]
fn ids_stay_ids_however_their_class_is_held() {
    const NAME: &str = "EncodedObjectAsID";
    let chars: Vec<u32> = NAME.chars().map(u32::from).collect();
    for class in [Text::Utf8(NAME), Text::Utf32(&chars)] {
        let mut writer = Writer::new(Dialect::PANDEMONIUM);
        writer.write_as(Event::Array { element: ElementType::Class(class), count: 0 }, Copied).expect("writes");
        let bytes = writer.into_plan().to_vec();
        // Bit 16: the elements are ids, and no class stands there.
        assert_eq!(bytes, [27, 0, 1, 0, 23, 0, 0, 0, 0, 0, 0, 0], "{class:?}");
    }
}

#[test]
fn what_names_no_class_is_refused_where_it_stands() {
    // Elements of type Object, and where a StringName has to be, a String, no type, or nothing.
    for (head, expected) in [
        (&[27, 23, 4, 0][..], "expected a StringName for the element class of Array, found type 4, at byte 8"),
        (&[27, 23, 200, 0], "expected a StringName for the element class of Array, found type 200, at byte 8"),
        (&[27, 23], "expected 4 more bytes for the element class of Array, found 0, at byte 8"),
        (&[27, 23, 24], "expected 4 more bytes for the length of the element class of Array, found 0, at byte 12"),
        (&[27, 23, 24, 8, 1], "expected 8 more bytes for the element class of Array, found 4, at byte 16"),
    ] {
        let bytes = words(head);
        assert_eq!(read_of(Engine::Pandemonium, &bytes).expect_err("no class").to_string(), expected);
    }
    // The engine reads the low byte alone.
    for number in [40, 255, 0x128, 0x8000_00ff_u32] {
        let bytes = words(&[27, number, 0]);
        let error = read_of(Engine::Pandemonium, &bytes).expect_err("no type");
        let found = number as u8;
        let text = format!("expected an element type from 0 to 39 for Array, found {found}, at byte 4");
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_pool_of_vectors_is_short_at_the_element_that_is_cut_off() {
    for (id, len) in [(34, 8), (36, 12), (38, 16_usize)] {
        let bytes = [&[id, 0, 0, 0, 3, 0, 0, 0][..], &vec![0; 2 * len + 5]].concat();
        let error = read_of(Engine::Pandemonium, &bytes).expect_err("cut off");
        let text = format!("expected {len} more bytes for Array element 2 of 3, found 5, at byte {}", 8 + 2 * len);
        assert_eq!(error.to_string(), text);
    }
}
