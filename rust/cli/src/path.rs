//! Paths as text: what leads to a value, complete, and read again from the command line.
//!
//! What is written here, what `show` prints and what error messages print can all be read. Messages shorten long keys
//! and names, and show some keys only by their type: such a step leads to the only key that is shown like this.

use varbatch_codec::describe::Way;
use varbatch_codec::lookup::Seek;
use varbatch_codec::{Dialect, Event, Reader, Step, Text, Writer, diff};

use crate::leaf;

/// What stands for the rest of a text.
const CUT: &str = "...";

/// A path that is written step by step.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    text: String,
    /// Where the path to the outermost value ends, and to the value at each depth.
    base: usize,
    ends: Vec<usize>,
}

impl Trail {
    /// A trail whose outermost value has this path.
    pub fn from(text: String) -> Self {
        Self { base: text.len(), text, ends: Vec::new() }
    }

    /// The path of the last value.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path of the value at this depth, in which the last one lies.
    pub fn around(&self, depth: usize) -> &str {
        &self.text[..self.ends[depth]]
    }

    /// Goes on to the next value, at this depth.
    pub fn step(&mut self, depth: usize, way: Way<'_>) {
        self.ends.truncate(depth);
        self.text.truncate(self.ends.last().copied().unwrap_or(self.base));
        self.text += &step(way);
        self.ends.push(self.text.len());
    }
}

/// A step, complete.
pub fn step(way: Way<'_>) -> String {
    match way {
        Way::Root => String::new(),
        Way::Index(index) => format!("[{index}]"),
        Way::Key { kind, event, .. } => format!("[{}]", leaf::key(kind, event, usize::MAX)),
        Way::Property(name) => {
            let name = name.to_utf8();
            let is_plain = !name.is_empty() && !name.contains(['.', '[', ']', '"', '\\']);
            let escaped = leaf::escaped(&name, usize::MAX);
            if is_plain && escaped == name { format!(".{name}") } else { format!(".\"{escaped}\"") }
        }
    }
}

/// The path of a change.
pub fn of_change(steps: &[diff::Step<'_>]) -> String {
    steps.iter().map(|step| self::step(way(step))).collect()
}

fn way<'a>(step: &diff::Step<'a>) -> Way<'a> {
    match *step {
        diff::Step::Index(index) => Way::Index(index),
        diff::Step::Property(name) => Way::Property(name),
        diff::Step::Key(bytes) => {
            let mut reader = Reader::new(bytes).allow_objects(true);
            let kind = reader.peek_kind().expect("it was read before");
            Way::Key { bytes, kind, event: reader.next_event().ok().flatten().expect("it was read before") }
        }
    }
}

/// A step that was read.
#[derive(Debug, PartialEq)]
pub enum Wanted {
    /// What this encoded value leads to.
    Key(Vec<u8>),
    /// What is shown like this.
    Shown(String),
    /// The key of an entry.
    KeyOf(usize),
}

/// Reads a path.
///
/// # Errors
/// What was expected, and where in the text.
pub fn parse(text: &str, dialect: Dialect) -> Result<Vec<Wanted>, String> {
    let (mut steps, mut rest) = (Vec::new(), text);
    rest = rest.trim();
    rest = rest.strip_prefix("inside ").unwrap_or(rest);
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let expected = |what: &str| format!("expected {what} at byte {at} of the path, found {rest}");
        let (step, behind) = if let Some(inner) = rest.strip_prefix('[') {
            let len = bracket(inner).ok_or_else(|| expected("a step that ends with ]"))?;
            (in_brackets(&inner[..len], dialect), &inner[len + 1..])
        } else if rest.starts_with(CUT) {
            return Err(expected("all steps, as a message that leaves some out leads nowhere,"));
        } else if let Some(name) = rest.strip_prefix('.') {
            let (name, len) = property(name).ok_or_else(|| expected("the name of a property"))?;
            (name, &rest[1 + len..])
        } else {
            return Err(expected("[ or ."));
        };
        steps.push(match step {
            Token::Text(text, false) => key(Event::String(Text::Utf8(&text)), dialect).unwrap_or(Wanted::Shown(text)),
            Token::Text(text, true) => Wanted::Shown(text),
            Token::Wanted(wanted) => wanted,
        });
        rest = behind;
    }
    Ok(steps)
}

impl Wanted {
    /// As a lookup takes it. `is` is [`Self::is`].
    pub fn seek<'p>(&'p self, is: &'p dyn Fn(Way<'_>) -> bool) -> Seek<'p> {
        match self {
            Self::Key(bytes) => Seek::Key(bytes),
            Self::Shown(name) => Seek::Where { is, name },
            Self::KeyOf(entry) => Seek::KeyOf(*entry),
        }
    }

    /// Whether a key or name is shown like this, by a message, by `show` or in a path.
    pub fn is(&self, way: Way<'_>) -> bool {
        let Self::Shown(wanted) = self else { return false };
        match way {
            Way::Property(_) | Way::Key { .. } => {
                let inner = |text: &str| text.trim_start_matches(['.', '[']).trim_end_matches(']') == wanted;
                way.step().is_some_and(|step| match step {
                    Step::Key(text) | Step::Property(text) => text == *wanted,
                    _ => false,
                }) || leaf::way(way).trim_start_matches('.') == wanted
                    || inner(&step(way))
            }
            _ => false,
        }
    }
}

