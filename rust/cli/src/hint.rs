//! What the user could have meant, where a file cannot be read as asked for.

use std::io::Read;

use clap::ValueEnum;
use varbatch_storage::{self, Guess};
use varbatch_workers::Threads;

use crate::args::{DialectName, Format, Reading};
use crate::failure::{Failure, say};
use crate::input::Input;
use crate::source::{Buffers, is_value, loader};

/// Reports what is wrong with the data of an input, and what the user could have meant.
pub fn explain(failure: Failure, input: &Input, reading: &Reading, from: DialectName) -> Failure {
    if !failure.is_about_data() {
        return failure;
    }
    failure.report();
    give(input, reading, from);
    Failure::Reported
}

/// Prints how else the input could be read, if it is damaged as this dialect.
pub fn give(input: &Input, reading: &Reading, from: DialectName) {
    let threads = Threads::new(reading.threads);
    if reads(input, reading, from, &threads) {
        return;
    }
    let others = DialectName::value_variants().iter().filter(|&&name| name != from);
    let names: Vec<_> = others.filter(|name| reads(input, reading, **name, &threads)).map(|name| name.text()).collect();
    if !names.is_empty() {
        let names = names.join(" or --from ");
        say("hint", format_args!("{}: all of it can be read with --from {names}", input.name()));
    } else if let Some(what) = loader(input).ok().and_then(|loader| loader.guess(from.dialect())).and_then(what) {
        say("hint", format_args!("{}: {what}", input.name()));
    } else if reading.format == Format::Auto && !has_frame(input, from, &threads) && !is_null(input, from) {
        let read = "it was read as values of store_var()";
        say("hint", format_args!("{}: {read}; --format value reads it as one value", input.name()));
    }
}

/// Describes a file that holds no values of this dialect, and what to do with it.
fn what(guess: Guess) -> Option<String> {
    let format = match guess {
        Guess::Format(format) => format,
        Guess::BigEndian => return Some("its lengths are big-endian, as FileAccess.big_endian writes them".into()),
        // `give` finds the others itself.
        _ => return None,
    };
    let advice = match format {
        varbatch_storage::Format::Encrypted => {
            "Godot reads it with the password, see FileAccess.open_encrypted_with_pass()"
        }
        varbatch_storage::Format::Gzip => "gzip -d unpacks it",
        _ => "it holds no values of store_var()",
    };
    Some(format!("this is {format}: {advice}"))
}

/// Returns true if all values of the input are sound in a dialect, with nothing after them.
fn reads(input: &Input, reading: &Reading, name: DialectName, threads: &Threads) -> bool {
    let dialect = name.dialect();
    let Ok(mut buffers) = Buffers::open(input, reading.format, dialect, threads) else { return false };
    loop {
        match buffers.next() {
            Ok(None) => return true,
            Ok(Some(buffer)) if is_value(buffer.bytes, dialect) => {}
            _ => return false,
        }
    }
}

/// Returns true if the input begins with a frame whose value takes all of it, or is compressed: then it holds frames.
fn has_frame(input: &Input, from: DialectName, threads: &Threads) -> bool {
    let Ok(mut buffers) = Buffers::open(input, Format::Frames, from.dialect(), threads) else { return true };
    buffers.is_compressed() || matches!(buffers.next(), Ok(Some(first)) if is_value(first.bytes, first.dialect))
}

/// Returns true if the input begins with a null and goes on: nobody writes that as one value.
fn is_null(input: &Input, from: DialectName) -> bool {
    let mut header = Vec::new();
    let read = input.reader().take(4).read_to_end(&mut header);
    read.is_ok() && input.len() > 4 && is_value(&header, from.dialect())
}
