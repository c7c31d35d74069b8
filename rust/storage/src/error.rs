//! Why a file is not read to its end.

use std::io;

use crate::compressed::CompressedError;
use varbatch_codec::{CodecError, CodecErrorKind};

/// Max zeros passed in a plain file: 16 million empty frames.
pub const MAX_ZEROS_LEN: u64 = 64 << 20;

/// An encrypted file that cannot be decrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts of the errors say what they are")]
pub enum EncryptedError {
    #[error("expected an encrypted file, which begins with \"GDEC\", found another; without a key it may be readable")]
    NotEncrypted,
    #[error(
        "expected \"GDEC\" at the start, found something else: its length is that of an encrypted file that is damaged there"
    )]
    Start,
    #[error("expected an encrypted file of {expected} bytes, found {found}: it is cut off, or its head is damaged")]
    Cut { expected: u64, found: u64 },
    #[error(
        "expected what was encrypted, found something else: the key is not that of the file, or the file is damaged"
    )]
    WrongKey,
    #[error("expected what was encrypted, found something else: the key is right, but the file is damaged")]
    Damaged,
}

/// Why a file was not read to its end. The frames before the error were returned.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts of the errors say what they are")]
pub enum LoadError {
    #[error("{}", crate::words::words(.0))]
    Read(#[from] io::Error),
    #[error(transparent)]
    Compressed(#[from] CompressedError),
    #[error(transparent)]
    Encrypted(#[from] EncryptedError),
    #[error("expected {skipped} bytes before the values, found {found}")]
    Short { skipped: u64, found: u64 },
    #[error("{}", cut_off(.0))]
    Frame(#[from] CodecError),
    /// From a frame's length on, a plain file is zeros up to its end or for many MiB, as a power cut leaves them.
    #[error("expected a value, found nothing but zeros ({}{found} bytes), at byte {at}", at_least(*.found))]
    Zeros { at: u64, found: u64 },
}

impl LoadError {
    /// True if the bytes were read and are not what was saved. False if the system did not read them, or another key would.
    pub fn is_damage(&self) -> bool {
        let is_unread = matches!(self, Self::Read(_) | Self::Compressed(CompressedError::Read { .. }));
        !is_unread && !matches!(self, Self::Encrypted(EncryptedError::WrongKey))
    }
}

/// A file that ends before the length that it had when it was opened.
pub(crate) fn shortened() -> LoadError {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was read").into()
}

/// The search for another byte may have ended before the zeros.
fn at_least(found: u64) -> &'static str {
    if found < MAX_ZEROS_LEN { "" } else { "at least " }
}

fn cut_off(error: &CodecError) -> String {
    let CodecErrorKind::ShortFrame { part, expected, found } = *error.kind() else { return error.to_string() };
    let missing = expected - found;
    let damaged = if missing > found && part == "payload" { ", or the length of a value is damaged" } else { "" };
    let are = if missing == 1 { "byte is" } else { "bytes are" };
    format!("the file is cut off{damaged}, {missing} {are} missing, at byte {}", error.at())
}
