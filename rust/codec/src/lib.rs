//! Godot's Variant serialization as events, without Godot.
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
//! - [`fill`] copies a [`Part`] of a plan into its destination, whole or in pieces that threads share.
//! - [`kind`] is the table that both follow; [`Dialect`] names the engine whose rules hold.
//! - [`transcode`] drives a Writer of one dialect with a Reader of another.
//!
//! The walk and the build belong to whoever owns the values: the plugin crate does both for Godot's Variants.
//! `rust/docs/FORMAT.md` has the wire format with its evidence, `rust/DESIGN.md` the map and the invariants.
//!
//! ```
//! use varbatch_codec::{Dialect, Event, Reader, Writer};
//!
//! let mut writer = Writer::new(Dialect::GODOT_4);
//! let start = writer.mark();
//! writer.write(Event::Int(42))?;
//! writer.end_value(start)?;
//! let bytes = writer.into_plan().to_vec();
//! assert_eq!(bytes, [2, 0, 0, 0, 42, 0, 0, 0]);
//!
//! let mut reader = Reader::new(&bytes);
//! assert_eq!(reader.next_event()?, Some(Event::Int(42)));
//! assert_eq!(reader.next_event()?, None);
//! # Ok::<(), varbatch_codec::CodecError>(())
//! ```
#![deny(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("plain data is copied as it lies in memory, and the wire is little-endian");

pub mod change;
mod chunks;
pub mod describe;
mod dialect;
mod error;
mod event;
#[allow(unsafe_code)] // One block: see there.
pub mod fill;
pub mod frames;
pub mod kind;
pub mod limits;
pub mod lookup;
mod path;
mod plan;
pub mod quote;
mod reader;
pub mod text;
pub mod transcode;
mod validate;
mod writer;

pub use chunks::{Chunk, Cursor};
pub use dialect::{Dialect, Engine, Width};
pub use error::{CodecError, CodecErrorKind, ValuePart};
pub use event::{ElementType, Event, Plain, Text};
pub use kind::{Foreign, Kind, Scalar, Shape};
pub use path::{Path, Step};
pub use plan::{Borrowed, Copied, Keep, Mark, Part, Payload, Plan};
pub use reader::Reader;
pub use validate::validate;
pub use writer::Writer;
