//! Why a store cannot be opened, read or written.

use std::io;

use rusqlite::{Error, ErrorCode as Code};
use thiserror::Error;

/// What the system says where it, or the process, has too many files open.
const EXHAUSTED: [i32; 2] = match () {
    () if cfg!(windows) => [4, 4],
    () if cfg!(target_os = "emscripten") => [33, 41],
    () => [23, 24],
};

/// Why a call failed. Each says what was found, and what can be done; the path is the caller's to add.
#[derive(Clone, Debug, Error)]
#[allow(missing_docs, reason = "each says what it is")]
pub enum StoreError {
    #[error(
        "another VarBatchStore or another program has it open, such as a game that still runs, or an SQLite tool; close it there first"
    )]
    Busy,
    #[error("no file can be opened or made there")]
    CannotOpen,
    #[error("too many files are open; close some, and try again")]
    Exhausted,
    #[error("a store beside it needs a file of that name, or is one that this one needs; choose another name")]
    SideName,
    #[error(
        "\"{0}\" beside it is a folder, a pipe or a link that leads nowhere; it needs that name, so rename what is there"
    )]
    InTheWay(String),
    #[error("expected a name of at most {0} bytes, without \":\"")]
    Name(usize),
    #[error("it is not a store: it is no SQLite file. Open another path, as a store never replaces a file")]
    NoDatabase,
    #[error("it is not a store: it is the SQLite file of another program. Open another path")]
    Foreign,
    #[error("another VarBatch wrote it, with version {0} of its tables; this one reads version {1}")]
    OtherVersion(i64, i64),
    #[error("it is damaged: {0}; what can still be read, `varbatch convert` takes out")]
    Damaged(&'static str),
    #[error("the value is damaged: its checksum differs. Erase it, or save it again")]
    DamagedValue,
    #[error("there is not enough memory for it; load fewer values at a time")]
    Memory,
    #[error("it can only be read: the file or its folder is not writable")]
    ReadOnly,
    #[error("a killed game left a journal beside it, and its file or folder is not writable; open it once where it is")]
    JournalLeft,
    #[error(
        "its journal, whose name ends in \"-wal\", is missing or another one, and the file has only a part of what is in it; \
         put both where they were together. What can still be read, `varbatch convert` takes out"
    )]
    NoJournal,
    #[error(
        "its journal, whose name ends in \"-wal\", is missing or damaged: what was saved last, before the game was killed, is lost; \
         all else is whole"
    )]
    JournalLost,
    #[error(
        "the file was moved, removed, or written by another program while the store had it open; nothing is saved any more. \
         Close the store, then open the file where it is now. Use VarBatchStore.rename() or remove() once it is closed"
    )]
    Moved,
    #[error(
        "its journal, whose name ends in \"-wal\", could not be put into the file: {0}. All that was saved is in both \
         together: copy both, or make room, and open and close the store again"
    )]
    JournalKept(String),
    #[error("a file is there already; a store never replaces one")]
    Exists,
    #[error("the disk is full; what was saved before is whole. Make room, and save again")]
    Full,
    #[error("a value with its key is longer than the 1,000,000,000 bytes of a row; save it in parts")]
    TooLong,
    #[error("the system refused it: {0}")]
    System(String),
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        match error.sqlite_error_code() {
            None if matches!(error, Error::InvalidPath(_) | Error::NulError(_)) => Self::CannotOpen,
            // A column has another type, also to a blob, or a row is missing.
            None | Some(Code::Unknown) => Self::Damaged("a row has other columns"),
            Some(Code::DatabaseBusy | Code::DatabaseLocked | Code::FileLockingProtocolFailed) => Self::Busy,
            Some(Code::CannotOpen) => Self::CannotOpen,
            Some(Code::NotADatabase) => Self::NoDatabase,
            Some(
                Code::DatabaseCorrupt | Code::ConstraintViolation | Code::TypeMismatch | Code::OperationInterrupted,
            ) => Self::Damaged("its pages contradict each other"),
            // As SQLite reads a schema with more than it may have.
            Some(Code::OperationAborted) => Self::Damaged("it has other tables"),
            Some(Code::ReadOnly) => Self::ReadOnly,
            Some(Code::DiskFull) => Self::Full,
            Some(Code::OutOfMemory) => Self::Memory,
            Some(Code::TooBig) => Self::TooLong,
            Some(_) => Self::System(error.to_string()),
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => Self::CannotOpen,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::OutOfMemory => Self::Memory,
            io::ErrorKind::AlreadyExists => Self::Exists,
            _ => match error.raw_os_error() {
                Some(code) if EXHAUSTED.contains(&code) => Self::Exhausted,
                // Windows: another process has it open, or locked.
                Some(32 | 33) if cfg!(windows) => Self::Busy,
                _ => Self::System(error.to_string()),
            },
        }
    }
}
