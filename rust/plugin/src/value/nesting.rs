//! How deep the parts of a shader or of an expression are nested: the engine takes some of its stack for each level, also for an
//! operator behind another one.

use foldhash::HashMap;

/// Max levels within each other. Godot 4.6 dies of 6,000 calls or brackets, and of 14,000 operators.
const MAX_LEVELS: usize = 1024;

/// What a statement in another one counts for, also each in a chain of `else`: 500 of these take the engine 6 s.
const STATEMENT: usize = 4;

/// How often macros are sought in those that use them.
const MAX_MACROS: usize = 8;

/// True if few brackets, operators and statements are within each other at the same time, with those in macros.
pub fn is_shallow(text: &str) -> bool {
    let text = without_comments(text);
    let macros = Macros::of(&text);
    // The levels in each bracket that is open, and in all of them.
    let (mut open, mut levels, mut has_ended) = (vec![0], 0_usize, false);
    for token in tokens(&text).filter(|token| !token.starts_with('#')) {
        let (weight, goes_on) = macros.weight(token);
        let is_inside = open.len() > 1;
        let top = open.last_mut().expect("there is one outside of all brackets");
        if has_ended && !goes_on {
            levels -= std::mem::take(top);
        }
        has_ended = matches!(token, ";" | "}");
        match token {
            "," => levels -= std::mem::take(top),
            ")" | "]" | "}" if is_inside => levels -= open.pop().unwrap_or_default() + 1,
            "(" | "[" | "{" => {
                levels += 1;
                open.push(0);
            }
            _ => {
                *top += weight;
                levels += weight;
            }
        }
        if levels > MAX_LEVELS {
            return false;
        }
    }
    true
}

/// What each macro counts for, and whether it may go on with a statement.
struct Macros<'t>(HashMap<&'t str, (usize, bool)>);

impl<'t> Macros<'t> {
    fn of(text: &'t str) -> Self {
        let mut macros = Self(HashMap::default());
        let directives = tokens(text).filter_map(|token| token.strip_prefix('#')?.trim_start().strip_prefix("define"));
        let defined: Vec<_> = directives.filter_map(|line| Some((tokens(line).next()?, line))).collect();
        for _ in 0..if defined.is_empty() { 0 } else { MAX_MACROS } {
            for (name, line) in &defined {
                let (mut weight, mut goes_on) = (0, false);
                for token in tokens(line).skip(1) {
                    let part = macros.weight(token);
                    weight += part.0 + usize::from("([{".contains(token));
                    goes_on |= part.1;
                }
                macros.0.insert(name, (weight.min(MAX_LEVELS + 1), goes_on));
            }
        }
        macros
    }

    fn weight(&self, token: &str) -> (usize, bool) {
        match token {
            // Both may stand behind what ends a statement in theirs.
            "else" | "while" => (STATEMENT, true),
            "if" | "for" | "do" | "switch" => (STATEMENT, false),
            _ if token.len() == 1 && "+-*/%!~?:<>=&|^.".contains(token) => (1, false),
            _ => self.0.get(token).copied().unwrap_or_default(),
        }
    }
}

/// Returns words, numbers, lines from a `#` on, and all other characters but spaces.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '#' => rest.find('\n'),
            '0'..='9' => rest.find(|char: char| !is_word(char) && char != '.'),
            _ if is_word(first) => rest.find(|char: char| !is_word(char)),
            _ => Some(first.len_utf8()),
        };
        let token;
        (token, rest) = rest.split_at(end.unwrap_or(rest.len()));
        Some(token)
    })
}

/// Returns a text without comments, and without the ends of lines that go on.
fn without_comments(text: &str) -> String {
    let (mut result, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['/', '\\']) {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        let (len, part) = match rest.as_bytes() {
            [b'/', b'/', ..] => (rest.find('\n').unwrap_or(rest.len()), ""),
            [b'/', b'*', ..] => (rest[2..].find("*/").map_or(rest.len(), |end| end + 4), " "),
            [b'\\', b'\n', ..] => (2, " "),
            [b'\\', b'\r', b'\n', ..] => (3, " "),
            _ => (1, &rest[..1]),
        };
        result.push_str(part);
        rest = &rest[len..];
    }
    result + rest
}
