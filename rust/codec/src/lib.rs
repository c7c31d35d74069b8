#![doc = include_str!("../README.md")]
//!
//! # Architecture
//!
//! Everything is a stream of [`Event`]s between bytes and values:
//!
//! ```text
//! value --walk--> events --Writer--> Plan --fill--> bytes
//! bytes --Reader--> events --build--> value
//! ```
//!
//! - [`Reader`] turns bytes into events and holds every bounds check of decoding.
//! - [`Writer`] turns events into a [`Plan`] and holds every layout rule of encoding.
//! - [`fill`] copies a [`Part`] of a plan into its destination, whole, in pieces that threads share, or in chunks.
//! - [`kind`] is the table that both follow; [`Dialect`] selects the engine whose rules apply.
//! - [`Value`] is built from events and produces them. Programs with their own values do both, as the plugin does.
//!
//! Other engines and what they lose may be added in minor versions. A type of Godot 4 is a [`Kind`], an [`Event`] and a
//! [`Value`]: these enums are complete, and a new one is a new major version, as whoever matches them must handle it.
//! What this documentation hides serves VarBatch's own plugin, and may change in any version.
//!
//! `FORMAT.md` in this package documents the wire format with its evidence.
#![deny(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("only little-endian targets are supported: plain data is copied to the little-endian wire unchanged");

pub mod change;
pub mod describe;
mod dialect;
mod error;
mod event;
#[allow(unsafe_code)] // For the one block in this module.
pub mod fill;
pub mod frames;
pub mod key;
pub mod kind;
pub mod limits;
pub mod lookup;
mod path;
mod plan;
pub mod quote;
mod reader;
#[cfg(feature = "serde")]
pub mod serde;
pub mod text;
pub mod transcode;
mod value;
mod writer;

pub use dialect::{Dialect, Engine};
pub use error::{CodecError, CodecErrorKind, ValuePart};
pub use event::{ElementType, Event, Plain, Text};
pub use fill::{Chunk, Cursor};
pub use kind::{Foreign, Kind, Scalar, Shape, Width};
pub use path::{Path, PathStep, Step};
pub use plan::{Borrowed, Copied, Keep, Mark, Part, Payload, Plan};
pub use reader::{Reader, validate};
pub use value::{DoubleValue, OwnedType, OwnedValue, Real, Value, ValueError};
#[cfg(feature = "internals")]
pub use writer::Flat;
pub use writer::Writer;

// What several modules share.
use dialect::Rules;
use event::Kinds;
use kind::{ARRAY_TYPE, DICTIONARY_TYPES, Extent, FLAG_64, Row, WORD, count_of, padded};
use limits::{INLINE_LEN, MAX_DEPTH, MAX_VALUE_LEN};
use path::{Nowhere, shown_step, shown_value};
use reader::Skim;
use value::Element;
