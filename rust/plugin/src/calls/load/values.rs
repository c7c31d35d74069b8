//! What a load gives to scripts: all values of a file, or the one that it holds.

use godot::global::Error as EngineError;

use crate::calls::files::Failure;
use crate::engine::{OwnArray, Slot};
use crate::report::Line;

/// The values of a file, what there is to print about it, and `OK` or the code for it.
pub type Values = (OwnArray, Vec<Line>, EngineError);

/// All values; none of a file that cannot be opened.
pub fn all(loaded: Result<Values, Failure>) -> Values {
    loaded.unwrap_or_else(|Failure { code, text }| (OwnArray::new(0), vec![Line::error(text)], code))
}

/// The value of a file that holds one. The default, and at most one line, if there is none, or one that is damaged.
pub fn only(path: &str, loaded: Result<Values, Failure>, default: Slot) -> (Slot, Vec<Line>, EngineError) {
    let is_missing = |failure: &Failure| failure.code == EngineError::ERR_FILE_NOT_FOUND;
    let (mut values, mut lines, code) = match loaded {
        // A game that was never saved.
        Err(failure) if is_missing(&failure) => return (default, Vec::new(), failure.code),
        loaded => all(loaded),
    };
    if code != EngineError::OK {
        lines.retain(|line| !line.is_warning);
        lines.truncate(1);
        return (default, lines, code);
    }
    let values = values.elements();
    let count = values.len();
    let Some(first) = values.first_mut() else {
        let line = Line::error(format_args!("\"{path}\": expected a value, found an empty file"));
        return (default, vec![line], EngineError::ERR_FILE_EOF);
    };
    if count > 1 {
        let text =
            format_args!("\"{path}\": expected one value, found {count}: load_vars gives all, this is the first");
        lines.push(Line::warning(text));
    }
    (std::mem::replace(first, Slot::new()), lines, code)
}
