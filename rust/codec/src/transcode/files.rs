//! A file of frames, piece by piece.

use std::io;

use super::frames::{Frames, translate};
use super::{Losses, Translation};
use crate::chunks::Cursor;
use crate::error::Error;
use crate::file::{LoadError, Loader, Saver};
use crate::plan::Plan;
use crate::threads::Threads;

/// Pieces that are translated together, for each thread: so many that the threads seldom wait for each other. Fewer where
/// they are so long that they have this many bytes together.
const PIECES: usize = 4;
const TOGETHER: usize = 8 << 20;

/// Bytes that are written at a time.
const WRITTEN: usize = 1 << 20;

/// Why a file was not translated.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read, or ends inside a frame.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A value is damaged, or the other engine has no type for a part of it.
    #[error("frame {index}: {error}")]
    Value {
        /// The index of its frame.
        index: usize,
        /// What is wrong, with the byte of the file, uncompressed.
        error: Error,
    },
    /// The new file cannot be written.
    #[error(transparent)]
    Save(#[from] io::Error),
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
) -> Result<(usize, Losses), FileError> {
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
) -> Result<u64, FileError> {
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
) -> Result<(usize, Losses), FileError> {
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
            frames.append(run).map_err(|(index, error)| FileError::Value { index: count + index, error })?;
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
