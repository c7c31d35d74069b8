//! Guards: what Pandemonium writes, by the rules of its encoder, is read as what Godot 4 has for it, and back.

use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{Copied, Dialect, ElementType, Engine, Event, Kind, Text, Writer};

use crate::support::model::{self, Verdict};
use crate::support::numbers;
use crate::support::steps::{assert_same, read, read_of};
use crate::support::vectors;
use crate::support::wire::words;

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
fn no_type_is_without_vectors() {
    let all = vectors::pandemonium();
    let count = |engine, id| all.iter().filter(|vector| vector.engine == engine && vector.bytes[0] == id).count();
    assert!((0..40).all(|id| count(Engine::Pandemonium, id) > 0));
    for older in [Engine::Pandemonium38, Engine::Pandemonium35] {
        let types = numbers::types(older).len() as u8;
        assert!((0..types).filter(|&id| count(older, id) > 0).count() >= 9, "{}", older.name());
    }
}

#[test]
fn what_follows_a_vector4_and_a_projection_is_read_as_it_was_written() {
    // Pandemonium's own decoder goes on four bytes too early behind the first, and wants 184 bytes behind the second.
    let vector4 = [11_u32, 1, 2, 3, 4];
    let projection = [19; 17];
    let bytes = words(&[&[26, 3][..], &vector4, &projection, &[2, 7]].concat());
    let (events, consumed) = read_of(Engine::Pandemonium, &bytes).expect("reads");
    assert_eq!(consumed, bytes.len());
    assert_eq!(events.len(), 4);
    assert_eq!(events[3], Event::Int(7));
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
    for (id, kind, len) in [(34, Kind::Vector2i, 8), (36, Kind::Vector3i, 12), (38, Kind::Vector4i, 16_usize)] {
        let head = [id, 0, 0, 0, 3, 0, 0, 0];
        let bytes = [&head[..], &vec![0; 2 * len + 5]].concat();
        let error = read_of(Engine::Pandemonium, &bytes).expect_err("cut off");
        let text = format!("expected {len} more bytes for Array element 2 of 3, found 5, at byte {}", 8 + 2 * len);
        assert_eq!(error.to_string(), text);
        let whole = [&head[..], &vec![0; 3 * len]].concat();
        let (events, consumed) = read_of(Engine::Pandemonium, &whole).expect("reads");
        assert_eq!(consumed, whole.len());
        assert_eq!(events[0], Event::Array { element: ElementType::Builtin(kind), count: 3 });
        assert!(events[1..].iter().all(|event| matches!(event, Event::Components(plain) if plain.kind == kind)));
    }
}
