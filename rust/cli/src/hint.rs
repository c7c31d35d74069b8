//! What could have been meant, where a file cannot be read as it was asked for.

use std::path::Path;

use clap::ValueEnum;
use varbatch_codec::Threads;

use crate::args::{Format, Name, Reading};
use crate::failure::{Failure, say};
use crate::source::{Source, each_frame, is_value};

/// Says as what else the file can be read in full, if it is damaged as this dialect.
pub fn give(path: &Path, reading: &Reading, from: Name) {
    let threads = Threads::new(reading.threads);
    if reads(path, reading, from, &threads) {
        return;
    }
    let others = Name::value_variants().iter().filter(|&&name| name != from);
    let names: Vec<_> = others.filter(|name| reads(path, reading, **name, &threads)).map(|name| name.text()).collect();
    if !names.is_empty() {
        say("hint", format_args!("all of it can be read with --from {}", names.join(" or --from ")));
    } else if reading.format == Format::Auto && !has_frame(path, from, &threads) {
        say("hint", "it was read as values of store_var(); --format value reads it as one value");
    }
}

/// Whether all values of the file are sound in a dialect, with nothing behind them.
fn reads(path: &Path, reading: &Reading, name: Name, threads: &Threads) -> bool {
    let dialect = name.dialect();
    let is_value = |bytes: &[u8]| is_value(bytes, dialect);
    match Source::open(path, reading.format, dialect) {
        Ok(Source::Value(bytes)) => is_value(&bytes),
        Ok(Source::Frames(mut loader)) => {
            let sound = |payload: &[u8]| if is_value(payload) { Ok(()) } else { Err(Failure::Told) };
            each_frame(path, &mut loader, threads, |frame| sound(frame.payload)).is_ok()
        }
        Err(_) => false,
    }
}

/// Whether the file begins with a frame whose value takes all of it, or is compressed: nothing else can be meant then.
fn has_frame(path: &Path, from: Name, threads: &Threads) -> bool {
    let Ok(Source::Frames(mut loader)) = Source::open(path, Format::Frames, from.dialect()) else { return true };
    if loader.is_compressed() {
        return true;
    }
    let mut is_sound = false;
    let _ = each_frame(path, &mut loader, threads, |frame| {
        is_sound = is_value(frame.payload, from.dialect());
        Err(Failure::Told)
    });
    is_sound
}
