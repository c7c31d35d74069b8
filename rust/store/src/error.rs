//! Why a store cannot be opened, read or written.

use rusqlite::{Error, ErrorCode as Code};
use thiserror::Error;

/// Why a call failed. Each says what was found, and what can be done; the path is the caller's to add.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each says what it is")]
pub enum StoreError {
    #[error(
        "another VarBatchStore or another program has it open, such as a game that still runs, or an SQLite tool; close it there first"
    )]
    Busy,
    #[error("no file can be opened or made there")]
    CannotOpen,
    #[error("it is not a store: it is no SQLite file. Open another path, as a store never replaces a file")]
    NoDatabase,
    #[error("it is not a store: it is the SQLite file of another program. Open another path")]
    Foreign,
    #[error("a newer VarBatch wrote it, with version {0} of its tables; update VarBatch to open it")]
    Newer(i64),
    #[error("it is damaged: {0}; what can still be read, `varbatch convert` takes out")]
    Damaged(&'static str),
    #[error("the value is damaged: its checksum differs. Erase it, or save it again")]
    DamagedValue,
    #[error("it can only be read: the file or its folder is not writable")]
    ReadOnly,
    #[error("a killed game left a journal beside it, and its file or folder is not writable; open it once where it is")]
    JournalLeft,
    #[error("the disk is full; what was saved before is whole. Make room, and save again")]
    Full,
    #[error("a value with its key is longer than the 1,000,000,000 bytes of a row; save it in parts")]
    TooLong,
    #[error("the system refused it: {0}. What was saved before is whole; save again")]
    System(String),
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        match error.sqlite_error_code() {
            // A column has another type, or a row is missing.
            None => Self::Damaged("a table has other columns"),
            Some(Code::DatabaseBusy | Code::DatabaseLocked | Code::FileLockingProtocolFailed) => Self::Busy,
            Some(Code::CannotOpen) => Self::CannotOpen,
            Some(Code::NotADatabase) => Self::NoDatabase,
            Some(Code::DatabaseCorrupt | Code::ConstraintViolation | Code::TypeMismatch) => {
                Self::Damaged("its pages contradict each other")
            }
            Some(Code::ReadOnly) => Self::ReadOnly,
            Some(Code::DiskFull) => Self::Full,
            Some(Code::TooBig) => Self::TooLong,
            Some(_) => Self::System(error.to_string()),
        }
    }
}
