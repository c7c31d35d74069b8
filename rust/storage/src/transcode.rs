//! Translates many values over threads: a stream of frames, or a file of them piece by piece.

use std::io;
use std::sync::Mutex;

use varbatch_codec::transcode::{Frames, Losses, RUN_LEN, Run, Translation};
use varbatch_codec::{CodecError, Cursor, Plan, frames};
use varbatch_workers::Threads;

use crate::load::{LoadError, Loader};
use crate::save::Saver;

/// Pieces that are translated together, for each thread: so many that the threads seldom wait for each other. Fewer where
/// they are so long that they have this many bytes together.
const PIECES: usize = 4;
const TOGETHER: usize = 8 << 20;

/// Bytes that are written at a time.
const WRITTEN: usize = 1 << 20;

/// A file that was not translated.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TranscodeError(TranscodeErrorKind);

impl TranscodeError {
    /// Why it was not.
    pub fn kind(&self) -> &TranscodeErrorKind {
        &self.0
    }

    /// Why it was not, without the error.
    pub fn into_kind(self) -> TranscodeErrorKind {
        self.0
    }
}

impl<E: Into<TranscodeErrorKind>> From<E> for TranscodeError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Why a file was not translated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscodeErrorKind {
    /// It cannot be read, or ends inside a frame.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A value is damaged, or the other engine has no type for a part of it.
    #[error("frame {index}: {error}")]
    Value {
        /// The index of its frame.
        index: usize,
        /// What is wrong, with the byte of the file, uncompressed.
        error: CodecError,
    },
    /// The new file cannot be written.
    #[error(transparent)]
    Save(#[from] io::Error),
}

/// Translates all values of a stream of frames.
///
/// # Errors
/// The first, and the index of its frame: if one is damaged, or the other engine has no type for a part of its value.
pub fn frames<'a>(
    bytes: &'a [u8],
    translation: Translation,
    threads: &Threads,
) -> Result<Frames<'a>, (usize, CodecError)> {
    let whole = frames::whole_len(bytes);
    let mut all = Frames::default();
    for run in translate(frames::runs(&bytes[..whole], RUN_LEN), translation, threads) {
        all.append(run)?;
    }
    match frames::read(&bytes[whole..]).next() {
        Some(Err(mut error)) => {
            error = error.map_at(|at| at + whole);
            Err((all.count, error))
        }
        _ => Ok(all),
    }
}

/// Translates runs of frames with their offsets in the stream, and gives what became of them in their order.
fn translate<'a>(
    runs: impl Iterator<Item = (&'a [u8], usize)> + Send,
    translation: Translation,
    threads: &Threads,
) -> Vec<Run<'a>> {
    let done = Mutex::new(Vec::new());
    threads.for_each(runs.enumerate(), |(order, (bytes, base))| {
        let run = translation.run(bytes, base);
        done.lock().expect("nothing panics while it is held").push((order, run));
    });
    let mut done = done.into_inner().expect("nothing panics while it is held");
    done.sort_unstable_by_key(|(order, _)| *order);
    done.into_iter().map(|(_, run)| run).collect()
}

/// Translates all values that `loader` has yet; gives how many there were, and what was lost. `progress` gets the bytes that
/// were read, and how many there are.
///
/// However long the file is, what is held of it is some pieces of about 1 MiB for each thread, or one value that is longer.
///
/// # Errors
/// The first. What was written is then not complete.
pub fn file(
    loader: &mut Loader,
    saver: &mut Saver,
    translation: Translation,
    threads: &Threads,
    progress: impl FnMut(u64, u64),
) -> Result<(usize, Losses), TranscodeError> {
    each(loader, translation, threads, progress, |plan| {
        let mut cursor = Cursor::new();
        while saver.write(plan, &mut cursor, WRITTEN, threads)? > 0 {}
        Ok(())
    })
}

/// The bytes that [`file()`] would write: what a compressed file has to say in its head.
///
/// # Errors
/// As [`file()`].
pub fn translated_len(
    loader: &mut Loader,
    translation: Translation,
    threads: &Threads,
    progress: impl FnMut(u64, u64),
) -> Result<u64, TranscodeError> {
    let mut len = 0;
    each(loader, translation, threads, progress, |plan| {
        len += plan.len() as u64;
        Ok(())
    })?;
    Ok(len)
}

/// Translates all values that `loader` has yet, and gives them to `take` in their order.
fn each(
    loader: &mut Loader,
    translation: Translation,
    threads: &Threads,
    mut progress: impl FnMut(u64, u64),
    mut take: impl FnMut(&Plan<'_>) -> io::Result<()>,
) -> Result<(usize, Losses), TranscodeError> {
    let (mut count, mut losses) = (0, Losses::default());
    let mut buffers = vec![Vec::new(); PIECES * threads.count()];
    loop {
        let (mut pieces, mut together, mut damage) = (Vec::new(), 0, None);
        for buffer in &mut buffers {
            match loader.read(buffer, threads) {
                Ok(Some(at)) => {
                    together += buffer.len();
                    pieces.push((&buffer[..], at));
                }
                Ok(None) => break,
                Err(error) => {
                    damage = Some(error);
                    break;
                }
            }
            if together >= TOGETHER * threads.count() {
                break;
            }
        }
        let is_end = pieces.is_empty();
        let mut frames = Frames::default();
        for run in translate(pieces.into_iter(), translation, threads) {
            frames.append(run).map_err(|(index, error)| TranscodeErrorKind::Value { index: count + index, error })?;
        }
        for plan in &frames.plans {
            take(plan)?;
        }
        count += frames.count;
        losses.append(frames.losses);
        let (len, left) = loader.len();
        progress(len - left, len);
        if let Some(damage) = damage {
            return Err(damage.into());
        }
        if is_end {
            return Ok((count, losses));
        }
    }
}
