//! What the user could have meant, where a file cannot be read as asked for.

use std::io::Read;
use std::rc::Rc;

use clap::ValueEnum;
use varbatch_codec::Dialect;
use varbatch_storage::{Guess, Loader};

use crate::args::{DialectName, Format};
use crate::input::Input;
use crate::output::say;
use crate::source::{Buffers, is_value, loader};

/// Prints how else the input could be read, if it is damaged as this dialect.
pub fn give(input: &Rc<Input>) {
    let (name, dialect) = (&input.name, input.from.dialect());
    if reads(input, dialect) {
        return;
    }
    let others = DialectName::value_variants().iter().filter(|&&other| other != input.from);
    let names: Vec<_> = others.filter(|other| reads(input, other.dialect())).map(|other| other.text()).collect();
    if !names.is_empty() {
        let names = names.join(" or --from ");
        say("hint", format_args!("{name}: all of it can be read with --from {names}"));
    } else if let Some(what) = loader(input).ok().and_then(|loader| loader.guess(dialect)).and_then(what) {
        say("hint", format_args!("{name}: {what}"));
    } else if input.reading.format == Format::Auto && !has_frame(input, dialect) && !is_null(input, dialect) {
        say("hint", format_args!("{name}: it was read as values of store_var(); --format value reads it as one value"));
    }
}

/// Describes a file that holds no values of this dialect, and what to do with it.
fn what(guess: Guess) -> Option<String> {
    use varbatch_storage::Format::{Encrypted, Gzip};
    let (format, advice) = match guess {
        Guess::BigEndian => return Some("its lengths are big-endian, as FileAccess.big_endian writes them".into()),
        Guess::Format(Encrypted) => {
            (Encrypted, "Godot reads it with the password, see FileAccess.open_encrypted_with_pass()")
        }
        Guess::Format(Gzip) => (Gzip, "gzip -d unpacks it"),
        Guess::Format(other) => (other, "it holds no values of store_var()"),
        // `give` finds the others itself.
        _ => return None,
    };
    Some(format!("this is {format}: {advice}"))
}

/// Returns true if all values of the input are sound in a dialect, with nothing after them.
fn reads(input: &Rc<Input>, dialect: Dialect) -> bool {
    let Ok(mut buffers) = Buffers::open(input, input.reading.format, dialect) else { return false };
    loop {
        match buffers.next() {
            Ok(None) => return true,
            Ok(Some(buffer)) if is_value(buffer.bytes, dialect) => {}
            _ => return false,
        }
    }
}

/// Returns true if the input begins with a frame whose value takes all of it, or is compressed: then it holds frames.
fn has_frame(input: &Rc<Input>, dialect: Dialect) -> bool {
    let Ok(mut buffers) = Buffers::open(input, Format::Frames, dialect) else { return true };
    buffers.loader.as_ref().is_some_and(Loader::is_compressed)
        || matches!(buffers.next(), Ok(Some(first)) if is_value(first.bytes, dialect))
}

/// Returns true if the input begins with a null and goes on: nobody writes that as one value.
fn is_null(input: &Input, dialect: Dialect) -> bool {
    let mut header = [0; 4];
    input.len() > 4 && input.reader().read_exact(&mut header).is_ok() && is_value(&header, dialect)
}
