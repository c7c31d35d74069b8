//! Translates many values with several threads: a stream of frames, or a file piece by piece.

use std::io;

use varbatch_codec::transcode::{Losses, RUN_LEN, TranslatedFrames, TranslatedRun, Translation};
use varbatch_codec::{CodecError, Cursor, Plan, frames};
use varbatch_workers::Threads;

use crate::limits::{PIECES_A_THREAD, TRANSLATED_A_THREAD, WRITE_LEN};
use crate::load::{LoadError, Loader};
use crate::save::Saver;

/// A file that was not translated.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TranscodeError(TranscodeErrorKind);

impl TranscodeError {
    /// Returns why the file was not translated.
    pub fn kind(&self) -> &TranscodeErrorKind {
        &self.0
    }

    /// Returns why the file was not translated, as an owned value.
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
    /// The file cannot be read, or ends inside a frame.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A value is damaged, or the other engine has no type for a part of it.
    #[error("frame {index}: {error}")]
    Value {
        /// The index of its frame.
        index: usize,
        /// The error, with the offset in the uncompressed file.
        error: CodecError,
    },
    /// The new file cannot be written.
    #[error(transparent)]
    Save(#[from] io::Error),
}

/// Translates all values of a stream of frames.
///
/// # Errors
/// The first error and the index of its frame: the frame is damaged, or the other engine has no type for a part of its
/// value.
pub fn frames<'a>(
    bytes: &'a [u8],
    translation: Translation,
    threads: &Threads,
) -> Result<TranslatedFrames<'a>, (usize, CodecError)> {
    let whole = frames::whole_len(bytes);
    let mut all = TranslatedFrames::default();
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

/// Translates runs of frames, each with its offset in the stream. Returns the results in order.
fn translate<'a>(
    runs: impl Iterator<Item = (&'a [u8], usize)> + Send,
    translation: Translation,
    threads: &Threads,
) -> Vec<TranslatedRun<'a>> {
    threads.map(runs, |(bytes, base)| translation.run(bytes, base))
}

/// Translates the remaining values of `loader`. Returns their number and the losses. `progress` is called with the
/// number of bytes read so far, and their total.
///
/// Memory holds a few pieces of about 1 MiB for each thread, or one longer value, however long the file is.
///
/// # Errors
/// The first error. The written file is then incomplete.
pub fn file(
    loader: &mut Loader,
    saver: &mut Saver,
    translation: Translation,
    threads: &Threads,
    progress: impl FnMut(u64, u64),
) -> Result<(usize, Losses), TranscodeError> {
    each(loader, translation, threads, progress, |plan| {
        let mut cursor = Cursor::new();
        while saver.write(plan, &mut cursor, WRITE_LEN, threads)? > 0 {}
        Ok(())
    })
}

/// Returns the number of bytes that [`file()`] would write, for the head of a compressed file.
///
/// # Errors
/// In the same cases as [`file()`].
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

/// Translates the remaining values of `loader`, and passes them to `take` in order.
fn each(
    loader: &mut Loader,
    translation: Translation,
    threads: &Threads,
    mut progress: impl FnMut(u64, u64),
    mut take: impl FnMut(&Plan<'_>) -> io::Result<()>,
) -> Result<(usize, Losses), TranscodeError> {
    let (mut count, mut losses) = (0, Losses::default());
    let mut buffers = vec![Vec::new(); PIECES_A_THREAD * threads.count()];
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
            if together >= TRANSLATED_A_THREAD * threads.count() {
                break;
            }
        }
        let is_end = pieces.is_empty();
        let mut frames = TranslatedFrames::default();
        for run in translate(pieces.into_iter(), translation, threads) {
            frames.append(run).map_err(|(index, error)| TranscodeErrorKind::Value { index: count + index, error })?;
        }
        for plan in &frames.plans {
            take(plan)?;
        }
        count += frames.count;
        losses.append(frames.losses);
        let (len, remaining) = loader.len();
        progress(len - remaining, len);
        if let Some(damage) = damage {
            return Err(damage.into());
        }
        if is_end {
            return Ok((count, losses));
        }
    }
}
