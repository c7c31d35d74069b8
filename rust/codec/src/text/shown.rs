//! Text as errors and paths show it: on one line, and not longer than a line can take.

use crate::event::Text;

/// Characters of a text that an error shows.
const SHOWN_CHARS: usize = 40;

/// What stands for the rest of a long text.
const ELLIPSIS: &str = "...";

/// Text as an error shows it: quoted as in JSON.
pub(crate) fn quoted(text: Text<'_>) -> String {
    let escaped = escaped(text);
    match escaped.strip_suffix(ELLIPSIS) {
        Some(escaped) => format!("\"{escaped}\"{ELLIPSIS}"),
        None => format!("\"{escaped}\""),
    }
}

/// Text on one line, with escapes as in JSON, and not longer than a line can take.
pub(crate) fn escaped(text: Text<'_>) -> String {
    let chars: Vec<char> = match text {
        Text::Utf8(text) => text.chars().take(SHOWN_CHARS + 1).collect(),
        Text::Loose(text) => text.chars().take(SHOWN_CHARS + 1).collect(),
        Text::Utf32(chars) => {
            chars.iter().take(SHOWN_CHARS + 1).map(|&c| char::from_u32(c).unwrap_or('\u{fffd}')).collect()
        }
    };
    let mut escaped = String::new();
    for &c in chars.iter().take(SHOWN_CHARS) {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '\t' => escaped += "\\t",
            // What would turn the order of a line round, or cannot be seen.
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
                escaped += &format!("\\u{:04x}", u32::from(c));
            }
            c if c.is_control() => escaped += &format!("\\u{:04x}", u32::from(c)),
            c => escaped.push(c),
        }
    }
    if chars.len() > SHOWN_CHARS {
        escaped += ELLIPSIS;
    }
    escaped
}
