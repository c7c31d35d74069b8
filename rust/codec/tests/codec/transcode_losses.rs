//! Guards: what another engine keeps less of is told, with how often and where first, and nothing else is; components
//! become those of the other width as an engine rounds them, both ways.
//!
//! Guards: any value of an engine becomes what another one has for it, and what that keeps less of is counted.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use proptest::sample::select;
use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{Dialect, Engine, Kind, Width};

use crate::support::foreign::{DOUBLE, GODOT_3, GODOT_4, PANDEMONIUM, assert_becomes, translate};
use crate::support::foreign::{fitted, has, is_array, with_type};
use crate::support::steps::{plain_of, read, write};
use crate::support::value::{Element, Value, any_value, cases, chars};
use crate::support::wire::{doubles, floats, object, string, text, words};
use crate::support::{naive, vectors};
use crate::text_kernels::ROWS;

fn losses(from: Dialect, to: Dialect, bytes: &[u8]) -> Losses {
    Translation::new(from, to).bytes(bytes).expect("translates").1
}

#[test]
fn components_are_rounded_with_a_word_and_only_if_they_change() {
    let wide = |x| [words(&[0x1_0005]), doubles(&[0.5, x])].concat();
    let narrow = |x| [words(&[5]), floats(&[0.5, x])].concat();
    let line = "1 value was rounded to 32 bits, at byte 0";
    assert_becomes(DOUBLE, GODOT_4, &wide(0.1), &narrow(0.1), line);
    assert_becomes(DOUBLE, GODOT_3, &wide(0.1), &narrow(0.1), line);
    let infinite = "1 value is too large for 32 bits and became infinite, at byte 0";
    assert_becomes(DOUBLE, GODOT_4, &wide(1e300), &narrow(f32::INFINITY), infinite);
    assert_becomes(DOUBLE, GODOT_3, &wide(-1e39), &narrow(f32::NEG_INFINITY), infinite);
    assert_becomes(DOUBLE, GODOT_3, &wide(f32::MAX.into()), &narrow(f32::MAX), "");
    let both = [words(&[0x1_0009]), doubles(&[0.1, 1e39, 0.1])].concat();
    let there = [words(&[9]), floats(&[0.1, f32::INFINITY, 0.1])].concat();
    assert_becomes(DOUBLE, GODOT_4, &both, &there, infinite);
    assert_becomes(DOUBLE, GODOT_4, &wide(1e-300), &narrow(0.0), line);
    for exact in [0.25, -0.0, f64::INFINITY, f64::NEG_INFINITY, 16_777_216.0] {
        assert_becomes(DOUBLE, GODOT_4, &wide(exact), &narrow(exact as f32), "");
        assert_becomes(GODOT_4, DOUBLE, &narrow(exact as f32), &wide(exact), "");
    }
    assert_eq!(translate(DOUBLE, GODOT_4, &wide(f64::NAN)).1, "");
    // One of many, in an array, behind others.
    let array = [words(&[28, 2, 2, 1, 0x1_0023, 3]), doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 1.0 / 3.0])].concat();
    let there = [words(&[19, 2, 2, 1, 24, 3]), floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 1.0 / 3.0])].concat();
    assert_becomes(DOUBLE, GODOT_3, &array, &there, "1 value was rounded to 32 bits, at byte 16 inside [1]");
}

#[test]
fn what_is_no_character_is_told_wherever_the_text_is() {
    let lone = b"a\xed\xa0\xbd";
    let repaired = "a\u{fffd}";
    let one = "1 text has U+FFFD for what is no character, at byte ";
    let of = |at: &str| format!("{one}{at}");
    for to in [GODOT_4, PANDEMONIUM, GODOT_3] {
        let id = |kind| to.engine.id(kind).expect("each has it").into();
        use varbatch_codec::Kind::{Dictionary, NodePath, Object, PackedStringArray};
        assert_becomes(GODOT_3, to, &string(lone), &string(repaired), &of("0"));
        let array = |id, text_of: &[u8]| [words(&[id, 2]), text(b"ok\0"), text([text_of, b"\0"].concat())].concat();
        let strings = array(id(PackedStringArray), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &array(23, lone), &strings, &of("16"));
        let path = |id, name: &[u8]| [words(&[id, 0x8000_0001, 0, 0]), text(name)].concat();
        assert_becomes(GODOT_3, to, &path(15, lone), &path(id(NodePath), repaired.as_bytes()), &of("16"));
        let entry = |id, key: &[u8]| [words(&[id, 1]), string(key), words(&[0])].concat();
        let there = entry(id(Dictionary), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &entry(18, lone), &there, &of("8 inside [key 0]"));
        let class = |id, class: &[u8]| object(id, class, &[]);
        let there = class(id(Object), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &class(17, lone), &there, &of("0"));
        let property = |id, name: &[u8]| [words(&[id]), text("Node"), words(&[1]), text(name), words(&[0])].concat();
        let there = property(id(Object), repaired.as_bytes());
        assert_becomes(GODOT_3, to, &property(17, lone), &there, &of("16"));
    }
}

