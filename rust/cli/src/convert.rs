//! `varbatch convert`: a file of one engine as one of another engine.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use varbatch_codec::Writer;
use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_storage::transcode::{self, TranscodeError};
use varbatch_storage::{Flushed, Saver, Ticket};
use varbatch_workers::Threads;

use crate::args::Convert;
use crate::failure::{Failure, print, say, unnamed};
use crate::hint;
use crate::input::{Input, STANDARD, name};
use crate::progress::Progress;
use crate::source::{Source, loader};

/// Where the new file is written.
struct Target {
    path: PathBuf,
    /// The name in messages.
    name: String,
    /// The folder of a file that is printed at the end, so that all of it is printed or nothing.
    printed_in: Option<TempDir>,
}

impl Target {
    fn new(path: &Path) -> Result<Self, Failure> {
        if path != Path::new(STANDARD) {
            return Ok(Self { path: path.to_owned(), name: name(path), printed_in: None });
        }
        if io::stdout().is_terminal() {
            return Err(Failure::Usage("-: expected a file or a pipe for the output, found a terminal".into()));
        }
        let failed = |error| Failure::File(format!("the output: no temporary folder: {}", unnamed(&error)));
        let folder = tempfile::tempdir().map_err(failed)?;
        Ok(Self { path: folder.path().join("out"), name: "standard output".into(), printed_in: Some(folder) })
    }
}

pub fn run(args: &Convert) -> Result<(), Failure> {
    let target = Target::new(&args.output)?;
    refuse_to_replace(args, &target)?;
    let input = Input::open(&args.input)?;
    let converted = convert(args, &input, &target);
    let (flushed, count) = converted.map_err(|failure| hint::explain(failure, &input, &args.reading, args.from))?;
    // It may be the file to replace, and some systems cannot replace an open file.
    drop(input);
    refuse_to_replace(args, &target)?;
    flushed.commit(&Ticket::take()).map_err(|error| Failure::file(&target.name, error))?;
    if target.printed_in.is_some() {
        // Its output is the file alone.
        let copied = File::open(&target.path).and_then(|mut file| io::copy(&mut file, &mut io::stdout()));
        return copied.map(|_| ()).map_err(|error| Failure::output(&error));
    }
    let (name, from, to) = (target.name, args.from.text(), args.to.text());
    let values = if count == 1 { "value" } else { "values" };
    print(format_args!("{name}: {count} {values} from {from} to {to}"))
}

/// Converts the input, and reports what is lost. Returns the new file, not in its place yet, and how many values it has.
fn convert(args: &Convert, input: &Input, target: &Target) -> Result<(Flushed, usize), Failure> {
    let translation = Translation::new(args.from.dialect(), args.to.dialect());
    let threads = Threads::new(args.reading.threads);
    let unwritten = |error| Failure::file(&target.name, error);
    let saver = |compressed| Saver::create(&target.path, compressed).map_err(unwritten);
    let (saver, count, losses) = match Source::open(input, args.reading.format, translation.from)? {
        Source::Value(bytes) => {
            let mut saver = saver(None)?;
            let (mut writer, mut losses) = (Writer::new(translation.to), Losses::default());
            let (start, damaged) = (writer.mark(), |error| Failure::data(input.name(), error));
            translation.value(&bytes, 0, &mut writer, &mut losses).map_err(damaged)?;
            writer.end_value(start).map_err(damaged)?;
            saver.write_all(&writer.into_plan(), &threads).map_err(unwritten)?;
            (saver, 1, losses)
        }
        Source::Frames(mut frames) => {
            let mut progress = Progress::new();
            let failed = |error| match error {
                TranscodeError::Load(error) => Failure::load(input.name(), error),
                TranscodeError::Save(error) => unwritten(error),
                error => Failure::data(input.name(), error),
            };
            // A compressed file is read twice: its head holds the length of the translated stream.
            let (mut compressed, mut before) = (None, 0);
            if let Some(compression) = frames.compression() {
                let mut first = loader(input)?;
                let set = |done, total| progress.set(done, 2 * total);
                let len = transcode::translated_len(&mut first, translation, &threads, set).map_err(failed)?;
                (compressed, before) = (Some((compression.written(), len)), frames.len().0);
            }
            let mut saver = saver(compressed)?;
            let set = |done, total| progress.set(before + done, before + total);
            let (count, losses) =
                transcode::file(&mut frames, &mut saver, translation, &threads, set).map_err(failed)?;
            drop(progress);
            (saver, count, losses)
        }
    };
    let flushed = saver.flush(&threads).map_err(unwritten)?;
    report(args, input, &losses);
    Ok((flushed, count))
}

fn refuse_to_replace(args: &Convert, target: &Target) -> Result<(), Failure> {
    // A link that leads nowhere exists as well.
    match target.path.symlink_metadata() {
        Ok(_) if !args.force => Err(Failure::file(&target.name, "the file exists; --force replaces it")),
        _ => Ok(()),
    }
}

fn report(args: &Convert, input: &Input, losses: &Losses) {
    for loss in losses.iter() {
        say("warning", format_args!("{}: {loss}", input.name()));
    }
    if losses.iter().any(|loss| loss.what == Lost::Rest) {
        hint::give(input, &args.reading, args.from);
    }
}
