//! The error of a value that is not of the requested type.

use crate::kind::Kind;

/// A value that does not convert to a Rust type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ValueError {
    kind: ValueErrorKind,
}

impl ValueError {
    pub(super) fn new(kind: ValueErrorKind) -> Self {
        Self { kind }
    }

    /// Returns what was expected and what was found.
    pub fn kind(&self) -> &ValueErrorKind {
        &self.kind
    }
}

/// Why a value does not convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueErrorKind {
    /// The value is of another type.
    #[error("expected {}, found {}", .expected.name(), .found.name())]
    OtherKind {
        /// The type that converts.
        expected: Kind,
        /// The type of the value.
        found: Kind,
    },
}
