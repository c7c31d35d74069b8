//! `varbatch convert`: a file of one engine as one of another engine.

use std::io::{self, Write};

use varbatch_codec::file::{Loader, Saver};
use varbatch_codec::transcode::{self, FileError, Losses, Lost, Translation};
use varbatch_codec::{Cursor, Threads, Writer};

use crate::args::Convert;
use crate::failure::{Failure, say};
use crate::hint;
use crate::progress::Progress;
use crate::source::Source;

/// Bytes that are written at a time.
const WRITTEN: usize = 1 << 20;

pub fn run(args: &Convert) -> Result<(), Failure> {
    refuse_to_replace(args)?;
    let (input, output) = (&args.input, &args.output);
    let translation = Translation::new(args.from.dialect(), args.to.dialect());
    let threads = Threads::new(args.reading.threads);
    let saver = |compressed| Saver::create(output, compressed).map_err(|error| Failure::file(output, error));
    let (saver, count, losses) = match Source::open(input, args.reading.format, translation.from)? {
        Source::Value(bytes) => {
            let mut saver = saver(None)?;
            let losses = value(args, &bytes, &mut saver, translation, &threads)?;
            (saver, 1, losses)
        }
        Source::Frames(mut loader) => {
            let mut progress = Progress::new();
            let failed = |error| translation_failed(args, error);
            // What is compressed is read twice, as its head says how long it is.
            let (mut compressed, mut before) = (None, 0);
            if let Some(compression) = loader.compression() {
                let mut first = Loader::open(input).map_err(|error| Failure::load(input, error))?;
                let set = |done, total| progress.set(done, 2 * total);
                let len = transcode::translated_len(&mut first, translation, &threads, set).map_err(failed)?;
                (compressed, before) = (Some((compression.written(), len)), loader.len().0);
            }
            let mut saver = saver(compressed)?;
            let set = |done, total| progress.set(before + done, before + total);
            let (count, losses) =
                transcode::file(&mut loader, &mut saver, translation, &threads, set).map_err(failed)?;
            drop(progress);
            (saver, count, losses)
        }
    };
    let flushed = saver.flush(&threads).map_err(|error| Failure::file(output, error))?;
    refuse_to_replace(args)?;
    flushed.commit().map_err(|error| Failure::file(output, error))?;
    report(args, count, &losses)
}

fn refuse_to_replace(args: &Convert) -> Result<(), Failure> {
    // A link that leads nowhere is there as well.
    match args.output.symlink_metadata() {
        Ok(_) if !args.force => Err(Failure::file(&args.output, "it is there already; --force replaces it")),
        _ => Ok(()),
    }
}

/// Writes the one value of a file.
fn value(
    args: &Convert,
    bytes: &[u8],
    saver: &mut Saver,
    translation: Translation,
    threads: &Threads,
) -> Result<Losses, Failure> {
    let (mut writer, mut losses) = (Writer::new(translation.to), Losses::default());
    let start = writer.mark();
    let data = |error| Failure::data(&args.input, error);
    translation.value(bytes, 0, &mut writer, &mut losses).map_err(data)?;
    writer.end_value(start).map_err(data)?;
    let (plan, mut cursor) = (writer.into_plan(), Cursor::new());
    loop {
        match saver.write(&plan, &mut cursor, WRITTEN, threads) {
            Ok(0) => return Ok(losses),
            Ok(_) => {}
            Err(error) => return Err(Failure::file(&args.output, error)),
        }
    }
}

fn translation_failed(args: &Convert, error: FileError) -> Failure {
    match error {
        FileError::Load(error) => Failure::load(&args.input, error),
        FileError::Value { .. } => Failure::data(&args.input, error),
        FileError::Save(error) => Failure::file(&args.output, error),
    }
}

fn report(args: &Convert, count: usize, losses: &Losses) -> Result<(), Failure> {
    for loss in losses.iter() {
        say("warning", format_args!("{}: {loss}", args.input.display()));
    }
    if losses.iter().any(|loss| loss.what == Lost::Rest) {
        hint::give(&args.input, &args.reading, args.from);
    }
    let values = if count == 1 { "value" } else { "values" };
    let (path, from, to) = (args.output.display(), args.from.text(), args.to.text());
    writeln!(io::stdout(), "{path}: {count} {values} from {from} to {to}").map_err(|error| Failure::output(&error))
}