/// A part of a path.
enum Token {
    /// A text, and whether it was cut.
    Text(String, bool),
    Wanted(Wanted),
}

/// Where the bracket ends that is open.
fn bracket(text: &str) -> Option<usize> {
    let (mut chars, mut in_text, mut depth) = (text.char_indices(), false, 0);
    while let Some((at, char)) = chars.next() {
        match (char, in_text) {
            ('\\', true) => _ = chars.next(),
            ('"', _) => in_text = !in_text,
            ('[', false) => depth += 1,
            (']', false) if depth == 0 => return Some(at),
            (']', false) => depth -= 1,
            _ => {}
        }
    }
    None
}

fn in_brackets(inner: &str, dialect: Dialect) -> Token {
    let shown = || Token::Wanted(Wanted::Shown(inner.into()));
    let key = |event: Event<'_>| key(event, dialect).map_or_else(shown, Token::Wanted);
    if let Some(text) = quoted(inner) {
        return key(Event::String(Text::Utf8(&text)));
    }
    if let Some(text) = inner.strip_prefix('&').and_then(quoted) {
        // Not every dialect has a StringName.
        return key(Event::StringName(Text::Utf8(&text)));
    }
    if let Some(entry) = inner.strip_prefix("key ").and_then(|entry| entry.parse().ok()) {
        return Token::Wanted(Wanted::KeyOf(entry));
    }
    if let Ok(value) = inner.parse() {
        return key(Event::Int(value));
    }
    match inner {
        "null" => key(Event::Nil),
        "true" => key(Event::Bool(true)),
        "false" => key(Event::Bool(false)),
        // A word that is no number is a type, though some words are.
        "nan" | "NaN" | "inf" | "-inf" => key(Event::Float(inner.parse().expect("a number"))),
        _ if inner.contains(|char: char| char.is_ascii_digit()) => match inner.parse() {
            Ok(value) => key(Event::Float(value)),
            Err(_) => shown(),
        },
        _ => shown(),
    }
}

/// The name behind a dot, and how long it is.
fn property(text: &str) -> Option<(Token, usize)> {
    if let Some(inner) = text.strip_prefix('"') {
        let mut end = 1;
        let mut chars = inner.char_indices();
        while let Some((at, char)) = chars.next() {
            match char {
                '\\' => _ = chars.next(),
                '"' => {
                    end = 1 + at + 1;
                    break;
                }
                _ => {}
            }
        }
        return quoted(&text[..end]).map(|name| (Token::Text(name, false), end));
    }
    let len = text.find(['.', '[']).unwrap_or(text.len());
    if len == 0 {
        return None;
    }
    if text[len..].starts_with(CUT) {
        let end = len + CUT.len();
        return Some((Token::Text(text[..end].into(), true), end));
    }
    Some((Token::Text(unescape(&text[..len])?, false), len))
}

/// An encoded key, if the engine has its type.
fn key(event: Event<'_>, dialect: Dialect) -> Option<Wanted> {
    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    writer.write(event).and_then(|()| writer.end_value(start)).ok()?;
    Some(Wanted::Key(writer.into_plan().to_vec()))
}

/// The text of a literal that takes all of `text`.
fn quoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    unescape(inner).filter(|_| bracket(&format!("{text}]")) == Some(text.len()))
}

fn unescape(text: &str) -> Option<String> {
    let (mut plain, mut chars) = (String::new(), text.chars());
    while let Some(char) = chars.next() {
        if char != '\\' {
            plain.push(char);
            continue;
        }
        plain.push(match chars.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let digits: String = chars.by_ref().take(4).collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            char @ ('"' | '\\') => char,
            _ => return None,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use varbatch_codec::Kind;

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
        for text in ["a", "[", "[\"a]", ".", "..a", "[0]x", ".a[", "[0]...5 more...[1]", ".\"a"] {
            let error = parse(text, Dialect::GODOT_4).expect_err(text);
            assert!(error.starts_with("expected ") && error.contains(" at byte "), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for name in ["a", "metadata/x", "a.b", "a[0]", "", "\"", "a\\b", "two\nlines", "\u{202e}", "é ü"] {
            let way = Way::Property(Text::Utf8(name));
            assert_eq!(keys(&step(way)), [string(name)], "{}", step(way));
            let way = Way::Key { bytes: &[], kind: Kind::String, event: Event::String(Text::Utf8(name)) };
            assert_eq!(keys(&step(way)), [string(name)], "{}", step(way));
        }
    }
}
