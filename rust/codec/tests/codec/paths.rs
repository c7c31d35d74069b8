//! Guards: an error says inside what it is, to the letter.

use proptest::prelude::*;
use varbatch_codec::{CodecError, CodecErrorKind, Kind, Path, Reader, Step, Text, Width};

use crate::support::naive;
use crate::support::steps::rest;
use crate::support::value::{Chars, Value, any_value, cases};
use crate::support::vectors::hex;

/// What stands behind the byte in the error of these bytes, where objects are allowed.
fn behind(bytes: &[u8]) -> String {
    let error = rest(&mut Reader::new(bytes).with_base(100).with_objects(true)).expect_err("a bad value");
    let text = error.to_string();
    let (_, behind) = text.split_once(&format!(", at byte {}", error.at())).expect("a place");
    assert_eq!(behind, error.path().to_string());
    behind.into()
}

/// A type that is none, as a value.
const BROKEN: [u8; 4] = [39, 0, 0, 0];

/// The bytes of a value in which the last [`HERE`] is broken.
fn broken(value: &Value) -> Vec<u8> {
    let mut bytes = naive::value(value);
    // The last, as a count may be the same number.
    let at = (0..bytes.len()).step_by(4).rfind(|&at| bytes[at..at + 4] == MARK).expect("a value to break");
    bytes[at..at + 4].copy_from_slice(&BROKEN);
    bytes
}

/// The value to break: a Callable, so that others may be null.
const HERE: Value = Value::Callable;
const MARK: [u8; 4] = [25, 0, 0, 0];

fn object(properties: Vec<(&str, Value)>) -> Value {
    Value::object("A", properties)
}

#[test]
fn a_value_that_is_in_nothing_has_no_path() {
    assert_eq!(behind(&BROKEN), "");
    assert_eq!(behind(&hex("22000000 01000000 01000000 ff000000")), "", "an element of a packed array");
    assert_eq!(behind(&hex("18000000 01000000 41000000 01000000 01000000 ff000000")), "", "the name of a property");
    // What is wrong with a container itself is not inside of it.
    assert_eq!(behind(&hex("1c000000 05000000")), "");
    assert_eq!(behind(&hex("1c000100 ffffffff 05000000")), "");
}

