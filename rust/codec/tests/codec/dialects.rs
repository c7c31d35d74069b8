//! Guards: each engine's types have its numbers, a value comes back in each dialect as it was, and what an engine has
//! no type for is refused by name.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use varbatch_codec::{
    CodecErrorKind, Dialect, ElementType, Engine, Event, Foreign, Kind, Plain, Reader, Shape, Text, Width, Writer,
    validate,
};

use crate::support::foreign::{any_value_of, has, of_each_kind};
use crate::support::numbers;
use crate::support::steps::{assert_both_ways, read_of};
use crate::support::value::{Value, cases};
use crate::support::wire::words;

/// `Variant::Type` of Redot before its structs (`core/variant/variant.h` at 182541b), in its order.
const REDOT: &str = "NIL BOOL INT FLOAT STRING VECTOR2 VECTOR2I RECT2 RECT2I VECTOR3 VECTOR3I TRANSFORM2D VECTOR4 \
    VECTOR4I PLANE QUATERNION AABB BASIS TRANSFORM3D PROJECTION COLOR STRING_NAME NODE_PATH RID OBJECT CALLABLE SIGNAL \
    DICTIONARY ARRAY PACKED_BYTE_ARRAY PACKED_INT32_ARRAY PACKED_INT64_ARRAY PACKED_FLOAT32_ARRAY PACKED_FLOAT64_ARRAY \
    PACKED_STRING_ARRAY PACKED_VECTOR2_ARRAY PACKED_VECTOR3_ARRAY PACKED_COLOR_ARRAY PACKED_VECTOR4_ARRAY";

fn is_kind(number: usize, name: &str) -> bool {
    Engine::Godot4.kind(number as u8).is_some_and(|kind| kind.name().to_uppercase() == name.replace('_', ""))
}

#[test]
fn redot_has_the_types_of_godot_4() {
    // Redot is a fork of Godot 4 with the same enum, so that one column is both. Were it to number a type in another way,
    // as its documentation does, its values would be misread without an error: it would need a column of its own.
    assert_eq!(REDOT.split(' ').count(), Kind::ALL.len());
    REDOT.split(' ').enumerate().for_each(|(number, name)| assert!(is_kind(number, name), "type {number}"));
    // What the documentation calls a Vector3 and a PackedByteArray is a Rect2 that is cut off, and a Color.
    for documented in [[7, 0, 0], [20, 2, 0x0201]] {
        let error = validate(Reader::new(&words(&documented))).expect_err("no such value");
        assert!(matches!(error.kind(), CodecErrorKind::Short { .. }), "{error}");
    }
}

/// With structs (`core/variant/variant.h` at d540e6d) Redot is another engine, which has no column: DIALECTS.md says so.
#[test]
fn redot_with_structs_has_other_types() {
    let mut types: Vec<_> = REDOT.split(' ').collect();
    types.insert(25, "STRUCT");
    types.iter().enumerate().for_each(|(number, name)| assert_eq!(is_kind(number, name), number < 25, "type {number}"));
    // A Dictionary of such a build is an Array here, and its values are behind it.
    assert_eq!(validate(Reader::new(&words(&[28, 1, 2, 7, 2, 8]))), Ok(16));
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
            let bare = numbers::bare(engine, number).and_then(|(kind, _)| Kind::from_id(kind));
            let found = match engine.shape(number) {
                Some(Shape::Foreign(Foreign::Bare(kind))) => Some(kind),
                _ => None,
            };
            assert_eq!(found, bare, "type {number} of {}", engine.name());
        }
    }
}

#[test]
fn a_type_that_is_none_is_refused_with_the_last_that_there_is() {
    for engine in Engine::ALL {
        let last = numbers::types(engine).len() - 1;
        for id in [last as u8 + 1, 200, 255] {
            let bytes = [id, 0, 0, 0, 0, 0, 0, 0];
            let error = read_of(engine, &bytes).expect_err("no type");
            assert_eq!(*error.kind(), CodecErrorKind::UnknownType { id, last }, "{}", engine.name());
        }
    }
}

#[test]
fn a_value_of_each_type_is_written_to_the_rules_and_comes_back() {
    // What Pandemonium has besides, both kinds of typed arrays and the pools of integer vectors, are Arrays.
    for (dialect, count) in [
        (Dialect::GODOT_4, 39),
        (Dialect::GODOT_4_DOUBLE, 39),
        (Dialect::GODOT_3, 27),
        (Dialect::PANDEMONIUM, 35),
        (Dialect::of(Engine::Pandemonium38), 35),
        (Dialect::of(Engine::Pandemonium35), 31),
    ] {
        let values = of_each_kind(dialect);
        assert_eq!(values.len(), count);
        let result = TestRunner::new(cases(40)).run(&values, |values| {
            values.iter().for_each(|value| assert_both_ways(dialect, value));
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{}: {error}", dialect.engine.name()));
    }
}

fn any_of_any_engine() -> impl Strategy<Value = (Engine, Value)> {
    proptest::sample::select(Engine::ALL.to_vec()).prop_flat_map(|engine| (Just(engine), any_value_of(engine)))
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_value_comes_back_in_each_dialect((engine, value) in any_of_any_engine()) {
        assert_both_ways(Dialect::of(engine), &value);
    }
}

/// A small value of a kind.
pub fn some(kind: Kind) -> Event<'static> {
    const ZEROS: &[u8] = &[0; 64];
    let plain = |count: usize| {
        let len = count * kind.shape().element_len(Width::Single).expect("plain data");
        Plain { kind, width: Width::Single, count, bytes: &ZEROS[..len] }
    };
    match kind.shape() {
        Shape::Components { .. } => Event::Components(plain(1)),
        Shape::Packed { .. } => Event::Packed(plain(2)),
        Shape::Text => Event::StringName(Text::Utf8("name")),
        Shape::Callable => Event::Callable,
        Shape::Signal => Event::Signal { name: Text::Utf8("signal"), object: 1 },
        shape => unreachable!("each engine has it: {shape:?}"),
    }
}

#[test]
fn what_an_engine_has_no_type_for_is_refused_by_name() {
    let mut refused = 0;
    for engine in Engine::ALL {
        for kind in Kind::ALL.into_iter().filter(|&kind| !has(engine, kind)) {
            let reason = CodecErrorKind::NoSuchType { engine, what: kind.name() };
            let mut writer = Writer::new(Dialect::of(engine));
            // Alone, and in the middle of an Array; the writer is as good as new behind it.
            for before in [&[][..], &[Event::Array { element: ElementType::Any, count: 2 }, Event::Int(1)]] {
                let start = writer.mark();
                before.iter().for_each(|&event| writer.write(event).expect("of each engine"));
                let at = writer.plan().len();
                let error = writer.write(some(kind)).expect_err("no such type");
                assert_eq!((error.kind(), error.at()), (&reason, at), "{}", kind.name());
                let text = format!("expected a type that {} has, found {}", engine.name(), kind.name());
                assert!(error.to_string().starts_with(&text), "{error}");
                writer.drop_value(start);
            }
            assert_eq!(writer.plan().len(), 0);
            refused += 1;
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
