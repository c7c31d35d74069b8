//! Guards: each engine's types have its numbers, a value comes back in each dialect as it was, what an engine has no
//! type for is refused by name, and the Reader accepts what the engine does where it has a rule of its own.

use proptest::prelude::*;
use proptest::sample::select;
use varbatch_codec::transcode::Translation;
use varbatch_codec::{
    CodecErrorKind, Dialect, ElementType, Engine, Event, Foreign, Kind, Reader, Shape, Text, Width, Writer, validate,
};

use crate::support::agree::assert_agrees_of;
use crate::support::foreign::{fitted, has};
use crate::support::model::Verdict;
use crate::support::numbers;
use crate::support::steps::{assert_both_ways, read_of};
use crate::support::value::{Value, any_value, cases};
use crate::support::vectors::hex;
use crate::support::wire::{string, words};

/// `Variant::Type` of Redot before its structs (`core/variant/variant.h` at 182541b), in its order.
const REDOT: &str = "NIL BOOL INT FLOAT STRING VECTOR2 VECTOR2I RECT2 RECT2I VECTOR3 VECTOR3I TRANSFORM2D VECTOR4 \
    VECTOR4I PLANE QUATERNION AABB BASIS TRANSFORM3D PROJECTION COLOR STRING_NAME NODE_PATH RID OBJECT CALLABLE SIGNAL \
    DICTIONARY ARRAY PACKED_BYTE_ARRAY PACKED_INT32_ARRAY PACKED_INT64_ARRAY PACKED_FLOAT32_ARRAY PACKED_FLOAT64_ARRAY \
    PACKED_STRING_ARRAY PACKED_VECTOR2_ARRAY PACKED_VECTOR3_ARRAY PACKED_COLOR_ARRAY PACKED_VECTOR4_ARRAY";

#[test]
fn redot_has_the_types_of_godot_4() {
    // Redot is a fork of Godot 4 with the same enum, so that one column is both. Were it to number a type in another way,
    // as its documentation does, its values would be misread without an error: it would need a column of its own.
    assert_eq!(REDOT.split(' ').count(), Kind::ALL.len());
    for (kind, name) in Kind::ALL.into_iter().zip(REDOT.split(' ')) {
        assert_eq!(kind.name().to_uppercase(), name.replace('_', ""));
    }
    // What the documentation calls a Vector3 and a PackedByteArray is a Rect2 that is cut off, and a Color.
    for documented in [[7, 0, 0], [20, 2, 0x0201]] {
        let error = validate(Reader::new(&words(&documented))).expect_err("no such value");
        assert!(matches!(error.kind(), CodecErrorKind::Short { .. }), "{error}");
    }
}

#[test]
fn each_number_is_that_of_the_engine() {
    for engine in Engine::ALL {
        for kind in Kind::ALL {
            let id = engine.id(kind);
            assert_eq!(id, numbers::number(engine, kind.id()), "{} of {}", kind.name(), engine.name());
            assert_eq!(id.and_then(|id| engine.kind(id)), id.map(|_| kind), "{} of {}", kind.name(), engine.name());
        }
        for number in 0..=u8::MAX {
            let expected = numbers::types(engine).get(usize::from(number));
            let kind = expected.map(|&id| if id >= 100 { Kind::Array } else { Kind::from_id(id).expect("a type") });
            assert_eq!(engine.kind(number), kind, "type {number} of {}", engine.name());
            assert_eq!(engine.shape(number).is_some(), kind.is_some(), "type {number} of {}", engine.name());
            if kind.is_none() {
                let error = read_of(engine, &[number, 0, 0, 0]).expect_err("no type");
                let last = numbers::types(engine).len() - 1;
                assert_eq!(*error.kind(), CodecErrorKind::UnknownType { id: number, last }, "{}", engine.name());
            }
            let bare = numbers::bare(engine, number).and_then(|(kind, _)| Kind::from_id(kind));
            let found = match engine.shape(number) {
                Some(Shape::Foreign(Foreign::Bare(kind))) => Some(kind),
                _ => None,
            };
            assert_eq!(found, bare, "type {number} of {}", engine.name());
        }
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn any_value_is_written_to_the_rules_and_comes_back(
        engine in select(Engine::ALL.to_vec()), value in any_value(Width::Single), wide in any_value(Width::Double),
        // Id 0 comes back as Nil.
        id in 1..=u64::MAX,
    ) {
        assert_both_ways(Dialect::of(engine), &fitted(engine, value));
        assert_both_ways(Dialect::of(engine), &Value::ObjectId(id));
        assert_both_ways(Dialect::GODOT_4_DOUBLE, &wide);
    }
}

/// A value of a kind, all of it zeros.
fn zeros(kind: Kind) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[0] = kind.id();
    let len = validate(Reader::new(&bytes)).expect("zeros are a value");
    bytes[..len].to_vec()
}

