//! Lines for people, and lines of the result. No character in them is a command for a terminal.

use std::fmt::Display;
use std::io::{self, Write};

use varbatch_codec::quote::visible;

/// Prints a line for people, which is no result.
pub fn say(what: &str, text: impl Display) {
    // If this fails, the exit code still tells.
    let _ = writeln!(io::stderr(), "{what}: {}", visible(&text.to_string()));
}

/// Prints a line of the result.
pub fn print(text: impl Display) -> io::Result<()> {
    writeln!(io::stdout(), "{}", visible(&text.to_string()))
}