#[test]
fn what_is_repaired_whole_is_no_loss() {
    for (bytes, repaired) in ROWS {
        if let Ok((there, is_lossy)) = repaired
            && !bytes.contains(&0)
        {
            let line = if is_lossy { "1 text has U+FFFD for what is no character, at byte 0" } else { "" };
            assert_becomes(GODOT_3, GODOT_4, &string(bytes), &string(there), line);
        }
    }
}

#[test]
fn what_says_nothing_loses_nothing() {
    // What says that its elements may be anything is untyped.
    assert_becomes(GODOT_4, GODOT_3, &words(&[0x1_001c, 0, 1, 0]), &words(&[19, 1, 0]), "");
    // Godot 3 reads "/" as empty.
    let root = |id, flags| words(&[id, 0x8000_0000, 0, flags]);
    assert_becomes(GODOT_3, GODOT_4, &root(15, 1), &root(22, 0), "");
    assert_becomes(GODOT_4, GODOT_3, &root(22, 1), &root(15, 1), "1 NodePath \"/\" became empty, at byte 0");
}

#[test]
fn each_kind_of_loss_is_told_once_in_the_order_of_the_first() {
    let rid = words(&[23, 1, 0]);
    let root = words(&[22, 0x8000_0000, 0, 1]);
    let bytes = [words(&[28, 5]), rid.clone(), root.clone(), rid.clone(), words(&[0x1_001c, 2, 0]), root].concat();
    let mut all = losses(GODOT_4, GODOT_3, &bytes);
    let lines = |losses: &Losses| losses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = [
        "2 RIDs lost their ids, the first at byte 8 inside [0]",
        "2 NodePaths \"/\" became empty, the first at byte 20 inside [1]",
        "1 typed container became untyped, at byte 48 inside [3]",
    ];
    assert_eq!((lines(&all), all.iter().len()), (expected.map(String::from).to_vec(), 3));
    // What is appended lies behind it.
    let more = [words(&[28, 2]), rid, words(&[0x1_0005]), doubles(&[0.1, 0.0])].concat();
    all.append(losses(DOUBLE, GODOT_3, &more));
    assert_eq!(lines(&all)[0], "3 RIDs lost their ids, the first at byte 8 inside [0]");
    assert_eq!(lines(&all)[3], "1 value was rounded to 32 bits, at byte 20 inside [1]");
}

#[test]
fn what_real_engines_of_both_precisions_wrote_is_translated_into_one_another() {
    let single: HashMap<_, _> = vectors::encoded().into_iter().map(|vector| (vector.name, vector.bytes)).collect();
    let mut kinds = Vec::new();
    for vector in vectors::double_encoded() {
        let (name, wide) = (vector.name, vector.bytes.expect(vector.name));
        let events = read(&wide).expect(name).0;
        assert_eq!(write(&events).expect(name), wide, "{name}: written back");
        kinds.extend(events.iter().filter_map(plain_of).map(|plain| plain.kind).filter(|kind| kind.shape().is_real()));
        let (narrow, losses) = Translation::new(DOUBLE, GODOT_4).bytes(&wide).expect(name);
        assert_eq!(Some(&narrow), single[name].as_ref(), "{name}");
        let is_rounded = losses.iter().any(|loss| (loss.what, loss.count) == (Lost::Precision, 1));
        assert_eq!(losses.is_empty(), !is_rounded, "{name}");
        // A build of either width writes both, as a file of it may hold data of the other.
        for (from, to, bytes, expected) in
            [(GODOT_4, GODOT_4, &wide, &narrow), (GODOT_4, GODOT_4, &narrow, &narrow), (DOUBLE, DOUBLE, &wide, &wide)]
        {
            assert_eq!(Translation::new(from, to).bytes(bytes).expect(name).0, *expected, "{name}");
        }
        let (again, _) = Translation::new(GODOT_4, DOUBLE).bytes(&narrow).expect(name);
        assert_eq!(again == wide, losses.is_empty(), "{name}");
    }
    for kind in Kind::ALL.into_iter().filter(|kind| kind.shape().is_real()) {
        assert!(kinds.contains(&kind), "{} has no vector", kind.name());
    }
}

