use super::*;

fn shown(text: &str) -> Wanted {
    Wanted::Shown(text.into())
}

fn keys(text: &str) -> Vec<Wanted> {
    parse(text, Dialect::GODOT_4).expect("a path")
}

fn string(text: &str) -> Wanted {
    key(Event::String(Text::Utf8(text)), Dialect::GODOT_4).expect("a String")
}

#[test]
fn every_step_is_read() {
    let int = |value| key(Event::Int(value), Dialect::GODOT_4).expect("an int");
    assert_eq!(keys(""), []);
    assert_eq!(keys(r#" inside [3]["pos"].x"#), [int(3), string("pos"), string("x")]);
    assert_eq!(keys(r#"["a]\"[\\\n\u00e9"]"#), [string("a]\"[\\\n\u{e9}")]);
    assert_eq!(keys(r#".two\nlines.a"b"#), [string("two\nlines"), string("a\"b")]);
    assert_eq!(keys(r#"player.pos[3]."a b""#), [string("player"), string("pos"), int(3), string("a b")]);
    assert_eq!(keys("[-7][key 2]"), [int(-7), Wanted::KeyOf(2)]);
    assert_eq!(keys("[Vector2i(1, 2)][Array]"), [shown("Vector2i(1, 2)"), shown("Array")]);
    assert_eq!(keys(r#"["abc"...]"#), [shown("\"abc\"...")]);
    assert_eq!(keys(r#".metadata/x."a.b".name..."#), [string("metadata/x"), string("a.b"), shown("name...")]);
    for (text, event) in [
        ("[null]", Event::Nil),
        ("[true]", Event::Bool(true)),
        ("[1.5]", Event::Float(1.5)),
        ("[1e300]", Event::Float(1e300)),
        ("[-inf]", Event::Float(f64::NEG_INFINITY)),
        (r#"[&"a"]"#, Event::StringName(Text::Utf8("a"))),
    ] {
        assert_eq!(keys(text), [key(event, Dialect::GODOT_4).expect("a key")], "{text}");
    }
}

#[test]
fn what_is_no_path_is_refused() {
    for text in ["[0]a", "[", "[\"a]", ".", "..a", "[0]x", ".a[", "[0]...5 more...[1]", ".\"a"] {
        let error = parse(text, Dialect::GODOT_4).expect_err(text);
        assert!(error.starts_with("expected ") && error.contains(" at byte "), "{text}: {error}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    for name in ["a", "metadata/x", "a.b", "a[0]", "", "\"", "a\\b", "two\nlines", "\u{202e}", "é ü"] {
        let Wanted::Key(bytes) = string(name) else { panic!("a String") };
        for of in [PathStep::Property(Text::Utf8(name)), PathStep::Key(&bytes)] {
            let step = step(of, Dialect::GODOT_4);
            assert_eq!(keys(&step), [string(name)], "{step}");
        }
    }
}