#[test]
fn what_an_engine_has_no_type_for_is_refused_by_name() {
    let mut refused = 0;
    for engine in Engine::ALL {
        for kind in Kind::ALL.into_iter().filter(|&kind| !has(engine, kind)) {
            let reason = CodecErrorKind::NoSuchType { engine, what: kind.name() };
            let zeros = zeros(kind);
            let event = Reader::new(&zeros).next_event().expect("a value").expect("an event");
            let text = format!("expected a type that {} has, found {}", engine.name(), kind.name());
            let mut writer = Writer::new(Dialect::of(engine));
            // Alone, and in the middle of an Array; the writer is as good as new behind it.
            for before in [&[][..], &[Event::Array { element: ElementType::Any, count: 2 }, Event::Int(1)]] {
                let start = writer.mark();
                before.iter().for_each(|&event| writer.write(event).expect("of each engine"));
                let at = writer.plan().len();
                let error = writer.write(event).expect_err("no such type");
                assert_eq!((error.kind(), error.at()), (&reason, at), "{}", kind.name());
                assert!(error.to_string().starts_with(&text), "{error}");
                writer.drop_value(start);
            }
            assert_eq!(writer.plan().len(), 0);
            refused += 1;
            // A translation makes a String of a StringName, and says inside what the others are.
            let inside = [words(&[27, 1]), string("a"), words(&[28, 3, 0, 2, 5]), zeros.clone()].concat();
            for (bytes, place) in [(zeros.clone(), "at byte 0"), (inside, "at byte 40 inside [\"a\"][2]")] {
                let translated = Translation::new(Dialect::GODOT_4, Dialect::of(engine)).bytes(&bytes);
                let expected = if kind == Kind::StringName { None } else { Some(format!("{text}, {place}")) };
                assert_eq!(translated.err().map(|error| error.to_string()), expected);
            }
        }
    }
    // Godot 3 lacks 12, Pandemonium 4, its first numbering 8.
    assert_eq!(refused, 12 + 4 + 4 + 8);
}

#[test]
fn containers_that_say_what_is_in_them_are_refused_where_there_are_none() {
    let (any, int) = (ElementType::Any, ElementType::Builtin(Kind::Int));
    let (class, script) = (ElementType::Class(Text::Utf8("Node")), ElementType::Script(Text::Utf8("res://a.gd")));
    for engine in Engine::ALL.into_iter().filter(|&engine| engine != Engine::Godot4) {
        let what = |event| match Writer::new(Dialect::of(engine)).write(event).map_err(|error| error.kind().clone()) {
            Ok(()) => None,
            Err(CodecErrorKind::NoSuchType { engine: of, what }) if of == engine => Some(what),
            Err(reason) => panic!("{reason}"),
        };
        let has_arrays = engine == Engine::Pandemonium;
        for element in [int, class, script] {
            for (key, value) in [(element, any), (any, element), (element, element)] {
                assert_eq!(what(Event::Dictionary { key, value, count: 0 }), Some("typed Dictionary"));
            }
            let expected = match element {
                ElementType::Script(_) if has_arrays => Some("Array typed with a script"),
                _ if has_arrays => None,
                _ => Some("typed Array"),
            };
            assert_eq!(what(Event::Array { element, count: 0 }), expected, "{}", engine.name());
        }
        // What the elements must be has to be a type as well.
        let element = ElementType::Builtin(Kind::PackedInt64Array);
        let expected = if has_arrays { "PackedInt64Array" } else { "typed Array" };
        assert_eq!(what(Event::Array { element, count: 0 }), Some(expected));
        assert_eq!(what(Event::Dictionary { key: any, value: any, count: 0 }), None);
        assert_eq!(what(Event::Array { element: any, count: 0 }), None);
    }
}

#[test]
fn the_model_knows_the_text_of_godot_3_byte_by_byte() {
    // Each sequence of three bytes behind some leads, with what may end it, in all engines.
    let (leads, next) = ([0xed, 0xe0, 0xf0, 0xf4, 0xf8, 0xfc, 0xc1, 0xc2, 0xef], [0x80, 0x8f, 0x90, 0xa0, 0xb8, 0xbf]);
    let mut accepted = 0;
    for lead in leads {
        for a in next {
            for b in next.into_iter().chain([0x00, 0x41, 0x82, 0x84, 0x87, 0x88]) {
                for behind in [&[][..], &[0x80], &[0xbf, 0x80], &[0x80, 0x80, 0x80], &[0xed, 0xb8, 0x80], &[0]] {
                    let bytes = string([&[lead, a, b][..], behind].concat());
                    for engine in Engine::ALL {
                        accepted += usize::from(assert_agrees_of(engine, &bytes, false) != Verdict::Refused);
                    }
                }
            }
        }
    }
    assert!(accepted > 1000, "{accepted} accepted");
}

#[test]
fn vectors_are_only_believed_with_what_has_to_follow_them() {
    // Three elements: a pool of two Vector2i takes all that is left.
    let bytes = hex("1a000000 03000000 22000000 02000000 01000000 02000000 03000000 04000000");
    let error = read_of(Engine::Pandemonium, &bytes).expect_err("two are missing");
    let (kind, parts) = (Kind::Array, "elements");
    assert_eq!(*error.kind(), CodecErrorKind::ShortCount { kind, parts, count: 2, expected: 24, due: 8, found: 16 });
    assert_eq!((error.at(), error.path().to_string().as_str()), (16, " inside [0]"));
    let trusting = Reader::new(&bytes).with_dialect(Dialect::PANDEMONIUM).with_trusted_counts();
    let error = validate(trusting).expect_err("two are missing");
    assert_eq!((error.kind(), error.at()), (&CodecErrorKind::NoHeader { found: 0 }, 32));
    assert_agrees_of(Engine::Pandemonium, &bytes, false);
}

#[test]
fn an_element_without_a_header_is_named_before_it_is_read() {
    let bytes = hex("22000000 02000000 01000000 02000000 03000000 04000000");
    let mut reader = Reader::new(&bytes).with_dialect(Dialect::PANDEMONIUM);
    for expected in [Kind::Array, Kind::Vector2i, Kind::Vector2i] {
        assert_eq!(reader.peek_kind(), Ok(expected));
        reader.next_event().expect("reads");
    }
}