#[test]
fn a_nan_stays_one() {
    for bits in [f64::NAN.to_bits(), (-f64::NAN).to_bits(), 0x7ff0_0000_0000_0001, 0x7fff_ffff_ffff_ffff] {
        let bytes = [words(&[0x1_0005]), doubles(&[f64::from_bits(bits), 1.0])].concat();
        let (there, losses) = Translation::new(DOUBLE, GODOT_4).bytes(&bytes).expect("narrows");
        assert!(losses.is_empty());
        let x = f32::from_le_bytes(there[4..8].try_into().expect("four bytes"));
        assert!(x.is_nan() && there.len() == 12, "{bits:x}: {there:02x?}");
    }
}

/// The value with its reals of another width, as `other` makes those of each value in it.
fn with_reals<const N: usize>(value: &Value, width: Width, other: &mut dyn FnMut(&[[u8; N]]) -> Vec<u8>) -> Value {
    value.clone().map(&mut |value| match value {
        Value::Plain { kind, bytes, .. } if kind.shape().is_real() => {
            Value::plain(kind, width, other(bytes.as_chunks().0))
        }
        value => value,
    })
}

fn has_nan(value: &Value) -> bool {
    let events = value.events();
    let mut reals = events.iter().filter_map(plain_of).filter(|plain| plain.kind.shape().is_real());
    reals.any(|plain| plain.bytes.as_chunks().0.iter().any(|&bytes| f32::from_le_bytes(bytes).is_nan()))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_value_of_32_bits_comes_back_from_64(value in any_value(Width::Single)) {
        let bytes = naive::value(&value);
        let (wide, losses) = Translation::new(GODOT_4, DOUBLE).bytes(&bytes).expect("widens");
        prop_assert!(losses.is_empty());
        let widened = with_reals(&value, Width::Double, &mut |reals| {
            reals.iter().flat_map(|&real| f64::from(f32::from_le_bytes(real)).to_le_bytes()).collect()
        });
        prop_assert_eq!(&wide, &naive::value(&widened));
        let (back, losses) = Translation::new(DOUBLE, GODOT_4).bytes(&wide).expect("narrows");
        prop_assert!(losses.is_empty());
        // Signalling NaNs become quiet ones.
        prop_assert!(back == bytes || has_nan(&value), "{:?} came back as {:02x?}", value, back);
    }

    #[test]
    fn any_value_of_64_bits_is_rounded_once(value in any_value(Width::Double)) {
        let (narrow, losses) = Translation::new(DOUBLE, GODOT_4).bytes(&naive::value(&value)).expect("narrows");
        let mut expected = 0;
        let narrowed = with_reals(&value, Width::Single, &mut |reals| {
            let wide = || reals.iter().map(|&real| f64::from_le_bytes(real));
            let is_rounded = |wide: f64| !wide.is_nan() && f64::from(wide as f32).to_bits() != wide.to_bits();
            expected += usize::from(wide().any(is_rounded));
            wide().flat_map(|wide| (wide as f32).to_le_bytes()).collect()
        });
        prop_assert_eq!(losses.iter().map(|loss| loss.count).sum::<usize>(), expected);
        prop_assert!(has_nan(&narrowed) || narrow == naive::value(&narrowed));
        let (again, losses) = Translation::new(DOUBLE, GODOT_4).bytes(&narrow).expect("is narrow");
        prop_assert!(losses.is_empty() && again == narrow);
    }
}

/// Classes in Godot 3 and in Godot 4, and a property of each in both. The whole table is that of `tests/unit/classes.rs`.
const CLASSES: [([&str; 2], [&str; 2]); 6] = [
    (["Area", "Area3D"], ["gravity_vec", "gravity_direction"]),
    (["AnimatedSprite", "AnimatedSprite2D"], ["frames", "sprite_frames"]),
    // Inherited, and none of this class.
    (["Button", "Button"], ["pressed", "button_pressed"]),
    (["Spatial", "Node3D"], ["a", "a"]),
    (["MyOwn", "MyOwn"], ["__meta__", "__meta__"]),
    ([GONE, GONE], ["script", "script"]),
];
const GONE: &str = "OpenSimplexNoise";

/// The value with types that say more often that they hold Arrays, and with objects of these classes.
fn with_names(engine: Engine, value: Value) -> Value {
    let side = usize::from(engine == Engine::Godot4);
    match value {
        Value::Array { elements, .. }
            if elements.len() % 2 == 1 && elements.iter().any(|value| is_array(value, true)) =>
        {
            Value::Array { element: Element::Builtin(Kind::Array), elements }
        }
        Value::Object { class, mut properties } => {
            let (names, _) = CLASSES[class.len() % CLASSES.len()];
            if names == [GONE; 2] {
                properties.clear();
            }
            for (name, value) in &mut properties {
                let (_, names) = CLASSES[name.len() % CLASSES.len()];
                *name = chars(names[side]);
                if names == ["script"; 2] && !matches!(value, Value::Nil) {
                    *value = Value::string("res://a.gd");
                }
            }
            Value::Object { class: chars(names[side]), properties }
        }
        value => value,
    }
}

