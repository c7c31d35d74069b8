//! What changes of each shape look like.

use varbatch_codec::change::{Change, ChangePart, diff};
use varbatch_codec::{Dialect, Event, Kind, OwnedValue, Reader, Width};

use crate::diff::OPTIONS;
use crate::support::naive;
use crate::support::value::{Element, Value, chars};

/// The changes as text: `set ["a"][1]: 1 -> 2`.
fn shown(before: &Value, after: &Value) -> Vec<String> {
    let (before, after) = (naive::value(before), naive::value(after));
    let changes = diff(&before, &after, OPTIONS).expect("both are values");
    let show = |part: Option<ChangePart<'_>>| match part {
        None => "-".into(),
        Some(ChangePart::Value { bytes, .. }) => value(bytes),
        Some(ChangePart::Elements(plain)) => format!("{} x {:?}", plain.count, plain.bytes),
        Some(texts) => match OwnedValue::<f32>::decode(&texts.to_value()) {
            Ok(OwnedValue::PackedStringArray(texts)) => texts.join(","),
            other => panic!("no texts: {other:?}"),
        },
    };
    let change = |change: Change<'_>| {
        let path: String = change.path.steps().iter().map(|step| step.shown(Dialect::GODOT_4).to_string()).collect();
        let index = change.index.map_or(String::new(), |index| format!(" at {index}"));
        format!("{} {path}{index}: {} -> {}", change.op.name(), show(change.old), show(change.new))
    };
    changes.iter().map(change).collect()
}

fn value(bytes: &[u8]) -> String {
    match Reader::new(bytes).with_objects(true).next_event() {
        Ok(Some(Event::Int(value))) => value.to_string(),
        Ok(Some(Event::String(text))) => format!("{:?}", text.to_utf8()),
        Ok(Some(Event::Array { count, .. })) => format!("{count} elements"),
        Ok(Some(Event::Dictionary { count, .. })) => format!("{count} entries"),
        other => format!("{other:?}"),
    }
}

fn ints(values: &[i64]) -> Value {
    Value::array(values.iter().map(|&value| Value::Int(value)).collect())
}

fn dictionary(entries: &[(&str, Value)]) -> Value {
    Value::dictionary(entries.iter().map(|(key, value)| (Value::string(key), value.clone())).collect())
}

fn packed(bytes: &[u8]) -> Value {
    Value::plain(Kind::PackedByteArray, Width::Single, bytes.to_vec())
}

fn strings(texts: &[&str]) -> Value {
    Value::Texts(texts.iter().map(|text| chars(text)).collect())
}

#[test]
fn elements_of_arrays() {
    assert_eq!(shown(&ints(&[1, 2, 3]), &ints(&[1, 5, 3])), ["set [1]: 2 -> 5"]);
    assert_eq!(shown(&ints(&[1, 2, 3]), &ints(&[1, 2, 9, 3])), ["insert [2]: - -> 9"]);
    assert_eq!(shown(&ints(&[1, 2, 3]), &ints(&[1, 2, 3, 4])), ["insert [3]: - -> 4"]);
    assert_eq!(shown(&ints(&[1, 2, 3]), &ints(&[2, 3])), ["remove [0]: 1 -> -"]);
    assert_eq!(shown(&ints(&[1, 2, 3]), &ints(&[2, 3, 4])), ["remove [0]: 1 -> -", "insert [2]: - -> 4"]);
    // Each index is about what the changes before it have left.
    let many: Vec<_> = (0..100).collect();
    let fewer: Vec<_> = (0..100).filter(|at| ![7, 50, 51].contains(at)).collect();
    assert_eq!(
        shown(&ints(&many), &ints(&fewer)),
        ["remove [7]: 7 -> -", "remove [49]: 50 -> -", "remove [49]: 51 -> -"]
    );
}

/// All elements differ, and one is missing: those that are alike are still pairs.
#[test]
fn elements_that_changed_and_moved() {
    let entity = |id: i64, x: i64| {
        dictionary(&[("x", Value::Int(x)), ("name", Value::string("entity")), ("id", Value::Int(id))])
    };
    let before: Vec<_> = (0..50).map(|id| entity(id, 10 * id)).collect();
    let after: Vec<_> = (0..50).filter(|&id| id != 20).map(|id| entity(id, 10 * id + 1)).collect();
    let shown = shown(&Value::array(before), &Value::array(after));
    assert_eq!(shown.len(), 50);
    assert_eq!(shown[19], "set [19][\"x\"]: 190 -> 191");
    assert_eq!(shown[20], "remove [20]: 3 entries -> -");
    assert_eq!(shown[21], "set [20][\"x\"]: 210 -> 211");
}

