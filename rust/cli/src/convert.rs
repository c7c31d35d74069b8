//! `varbatch convert`: a file of one engine as one of another engine.

use std::io::{self, IsTerminal};
use std::path::Path;

use tempfile::TempDir;
use varbatch_codec::transcode::{Losses, Lost, Translation};
use varbatch_codec::{Plan, Writer};
use varbatch_storage::transcode::{self, TranscodeError};
use varbatch_storage::{Flushed, Saver, Ticket, words};

use crate::args::{Convert, DialectName, To};
use crate::input::{Failure, Input, STANDARD, name, unnamed};
use crate::output::{Progress, print, say};
use crate::source::{Buffers, give_hint, loader};
use crate::{pairs, store};

pub fn run(args: &Convert) -> Result<(), Failure> {
    // Output that is printed is first a file in this folder, so that all of it is printed or nothing.
    let folder = if args.output == Path::new(STANDARD) { Some(temporary_folder()?) } else { None };
    let (path, name) = match &folder {
        Some(folder) => (folder.path().join("out"), "standard output".into()),
        None => (args.output.clone(), name(&args.output)),
    };
    refuse_to_replace(args, &path, &name)?;
    let input = Input::open(&args.input, args.from, args.reading)?;
    let buffers = Buffers::of(&input)?;
    let (mut flushed, count, is_whole) = match args.to {
        To::Engine(to) if buffers.rows.is_none() => convert(buffers, args, to, &path, &name)?,
        to => pairs::convert(buffers, to, &path, &name)?,
    };
    // It may be the file to replace, and some systems cannot replace an open file.
    drop(input);
    refuse_to_replace(args, &path, &name)?;
    let put =
        || flushed.commit(&Ticket::take_for(&path)).map(|_| ()).map_err(|error| Failure::file(&name, words(&error)));
    store::replace(&path, &name, put)?;
    if folder.is_some() {
        // Its output is the file alone.
        io::copy(&mut std::fs::File::open(&path)?, &mut io::stdout())?;
    } else {
        let (from, to) = (args.from.text(), if let To::Engine(to) = args.to { to.text() } else { "store".into() });
        let values = if count == 1 { "value" } else { "values" };
        print(format_args!("{name}: {count} {values} from {from} to {to}"))?;
    }
    if is_whole { Ok(()) } else { Err(Failure::Reported(1)) }
}

/// Returns the new file, which is not in its place yet, how many values it has, and true, as these are all.
fn convert(
    buffers: Buffers<'_>,
    args: &Convert,
    to: DialectName,
    path: &Path,
    name: &str,
) -> Result<(Flushed, usize, bool), Failure> {
    let Buffers { input, loader: frames, piece, .. } = buffers;
    let key = input.reading.key();
    if key.is_some() && to != DialectName::Godot4 {
        return Err(Failure::Usage("an encrypted file can only be converted for godot4".into()));
    }
    let (translation, threads) = (Translation::new(input.from.dialect(), to.dialect()), input.threads());
    let unwritten = |error: io::Error| Failure::file(name, words(&error));
    let saver = |compressed| match key {
        Some(key) => Saver::create_encrypted(path, &key).map_err(unwritten),
        None => Saver::create(path, compressed).map_err(unwritten),
    };
    let (saver, count, losses) = match frames {
        None => {
            let mut saver = saver(None)?;
            let (mut writer, mut losses) = (Writer::new(translation.to), Losses::default());
            let (start, damaged) = (writer.mark(), |error| Failure::data(input, error));
            translation.value(&piece, 0, &mut writer, &mut losses).map_err(damaged)?;
            writer.end_value(start).map_err(damaged)?;
            saver.write_all(&writer.into_plan(), threads).map_err(unwritten)?;
            (saver, 1, losses)
        }
        Some(mut frames) => {
            let mut progress = Progress::new();
            let failed = |error| match error {
                TranscodeError::Load(error) => Failure::load(input, error),
                TranscodeError::Save(error) => unwritten(error),
                error => Failure::data(input, error),
            };
            // A compressed file is read twice: its head holds the length of the translated stream.
            let (mut compressed, mut before) = (None, 0);
            if let Some(compression) = frames.compression() {
                let set = |done, total| progress.set(done, 2 * total);
                let len = transcode::translated_len(&mut frames, translation, threads, set).map_err(failed)?;
                (compressed, before) = (Some((compression.written(), len)), frames.len().0);
                frames = loader(input)?;
            }
            let mut saver = saver(compressed)?;
            let set = |done, total| progress.set(before + done, before + total);
            let write = |plan: &Plan<'_>| saver.write_all(plan, threads);
            let (count, losses) = transcode::file(&mut frames, translation, threads, set, write).map_err(failed)?;
            (saver, count, losses)
        }
    };
    let rest = losses.iter().find(|loss| loss.what == Lost::Rest);
    if let Some(rest) = rest.filter(|_| !args.drop_rest) {
        return Err(Failure::data(input, format_args!("{rest}; nothing was written, --drop-rest leaves them out")));
    }
    let flushed = saver.flush(threads).map_err(unwritten)?;
    for loss in losses.iter() {
        say("warning", format_args!("{}: {loss}", input.name));
    }
    if rest.is_some() {
        give_hint(input);
    }
    Ok((flushed, count, true))
}

fn temporary_folder() -> Result<TempDir, Failure> {
    if io::stdout().is_terminal() {
        return Err(Failure::Usage("-: expected a file or a pipe for the output, found a terminal".into()));
    }
    let failed = |error| Failure::file("the output", format_args!("no temporary folder: {}", unnamed(&error)));
    tempfile::tempdir().map_err(failed)
}

fn refuse_to_replace(args: &Convert, path: &Path, name: &str) -> Result<(), Failure> {
    // A link that leads nowhere exists as well.
    match path.symlink_metadata() {
        Ok(_) if !args.force => Err(Failure::file(name, "the file exists; --force replaces it")),
        _ => Ok(()),
    }
}
