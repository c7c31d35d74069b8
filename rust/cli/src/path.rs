//! Paths as text: written in full, and read from the command line.
//!
//! Paths that are written here, by `show` or in error messages can all be read. Messages shorten long keys and names, and
//! show some keys only by their type: such a step leads to the only key that is shown like this.

use varbatch_codec::lookup::{Key, Seek};
use varbatch_codec::quote::{escaped, visible};
use varbatch_codec::{Dialect, Event, PathStep, Step, Text, Writer};

use crate::value;

const DOTS: &str = "...";

pub fn step(step: PathStep<'_>, dialect: Dialect) -> String {
    match step {
        PathStep::Index(index) => format!("[{index}]"),
        PathStep::Key(bytes) => format!("[{}]", value::key(bytes, dialect, usize::MAX)),
        PathStep::Property(name) => {
            let name = name.to_utf8();
            let is_plain = !name.is_empty() && !name.contains(['.', '[', ']', '"', '\\']);
            let escaped = escaped(Text::Utf8(&name), usize::MAX);
            if is_plain && escaped == name { format!(".{name}") } else { format!(".\"{escaped}\"") }
        }
    }
}

#[derive(Debug, PartialEq)]
pub enum Wanted {
    /// The value of this key, which is encoded.
    Key(Vec<u8>),
    /// The value of the key or property that is shown like this.
    Shown(String),
    KeyOf(usize),
}

/// Reads a path. If the text is none, the error says what was expected, and at which byte.
pub fn parse(text: &str, dialect: Dialect) -> Result<Vec<Wanted>, String> {
    let (mut steps, mut rest) = (Vec::new(), text.trim());
    rest = rest.strip_prefix("inside ").unwrap_or(rest);
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let expected = |what: &str| format!("expected {what} at byte {at} of the path, found {rest}");
        let (step, len) = if let Some(inner) = rest.strip_prefix('[') {
            let len = bracket(inner).ok_or_else(|| expected("a step that ends with ]"))?;
            (in_brackets(&inner[..len], dialect), len + 2)
        } else if rest.starts_with(DOTS) {
            return Err(expected("a path without steps left out"));
        } else if let Some(name) = rest.strip_prefix('.') {
            let (step, len) = property(name, dialect).ok_or_else(|| expected("the name of a property"))?;
            (step, len + 1)
        } else if steps.is_empty() {
            property(rest, dialect).ok_or_else(|| expected("a name, [ or ."))?
        } else {
            return Err(expected("[ or ."));
        };
        steps.push(step);
        rest = &rest[len..];
    }
    Ok(steps)
}

impl Wanted {
    /// The same for a lookup. `is` calls [`Self::is`].
    pub fn seek<'p>(&'p self, is: &'p dyn Fn(PathStep<'_>) -> bool, dialect: Dialect) -> Seek<'p> {
        match self {
            Self::Key(bytes) => Seek::Key(Key::of(bytes, dialect).expect("it was encoded")),
            Self::Shown(name) => Seek::Where { is, name },
            Self::KeyOf(entry) => Seek::KeyOf(*entry),
        }
    }

    /// True if a key or name is shown like this by a message, by `show` or in a path.
    pub fn is(&self, step: PathStep<'_>, dialect: Dialect) -> bool {
        let Self::Shown(wanted) = self else { return false };
        let in_message = match step.shown(dialect) {
            Step::Key(text) | Step::Property(text) => text,
            Step::Index(_) | Step::KeyOf(_) => return false,
        };
        let (in_tree, in_path) = (value::step(step, dialect), self::step(step, dialect));
        let in_brackets = in_path.strip_prefix('[').and_then(|key| key.strip_suffix(']'));
        let is = |shown: &str| without_spaces(shown) == without_spaces(wanted);
        is(&in_message)
            || is(in_tree.trim_start_matches('.'))
            || is(in_brackets.unwrap_or(in_path.trim_start_matches('.')))
    }
}

/// A text without the spaces that are not in quotes.
fn without_spaces(text: &str) -> String {
    let parts = text.split('"').enumerate();
    parts.map(|(i, part)| if i % 2 == 0 { part.replace(' ', "") } else { format!("\"{part}\"") }).collect()
}

/// Returns where the open bracket ends.
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

fn in_brackets(inner: &str, dialect: Dialect) -> Wanted {
    if let Some(entry) = inner.strip_prefix("key ").and_then(|entry| entry.parse().ok()) {
        return Wanted::KeyOf(entry);
    }
    let (text, name) = (quoted(inner), inner.strip_prefix('&').and_then(quoted));
    let event = match inner {
        "null" => Some(Event::Nil),
        "true" | "false" => Some(Event::Bool(inner == "true")),
        // A word that is no number names a type, though Rust reads some as numbers.
        "nan" | "NaN" | "inf" | "-inf" => inner.parse().ok().map(Event::Float),
        _ if text.is_some() => text.as_deref().map(|text| Event::String(Text::Utf8(text))),
        _ if name.is_some() => name.as_deref().map(|name| Event::StringName(Text::Utf8(name))),
        _ if inner.contains(|char: char| char.is_ascii_digit()) => {
            inner.parse().map(Event::Int).or_else(|_| inner.parse().map(Event::Float)).ok()
        }
        _ => None,
    };
    event.and_then(|event| key(event, dialect)).unwrap_or_else(|| Wanted::Shown(inner.into()))
}

/// Reads the name after a dot. Returns its length too.
fn property(text: &str, dialect: Dialect) -> Option<(Wanted, usize)> {
    let name = |name: &str| key(Event::String(Text::Utf8(name)), dialect);
    if text.starts_with('"') {
        // It ends at the first quote that makes it a literal: those before are escaped.
        let mut ends = text.match_indices('"').skip(1).map(|(at, _)| at + 1);
        return ends.find_map(|end| Some((name(&quoted(&text[..end])?)?, end)));
    }
    let len = text.find(['.', '[']).unwrap_or(text.len());
    if len > 0 && text[len..].starts_with(DOTS) {
        let end = len + DOTS.len();
        return Some((Wanted::Shown(text[..end].into()), end));
    }
    let plain = &text[..len];
    let unescaped = if plain.contains('\\') { quoted(&format!("\"{plain}\"")) } else { Some(plain.into()) };
    Some((name(&unescaped.filter(|name| !name.is_empty())?)?, len))
}

/// Encodes a key, if the engine has its type.
fn key(event: Event<'_>, dialect: Dialect) -> Option<Wanted> {
    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    writer.write(event).and_then(|()| writer.end_value(start)).ok()?;
    Some(Wanted::Key(writer.into_plan().into_vec()))
}

/// Returns the content of a literal that takes all of `text`. Control characters need not be escaped in it.
fn quoted(text: &str) -> Option<String> {
    serde_json::from_str(&visible(text)).ok()
}

#[cfg(test)]
#[path = "../tests/unit/path.rs"]
mod tests;