#[test]
fn entries_of_dictionaries() {
    let (one, two, three) = (("a", Value::Int(1)), ("b", Value::Int(2)), ("c", Value::Int(3)));
    let of = |entries: &[&(&'static str, Value)]| {
        dictionary(&entries.iter().map(|&(key, value)| (*key, value.clone())).collect::<Vec<_>>())
    };
    let all = of(&[&one, &two, &three]);
    assert_eq!(shown(&all, &of(&[&one, &three])), ["remove [\"b\"] at 1: 2 -> -"]);
    assert_eq!(shown(&of(&[&one, &three]), &all), ["insert [\"b\"] at 1: - -> 2"]);
    assert_eq!(shown(&all, &of(&[&one, &("b", Value::Int(7)), &three])), ["set [\"b\"]: 2 -> 7"]);
    // A key that has moved is gone before it comes.
    assert_eq!(shown(&all, &of(&[&three, &one, &two])), ["remove [\"c\"] at 2: 3 -> -", "insert [\"c\"] at 0: - -> 3"]);
    let nested = |value| dictionary(&[("deep", dictionary(&[("array", ints(&[1, value]))]))]);
    assert_eq!(shown(&nested(2), &nested(3)), ["set [\"deep\"][\"array\"][1]: 2 -> 3"]);
}

#[test]
fn elements_of_packed_arrays() {
    assert_eq!(
        shown(&packed(&[1, 2, 3, 4, 5]), &packed(&[1, 9, 8, 4, 7])),
        ["set [1]: 2 x [2, 3] -> 2 x [9, 8]", "set [4]: 1 x [5] -> 1 x [7]"]
    );
    assert_eq!(shown(&packed(&[1, 2, 3]), &packed(&[1, 2, 3, 4, 5])), ["insert [3]: - -> 2 x [4, 5]"]);
    assert_eq!(
        shown(&packed(&[1, 2, 3, 4, 5, 6]), &packed(&[9, 2, 3, 6])),
        ["set [0]: 1 x [1] -> 1 x [9]", "remove [3]: 2 x [4, 5] -> -"]
    );
    assert_eq!(shown(&strings(&["a", "b", "c"]), &strings(&["a", "x", "y"])), ["set [1]: b,c -> x,y"]);
    assert_eq!(shown(&strings(&["a", "b", "c"]), &strings(&["a", "c"])), ["remove [1]: b -> -"]);
    assert_eq!(shown(&strings(&[]), &strings(&["", ""])), ["insert [0]: - -> ,"]);
}

#[test]
fn what_has_no_parts_in_common_is_set() {
    assert_eq!(shown(&Value::Int(1), &Value::string("a")), ["set : 1 -> \"a\""]);
    let object = |class: &str, value| Value::object(class, vec![("x", Value::Int(value))]);
    assert_eq!(shown(&object("Node", 1), &object("Node", 2)), ["set .x: 1 -> 2"]);
    assert_eq!(shown(&object("Node", 1), &object("Sprite2D", 1)).len(), 1);
    let typed = Value::Array { element: Element::Builtin(Kind::Int), elements: vec![Value::Int(1)] };
    assert_eq!(shown(&typed, &ints(&[1])), ["set : 1 elements -> 1 elements"]);
    let of_another_build = |byte| Value::plain(Kind::PackedVector2Array, Width::Double, vec![byte; 32]);
    assert!(shown(&of_another_build(1), &of_another_build(2))[0].starts_with("set :"));
}

/// Rather one change than more of them than the values have bytes.
#[test]
fn too_many_changes_are_one() {
    let zeros = vec![0; 3_000_000];
    let every_other: Vec<_> = zeros.iter().zip([0, 1].into_iter().cycle()).map(|(_, byte)| byte).collect();
    let told = shown(&packed(&zeros), &packed(&every_other));
    assert_eq!(told.len(), 1, "of one array");
    assert!(told[0].starts_with("set [1]: 2999999 x"));
    let many = |value| ints(&vec![value; 200_000]);
    assert_eq!(shown(&many(0), &many(1)), ["set : 200000 elements -> 200000 elements"]);
}

/// Two objects are two keys of a Dictionary, and may have the same bytes: no path leads to one of them.
#[test]
fn keys_of_the_same_bytes_are_set_with_all_around() {
    let object = || Value::object("RefCounted", vec![]);
    let of = |value| {
        let entries = vec![(object(), Value::Int(1)), (object(), Value::Int(value))];
        dictionary(&[("all", Value::dictionary(entries))])
    };
    assert_eq!(shown(&of(2), &of(3)), ["set [\"all\"]: 2 entries -> 2 entries"]);
}

/// However many properties an object has, one that changed is one change.
#[test]
fn one_property_of_many() {
    let object = |changed: i64| {
        let name = |at: i64| chars(&format!("property_{at}"));
        let properties = (0..100).map(|at| (name(at), Value::Int(if at == 50 { changed } else { at }))).collect();
        Value::Object { class: chars("Node"), properties }
    };
    assert_eq!(shown(&object(1), &object(2)), ["set .property_50: 1 -> 2"]);
}
