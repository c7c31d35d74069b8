//! Text in errors and paths: on one line, and cut where a line would get too long.

use crate::event::Text;

/// Max characters of a text that an error shows.
const SHOWN_CHARS: usize = 40;

/// Stands for the rest of a long text.
const ELLIPSIS: &str = "...";

/// Quotes `text` as in JSON. The ellipsis of a long text follows the closing quote.
pub(crate) fn quoted(text: Text<'_>) -> String {
    let escaped = escaped(text);
    match escaped.strip_suffix(ELLIPSIS) {
        Some(escaped) => format!("\"{escaped}\"{ELLIPSIS}"),
        None => format!("\"{escaped}\""),
    }
}

/// Escapes `text` as in JSON, without quotes, up to [`SHOWN_CHARS`] characters.
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
            // Marks that reverse the reading direction, break the line or are invisible.
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
