//! What went wrong, at which byte, and what was expected there.

use crate::kind::Kind;
use crate::limits::MAX_VALUE_LEN;

/// A value that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}, at byte {at}")]
pub struct Error {
    /// Offset in the buffer that was read, or in the plan that was written.
    pub at: usize,
    /// What was found there, and what was expected. Boxed, as every step of a walk returns room for it.
    pub reason: Box<Reason>,
}

impl Error {
    #[cold]
    pub(crate) fn new(at: usize, reason: Reason) -> Self {
        Self { at, reason: Box::new(reason) }
    }
}

/// Why a value cannot be read or written. Its text says what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The buffer ends inside a part of fixed size.
    #[error("expected {expected} bytes for the {part} of {}, found {found}", .kind.name())]
    Short {
        /// The type of the value.
        kind: Kind,
        /// The part of it.
        part: &'static str,
        /// Bytes that the part takes.
        expected: usize,
        /// Bytes that are left.
        found: usize,
    },
    /// The buffer ends inside a header.
    #[error("expected a header of 4 bytes, found {found}")]
    NoHeader {
        /// Bytes that are left.
        found: usize,
    },
    /// The header names no type.
    #[error("expected a type from 0 to {}, found {id}", Kind::ALL.len() - 1)]
    UnknownType {
        /// The low byte of the header.
        id: u8,
    },
    /// A count or length is negative.
    #[error("expected a {what} of 0 or more for {}, found {found}", .kind.name())]
    Negative {
        /// The type of the value.
        kind: Kind,
        /// Count or length of what.
        what: &'static str,
        /// The number as it stands there.
        found: i32,
    },
    /// The buffer ends inside the elements that the count announces.
    #[error("expected {expected} bytes for the {count} elements of {}, found {found}", .kind.name())]
    ShortArray {
        /// The type of the value.
        kind: Kind,
        /// Elements that were announced.
        count: usize,
        /// Bytes that they take.
        expected: usize,
        /// Bytes that are left.
        found: usize,
    },
    /// The buffer ends inside an element of a `PackedStringArray`.
    #[error(
        "expected {expected} bytes for the {part} of element {index} of {count} of {}, found {found}", .kind.name()
    )]
    ShortElement {
        /// The type of the value.
        kind: Kind,
        /// The part of the element.
        part: &'static str,
        /// Which element.
        index: usize,
        /// Elements that were announced.
        count: usize,
        /// Bytes that the part takes.
        expected: usize,
        /// Bytes that are left.
        found: usize,
    },
    /// Text is no UTF-8.
    #[error("expected UTF-8 for element {index} of {count} of {}, found byte 0x{found:02x}", .kind.name())]
    Malformed {
        /// The type of the value.
        kind: Kind,
        /// Which element.
        index: usize,
        /// Elements that were announced.
        count: usize,
        /// The first byte that does not fit.
        found: u8,
    },
    /// The engine counts bytes in a signed 32-bit integer and overflows here.
    #[error("expected at most {MAX_VALUE_LEN} bytes in one value, found {found}")]
    TooLarge {
        /// Bytes that the value takes.
        found: usize,
    },
    /// A stream of frames ends inside a frame.
    #[error("expected {expected} bytes for the {part} of a frame, found {found}")]
    ShortFrame {
        /// Length or payload.
        part: &'static str,
        /// Bytes that it takes.
        expected: usize,
        /// Bytes that are left.
        found: usize,
    },
    /// This crate does not read or write the type itself.
    #[error("expected a type that is read without the engine, found {}", .kind.name())]
    NotNative {
        /// The type.
        kind: Kind,
    },
    /// The events do not make a value. A mistake of the caller, not of the data.
    #[error("expected {expected}, found another event")]
    Order {
        /// What should have followed.
        expected: &'static str,
    },
}
