//! Why a file was not read to its end.

use varbatch_codec::{CodecError, CodecErrorKind};

use crate::compressed::CompressedError;
use crate::encrypted::EncryptedError;

/// Why a file was not read to its end. The frames before the error were returned.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts of the errors say what they are")]
pub enum LoadError {
    #[error("{}", crate::words::words(.0))]
    Read(#[from] std::io::Error),
    #[error(transparent)]
    Compressed(#[from] CompressedError),
    #[error(transparent)]
    Encrypted(#[from] EncryptedError),
    #[error("expected {skipped} bytes before the values, found {found}")]
    Short { skipped: u64, found: u64 },
    #[error("{}", cut_off(.0))]
    Frame(#[from] CodecError),
    /// From a frame's length on, a plain file is zeros up to its end or for many MiB, as a power cut leaves them.
    #[error("expected a value, found nothing but zeros ({found} bytes), at byte {at}")]
    Zeros { at: u64, found: u64 },
}

fn cut_off(error: &CodecError) -> String {
    let CodecErrorKind::ShortFrame { part, expected, found } = *error.kind() else { return error.to_string() };
    let missing = expected - found;
    let damaged = if missing > found && part == "payload" { ", or the length of a value is damaged" } else { "" };
    let are = if missing == 1 { "byte is" } else { "bytes are" };
    format!("the file is cut off{damaged}, {missing} {are} missing, at byte {}", error.at())
}
