//! Guards: any value of an engine becomes what another one has for it, and what that keeps less of is counted.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use varbatch_codec::transcode::{Lost, Translation};
use varbatch_codec::{Dialect, Engine, Kind, Width};

use crate::support::foreign::{fitted, has, is_array, with_type};
use crate::support::naive;
use crate::support::value::{Element, Value, any_value, cases, chars};

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
