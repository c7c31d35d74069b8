//! Formats text for errors and paths: on one line, cut if it is too long.

use crate::event::Text;

/// Max characters of a text that an error shows.
pub(crate) const SHOWN_CHARS: usize = 40;

const ELLIPSIS: &str = "...";

/// Quotes `text` as in JSON, up to `max_chars` characters. The ellipsis of a longer text follows the closing quote.
pub fn quoted(text: Text<'_>, max_chars: usize) -> String {
    let (escaped, rest) = cut(text, max_chars);
    format!("\"{escaped}\"{rest}")
}

/// Escapes `text` as in JSON, without quotes, up to `max_chars` characters. An ellipsis follows a longer text.
pub fn escaped(text: Text<'_>, max_chars: usize) -> String {
    let (escaped, rest) = cut(text, max_chars);
    escaped + rest
}

/// Escapes the characters of `text` that a terminal must not get, and nothing else.
pub fn visible(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    text.chars().for_each(|char| push_visible(char, &mut escaped));
    escaped
}

/// Appends a character, escaped if it turns the text's direction, breaks the line, is invisible or controls a terminal. The
/// joiners U+200C and U+200D stay: words and emoji need them.
fn push_visible(char: char, out: &mut String) {
    let is_format = matches!(
        char,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    );
    if is_format || char.is_control() { *out += &format!("\\u{:04x}", u32::from(char)) } else { out.push(char) }
}

fn cut(text: Text<'_>, max_chars: usize) -> (String, &'static str) {
    let text = text.to_utf8();
    let mut chars = text.chars();
    let mut escaped = String::new();
    for char in chars.by_ref().take(max_chars) {
        match char {
            '"' | '\\' => escaped.extend(['\\', char]),
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '\t' => escaped += "\\t",
            char => push_visible(char, &mut escaped),
        }
    }
    (escaped, if chars.next().is_some() { ELLIPSIS } else { "" })
}