#[test]
fn keys_are_shown_as_in_a_script() {
    let long = "0123456789abcdef0123456789abcdef01234567";
    for (key, expected) in [
        (Value::string("inventory"), "[\"inventory\"]".to_string()),
        (Value::string(""), "[\"\"]".into()),
        // Its own dots, not those of a longer text.
        (Value::string("a..."), "[\"a...\"]".into()),
        (Value::string("a\"b\\\n"), r#"["a\"b\\\n"]"#.into()),
        (Value::string("日"), "[\"日\"]".into()),
        (Value::string("\u{1}\r\t\u{7f}\u{301}\u{fffd}"), "[\"\\u0001\\r\\t\\u007f\u{301}\u{fffd}\"]".into()),
        (
            Value::string("a\u{202e}b\u{200f}\u{2066}\u{2028}\u{61c}\u{ad}"),
            "[\"a\\u202eb\\u200f\\u2066\\u2028\\u061c\\u00ad\"]".into(),
        ),
        (Value::string(long), format!("[\"{long}\"]")),
        (Value::string(&format!("{long}8")), format!("[\"{long}\"...]")),
        (Value::string(&"é".repeat(41)), format!("[\"{}\"...]", "é".repeat(40))),
        (Value::name("sn"), "[&\"sn\"]".into()),
        (Value::name(&format!("{long}8")), format!("[&\"{long}\"...]")),
        (Value::Float(1.0), "[1.0]".into()),
        (object(vec![("a", Value::Int(1))]), "[Object]".into()),
    ] {
        let value =
            Value::dictionary(vec![(Value::Int(-7), Value::Int(-7)), (key.clone(), HERE), (Value::Nil, Value::Nil)]);
        assert_eq!(behind(&broken(&value)), format!(" inside {expected}"), "{key:?}");
        // Where something inside of the value of the key is wrong.
        let inside = Value::dictionary(vec![(key, Value::array(vec![Value::Nil, HERE]))]);
        assert_eq!(behind(&broken(&inside)), format!(" inside {expected}[1]"));
    }
}

#[test]
fn properties_go_by_their_names() {
    let long = "é".repeat(41);
    assert_eq!(behind(&broken(&object(vec![(&long, HERE)]))), format!(" inside .{}...", "é".repeat(40)));
    assert_eq!(behind(&broken(&object(vec![("a\n\"", HERE)]))), " inside .a\\n\\\"");
    // A name that is broken is not the one before it.
    let bytes =
        hex("1c000000 01000000 18000000 01000000 41000000 02000000 01000000 61000000 00000000 01000000 ff000000");
    assert_eq!(behind(&bytes), " inside [0]");
}

#[test]
fn long_paths_are_shown_at_both_ends() {
    let nested = |depth: usize| {
        let inner = |inner, index| Value::array([vec![Value::Nil; index], vec![inner]].concat());
        behind(&broken(&(0..depth).rev().fold(HERE, inner)))
    };
    let steps = |range: std::ops::Range<usize>| range.map(|index| format!("[{index}]")).collect::<String>();
    for depth in [1, 2, 15, 16] {
        assert_eq!(nested(depth), format!(" inside {}", steps(0..depth)));
    }
    for depth in [17, 18, 30] {
        let (first, last) = (steps(0..8), steps(depth - 8..depth));
        assert_eq!(nested(depth), format!(" inside {first}...{} more...{last}", depth - 16));
    }
}

#[test]
fn texts_and_counts_inside_of_containers_have_the_path_of_their_value() {
    let entry = |value: &str| format!("1b000000 01000000 04000000 01000000 61000000 {value}");
    let property = |value: &str| format!("18000000 01000000 41000000 01000000 01000000 61000000 {value}");
    for value in [
        "04000000 01000000 ff000000",
        "22000000 01000000 01000000 ff000000",
        "16000000 01000080 00000000 00000000 01000000 ff000000",
        "1a000000 01000000 ff000000",
        "1e000000 ffffffff",
        "1c000000 05000000",
        "1c000100 27000000",
        "1b000000 05000000",
        "18000000 01000000 41000000 05000000",
        "18000000 01000000 41000000 01000000 01000000 ff000000",
        "02000000",
    ] {
        assert_eq!(behind(&hex(&entry(value))), " inside [\"a\"]", "{value}");
        assert_eq!(behind(&hex(&property(value))), " inside .a", "{value}");
    }
    assert_eq!(behind(&hex("1b000000 01000000 04000000 01000000 ff000000 00000000")), " inside [key 0]");
}

#[test]
fn a_caller_adds_steps_from_the_inside_out() {
    let error = Reader::new(&[]).with_base(7).next_event().expect_err("no header");
    let steps = [Step::Index(2), Step::Key("\"a\"".into()), Step::KeyOf(4), Step::to_property(Text::Utf8("prop"))];
    let error = steps.clone().into_iter().fold(error, CodecError::within);
    assert!(error.path().steps().eq(steps.iter().rev()), "outermost first");
    let expected = "expected 4 more bytes for a header, found 0, at byte 7 inside .prop[key 4][\"a\"][2]";
    assert_eq!(error.to_string(), expected);
    assert_eq!(Path::default().to_string(), "");
}

/// A text on one line, and what stands for the rest of it.
fn escaped(chars: &Chars) -> (String, &'static str) {
    let text = chars.iter().take(40).map(|&c| match c {
        0x22 => "\\\"".into(),
        0x5c => "\\\\".into(),
        0x0a => "\\n".into(),
        0x0d => "\\r".into(),
        0x09 => "\\t".into(),
        0..0x20 | 0x7f..0xa0 | 0xad | 0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x2069 | 0xfeff => {
            format!("\\u{c:04x}")
        }
        c => char::from_u32(c).expect("a character").to_string(),
    });
    (text.collect(), if chars.len() > 40 { "..." } else { "" })
}

/// How a key is shown: see above.
fn shown(key: &Value) -> String {
    let quoted = |chars: &Chars| {
        let (text, rest) = escaped(chars);
        format!("\"{text}\"{rest}")
    };
    match key {
        Value::String(chars) => quoted(chars),
        Value::StringName(chars) => format!("&{}", quoted(chars)),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Bool(value) => value.to_string(),
        Value::Nil => "null".into(),
        other => Kind::from_id(naive::value(other)[0]).expect("a kind").name().into(),
    }
}

/// The place of each value, and its path.
fn paths(value: &Value, at: usize, path: &str, found: &mut Vec<(usize, String)>) {
    found.push((at, path.into()));
    let len = |value: &Value| naive::value(value).len();
    let parts = match value {
        Value::Array { elements, .. } => elements.iter().collect(),
        Value::Dictionary { entries, .. } => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
        Value::Object { properties, .. } => properties.iter().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    };
    // From the end, as the values are the last that is in a container.
    let mut end = at + len(value);
    for (index, part) in parts.into_iter().enumerate().rev() {
        end -= len(part);
        let step = match value {
            Value::Dictionary { .. } if index % 2 == 0 => format!("[key {}]", index / 2),
            Value::Dictionary { entries, .. } => format!("[{}]", shown(&entries[index / 2].0)),
            Value::Object { properties, .. } => {
                let (name, rest) = escaped(&properties[index].0);
                format!(".{name}{rest}")
            }
            _ => format!("[{index}]"),
        };
        paths(part, end, &format!("{path}{step}"), found);
        if let Value::Object { properties, .. } = value {
            let name = naive::utf8(&properties[index].0).len();
            end -= 4 + name.next_multiple_of(4);
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn each_value_is_found_again_by_its_place(value in any_value(Width::Single)) {
        let bytes = naive::value(&value);
        let mut all = Vec::new();
        paths(&value, 0, "", &mut all);
        for (at, path) in all {
            let mut reader = Reader::new(&bytes).with_base(1000).with_objects(true);
            reader.next_event().expect("reads");
            let inside = if path.is_empty() { String::new() } else { format!(" inside {path}") };
            prop_assert_eq!(reader.path_at(at).to_string(), &inside[..]);
            let error = reader.error_at(at, CodecErrorKind::ObjectRefused);
            prop_assert_eq!((error.at(), error.path().to_string()), (1000 + at, inside.clone()));
            // An error there has this path as well.
            let mut bytes = bytes.clone();
            bytes[at] = 39;
            let error = rest(&mut Reader::new(&bytes).with_objects(true)).expect_err("broken");
            prop_assert_eq!((error.at(), error.path().to_string()), (at, inside));
        }
    }
}
