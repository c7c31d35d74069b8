//! A value that is not of the type that was asked for.

use crate::kind::Kind;

/// A value that does not convert to a type of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ValueError {
    kind: ValueErrorKind,
}

impl ValueError {
    pub(super) fn new(kind: ValueErrorKind) -> Self {
        Self { kind }
    }

    /// What was found, and what was expected.
    pub fn kind(&self) -> &ValueErrorKind {
        &self.kind
    }
}

/// Why a value does not convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueErrorKind {
    /// It is of another type.
    #[error("expected {}, found {}", .expected.name(), .found.name())]
    OtherKind {
        /// The type that converts.
        expected: Kind,
        /// The type of the value.
        found: Kind,
    },
}
