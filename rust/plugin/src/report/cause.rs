//! Which error code a cause has, whatever method meets it: the table in FORMAT.md.

use godot::global::Error as EngineError;
use varbatch_codec::CodecErrorKind;
use varbatch_storage::LoadError;
use varbatch_storage::compressed::CompressedError;
use varbatch_storage::encrypted::EncryptedError;
#[cfg(feature = "store")]
use varbatch_store::StoreError;

/// Why something cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The bytes are cut off or damaged.
    Damaged,
    /// The bytes are sound, but the call or the engine refuses what they hold, such as an object that is not allowed.
    Refused,
    /// The key is missing, or is not that of the file.
    Key,
    /// The bytes are sound, but something else: another format, or values of another engine.
    Foreign,
    /// There is nothing where a value should begin.
    Ended,
    /// The system cannot read the file to its end.
    Unreadable,
}

impl From<Cause> for EngineError {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Damaged => Self::ERR_FILE_CORRUPT,
            Cause::Refused => Self::ERR_INVALID_DATA,
            Cause::Key => Self::ERR_UNAUTHORIZED,
            Cause::Foreign => Self::ERR_FILE_UNRECOGNIZED,
            Cause::Ended => Self::ERR_FILE_EOF,
            Cause::Unreadable => Self::ERR_FILE_CANT_READ,
        }
    }
}

impl From<&CodecErrorKind> for Cause {
    fn from(kind: &CodecErrorKind) -> Self {
        use CodecErrorKind::{
            Malformed, Negative, NoStringName, OldNodePath, ShortFrame, UnknownElementType, UnknownType,
        };
        match kind {
            UnknownType { .. } | UnknownElementType { .. } | ShortFrame { .. } | Negative { .. } => Self::Damaged,
            Malformed { .. } | NoStringName { .. } | OldNodePath => Self::Damaged,
            kind if kind.missing().is_some() => Self::Damaged,
            _ => Self::Refused,
        }
    }
}

impl From<&LoadError> for Cause {
    fn from(error: &LoadError) -> Self {
        match error {
            LoadError::Read(_) | LoadError::Compressed(CompressedError::Read { .. }) => Self::Unreadable,
            LoadError::Encrypted(EncryptedError::NotEncrypted) => Self::Foreign,
            LoadError::Encrypted(EncryptedError::WrongKey) => Self::Key,
            LoadError::Short { .. } => Self::Ended,
            LoadError::Compressed(_) | LoadError::Encrypted(_) | LoadError::Frame(_) | LoadError::Zeros { .. } => {
                Self::Damaged
            }
        }
    }
}

#[cfg(feature = "store")]
pub fn store_code(error: &StoreError) -> EngineError {
    match error {
        StoreError::Busy | StoreError::SideName => EngineError::ERR_BUSY,
        StoreError::Exhausted => EngineError::ERR_CANT_ACQUIRE_RESOURCE,
        StoreError::CannotOpen | StoreError::InTheWay(_) | StoreError::Name(_) => EngineError::ERR_FILE_CANT_OPEN,
        StoreError::NoDatabase | StoreError::Foreign | StoreError::OtherVersion(..) => Cause::Foreign.into(),
        StoreError::Damaged(_) | StoreError::DamagedValue | StoreError::NoJournal | StoreError::JournalLost => {
            Cause::Damaged.into()
        }
        StoreError::ReadOnly | StoreError::JournalLeft => EngineError::ERR_FILE_NO_PERMISSION,
        StoreError::TooLong => Cause::Refused.into(),
        StoreError::Memory => EngineError::ERR_OUT_OF_MEMORY,
        StoreError::Exists => EngineError::ERR_ALREADY_EXISTS,
        StoreError::Moved => EngineError::ERR_FILE_BAD_DRIVE,
        StoreError::JournalKept(_) | StoreError::Full | StoreError::System(_) => EngineError::ERR_FILE_CANT_WRITE,
    }
}
