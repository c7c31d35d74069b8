//! Decodes bytes: reads the inputs and builds the values in place.

mod batch;
mod decoded;
mod slots;

use godot::builtin::PackedByteArray;
use varbatch_codec::{CodecError, Kind, Reader};

pub use self::batch::{Decode, bytes_to_vars, frames_to_vars};
pub use self::decoded::{Decoded, Deferred};
pub use self::slots::{Effort, build_slots};
use crate::engine::{self, Slot, Value};
use crate::jobs::pool;
use crate::jobs::tuning::DECODE_PARALLEL_FROM;
use crate::report::Dropped;
use crate::value::build::{Build, MayAsk, Stop, build_flat};
use crate::value::full_objects;
use crate::value::string_cache::{Texts, set_text};

/// Bytes that hold a value.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Offset of the bytes in the buffer of the call.
    pub at: usize,
    /// The bytes of the value; more bytes may follow.
    pub bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// The bytes of a buffer.
    #[inline(always)]
    pub fn of(bytes: &'a PackedByteArray) -> Self {
        Self { at: 0, bytes: engine::bytes_of(bytes) }
    }

    /// Returns a reader of the value.
    pub fn reader(self, allow_objects: bool) -> Reader<'a> {
        Reader::new(self.bytes).with_base(self.at).with_objects(allow_objects)
    }
}

/// Returns the bytes of a buffer, or the type of a value that is not a buffer.
pub fn input(buffer: &Value) -> Result<Input<'_>, Kind> {
    match buffer.view().kind() {
        Kind::PackedByteArray => Ok(Input { at: 0, bytes: buffer.view().plain().bytes }),
        kind => Err(kind),
    }
}

/// Decodes one value, whose bytes the caller borrows. The slot stays empty if that fails.
#[inline(always)]
pub fn decode(
    bytes: &PackedByteArray,
    allow_objects: bool,
    out: &mut Slot,
) -> Result<Option<Box<Dropped>>, CodecError> {
    if build_flat(Input::of(bytes).bytes, out, set_text) {
        return Ok(None);
    }
    decode_deep(bytes, allow_objects, out)
}

/// Does the rest of [`decode`]. Not inlined, as its stack would cost a flat value time.
#[inline(never)]
fn decode_deep(
    bytes: &PackedByteArray,
    allow_objects: bool,
    out: &mut Slot,
) -> Result<Option<Box<Dropped>>, CodecError> {
    match build(Input::of(bytes), allow_objects, MayAsk::Nothing, out) {
        Err(Stop::MayNotAsk) => decode_held(Input::of(&bytes.clone()), allow_objects, out),
        built => Ok(built?),
    }
}

/// Like [`decode`], but may run scripts: the caller must hold the bytes by its own reference, so that neither a script
/// nor a Logger can change them.
#[inline(never)]
pub fn decode_held(input: Input<'_>, allow_objects: bool, out: &mut Slot) -> Result<Option<Box<Dropped>>, CodecError> {
    let built = match build(input, allow_objects, MayAsk::Conversions, out) {
        Err(Stop::MayNotAsk) => {
            full_objects::check(input.reader(true))?;
            build(input, true, MayAsk::Objects, out)
        }
        built => built,
    };
    Ok(built?)
}

/// Builds a value in a slot, over threads if it is long and scripts do not run.
#[inline(always)]
pub fn build(
    input: Input<'_>,
    allow_objects: bool,
    may_ask: MayAsk,
    out: &mut Slot,
) -> Result<Option<Box<Dropped>>, Stop> {
    let mut texts = Texts::for_bytes(input.bytes.len());
    let is_large = input.bytes.len() >= DECODE_PARALLEL_FROM && may_ask != MayAsk::Objects;
    pool::with(is_large, |threads| Build::new(input.reader(allow_objects), &mut texts, threads, may_ask).build(out))
}
