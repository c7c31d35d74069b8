//! Translates the values of a file with several threads, piece by piece.

use std::io;

use varbatch_codec::transcode::{Losses, Translation};
use varbatch_codec::{CodecError, Plan};
use varbatch_workers::Threads;

use crate::error::LoadError;
use crate::load::Loader;

/// Pieces that are translated together, per thread, so that threads seldom wait for each other.
const PIECES_A_THREAD: usize = 4;

/// Max bytes that are translated together, per thread: fewer pieces if they are long.
const TRANSLATED_A_THREAD: usize = 8 << 20;

/// Why a file was not translated.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts of the errors say what they are")]
pub enum TranscodeError {
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A value is damaged, or the other engine has no type for a part of it. Offsets are those in the uncompressed file.
    #[error("frame {index}: {error}")]
    Value { index: usize, error: CodecError },
    #[error(transparent)]
    Save(#[from] io::Error),
}

/// Returns the number of bytes that [`file()`] would translate to, for the head of a compressed file.
pub fn translated_len(
    loader: &mut Loader,
    translation: Translation,
    threads: &Threads,
    progress: impl FnMut(u64, u64),
) -> Result<u64, TranscodeError> {
    let mut len = 0;
    file(loader, translation, threads, progress, |plan| {
        len += plan.len() as u64;
        Ok(())
    })?;
    Ok(len)
}

/// Translates the rest of `loader`: calls `take` with each translation, and `progress` with the bytes so far and in
/// total. Holds a few MiB per thread, or a longer value. Returns how many values, and losses, or the first error.
pub fn file(
    loader: &mut Loader,
    translation: Translation,
    threads: &Threads,
    mut progress: impl FnMut(u64, u64),
    mut take: impl FnMut(&Plan<'_>) -> io::Result<()>,
) -> Result<(usize, Losses), TranscodeError> {
    let (mut count, mut losses) = (0, Losses::default());
    let mut buffers = vec![Vec::new(); PIECES_A_THREAD * threads.count()];
    loop {
        let (mut pieces, mut together, mut read) = (Vec::new(), 0, Ok(None));
        for buffer in &mut buffers {
            read = loader.read(buffer, threads);
            let Ok(Some(at)) = read else { break };
            together += buffer.len();
            pieces.push((&buffer[..], at));
            if together >= TRANSLATED_A_THREAD * threads.count() {
                break;
            }
        }
        let mut plans = Vec::new();
        for run in threads.map(pieces, |(bytes, at): (&[u8], usize)| translation.run(bytes, at)) {
            count += run.count;
            if let Some(error) = run.error {
                loader.finish()?;
                return Err(TranscodeError::Value { index: count, error });
            }
            losses.append(run.losses);
            plans.push(run.plan);
        }
        plans.iter().try_for_each(&mut take)?;
        let (len, remaining) = loader.len();
        progress(len - remaining, len);
        if read?.is_none() {
            return Ok((count, losses));
        }
    }
}