/// What an engine has for a value of another one, in which all is translated already.
fn translated([from, to]: [Engine; 2], value: Value, lose: &mut dyn FnMut(Lost)) -> Value {
    let is = |engines: [Engine; 2]| [from, to] == engines;
    let side = match () {
        () if is([Engine::Godot3, Engine::Godot4]) => Some(0),
        () if is([Engine::Godot4, Engine::Godot3]) => Some(1),
        () => None,
    };
    match value {
        Value::StringName(name) if !has(to, Kind::StringName) => Value::String(name),
        Value::Rid(1..) if to != Engine::Godot4 => {
            lose(Lost::Rid);
            Value::Rid(0)
        }
        Value::NodePath { names, subnames, absolute: true }
            if to != Engine::Godot4 && names.len() + subnames.len() == 0 =>
        {
            // As it was, which the other engine reads as empty.
            lose(Lost::RootPath);
            Value::NodePath { names, subnames, absolute: true }
        }
        Value::Array { element, elements } if element != Element::Any && to != Engine::Godot4 => {
            let has_typed = |typed| elements.iter().any(|value| is_array(value, typed));
            let is_kept = match &element {
                Element::Builtin(Kind::Array) => !(has_typed(true) && has_typed(false)),
                Element::Builtin(kind) => has(to, *kind),
                element => matches!(element, Element::Class(_)),
            };
            if is_kept && to == Engine::Pandemonium {
                return Value::Array { element, elements };
            }
            lose(Lost::ElementType);
            Value::array(elements)
        }
        Value::Dictionary { key, value, entries } if to != Engine::Godot4 => {
            if (key, value) != (Element::Any, Element::Any) {
                lose(Lost::ElementType);
            }
            Value::dictionary(entries)
        }
        Value::Object { class, .. } if side == Some(0) && class == chars(GONE) => {
            lose(Lost::Object);
            Value::Nil
        }
        Value::Object { class, mut properties } => {
            let of_class = CLASSES.iter().find(|(names, _)| side.is_some_and(|side| chars(names[side]) == class));
            for (name, value) in &mut properties {
                if *name == chars("script") && (from == Engine::Godot4) != (to == Engine::Godot4) {
                    if !matches!(value, Value::Nil) {
                        lose(Lost::Script);
                    }
                    *value = Value::Nil;
                } else if *name == chars("__meta__") && side == Some(0) {
                    lose(Lost::Metadata);
                } else if let (Some((_, names)), Some(side)) = (of_class, side)
                    && *name == chars(names[side])
                {
                    *name = chars(names[1 - side]);
                }
            }
            let class = of_class.zip(side).map_or(class, |((names, _), side)| chars(names[1 - side]));
            Value::Object { class, properties }
        }
        value => value,
    }
}

fn engines() -> impl Strategy<Value = [Engine; 2]> {
    let any = || select(Engine::ALL.to_vec());
    let (three, four, other) = (Engine::Godot3, Engine::Godot4, Engine::Pandemonium);
    let differing = select(vec![[three, four], [four, three], [four, other]]);
    prop_oneof![differing, (any(), any()).prop_map(|(from, to)| [from, to])]
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn any_value_becomes_what_the_other_engine_has_for_it(value in any_value(Width::Single), engines in engines()) {
        let [from, to] = engines;
        let value = fitted(from, value.map(&mut |value| with_names(from, match value {
            Value::StringName(_) => value,
            value => with_type(to, value),
        })));
        let mut expected_losses = BTreeMap::new();
        let mut lose = |what: Lost| *expected_losses.entry(format!("{what:?}")).or_default() += 1;
        let expected = value.clone().map(&mut |value| translated(engines, value, &mut lose));
        let translation = Translation::new(Dialect::of(from), Dialect::of(to));
        let (bytes, losses) = translation.bytes(&naive::value_of(from, &value)).expect("each part has a type");
        prop_assert_eq!(bytes, naive::value_of(to, &expected), "{:?}: {:?}", engines, value);
        // What follows a value, and which keys are the same, is looked at elsewhere.
        let losses = losses.iter().filter(|loss| ![Lost::Misread, Lost::Key].contains(&loss.what));
        let losses: BTreeMap<_, usize> = losses.map(|loss| (format!("{:?}", loss.what), loss.count)).collect();
        prop_assert_eq!(losses, expected_losses, "{:?}: {:?}", engines, value);
    }
}
