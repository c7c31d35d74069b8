//! Finds the value at a path. Skips all other values by their lengths and counts, without decoding them.
//!
//! A path leads to the same value as in the decoded value. Bytes outside the path are not checked, so the sound parts
//! of a damaged value can still be read.
//!
//! ```
//! use varbatch_codec::Dialect;
//! use varbatch_codec::lookup::{Key, Seek, Target, lookup};
//!
//! // [true, 7], and the index 1, as Godot 4 encodes them.
//! let bytes = [28, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
//! let index = Key::of(&[2, 0, 0, 0, 1, 0, 0, 0], Dialect::GODOT_4)?;
//! let found = lookup(&bytes, 0, Dialect::GODOT_4, &[Seek::Key(index)])?;
//! assert_eq!(found, Target::Value { at: 16, bytes: &bytes[16..] });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod follower;
mod key;

use self::follower::{Aim, Done, Failed, Follower};
pub use self::key::Key;
use crate::dialect::Dialect;
use crate::error::CodecError;
use crate::event::{Plain, Text};
use crate::kind::Kind;
use crate::path::{Path, PathStep, Step};

/// What one step of a path seeks.
#[derive(Clone, Copy)]
pub enum Seek<'p> {
    /// Seeks the element with this index, the value of this key, or the property of this name, which is a String or
    /// StringName.
    Key(Key<'p>),
    /// Seeks the value of the only entry or property for which `is` returns true.
    Where {
        /// Called for each entry or property.
        is: &'p dyn Fn(PathStep<'_>) -> bool,
        /// Its name in an error.
        name: &'p str,
    },
    /// Seeks the key of this entry of a Dictionary.
    KeyOf(usize),
}

/// The value, element or text that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'a> {
    /// A value.
    Value {
        /// Its offset, in bytes.
        at: usize,
        /// The value.
        bytes: &'a [u8],
    },
    /// An element without a header, in a packed array or one of Pandemonium's arrays without headers.
    Element {
        /// Its offset, in bytes.
        at: usize,
        /// The element: `count` is 1.
        plain: Plain<'a>,
    },
    /// An element of a PackedStringArray.
    Text {
        /// The offset of its length, in bytes.
        at: usize,
        /// The text.
        text: Text<'a>,
    },
}

/// A path that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The value is damaged along the path.
    #[error(transparent)]
    Damaged(CodecError),
    /// A step leads nowhere.
    #[error("{what}{path}")]
    NoStep {
        /// What was expected and what was found.
        what: String,
        /// The path as far as it could be followed.
        path: Path,
    },
}

/// What [`find`] comes to.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found<'a> {
    /// What the path leads to.
    Target(Target<'a>),
    /// A step leads nowhere.
    Nothing,
    /// The step with this number is no key of a Dictionary whose keys are of this kind, unless it can be converted.
    OtherKey {
        /// Its number.
        step: usize,
        /// The kind of the keys.
        kind: Kind,
    },
    /// The path leads past elements or keys that are not of the type of their container: decoding converts or drops them.
    Mistyped {
        /// The number of steps that lead to the container.
        step: usize,
        /// Its offset, in bytes.
        at: usize,
        /// The container.
        bytes: &'a [u8],
    },
}

/// Follows `path` from the value at the start of `bytes`. Offsets count from `base` bytes before it.
///
/// If a key or a name occurs more than once, which no engine writes, the first one counts, and what follows it is not
/// looked at. Of nulls, Callables and containers, which an engine may write so, the last one counts; before damage, the last
/// one that can be reached. Elements and keys are what the bytes say, whatever the type of their container. It takes about as
/// long as [`diff`](crate::change::diff()) takes to skip as many equal bytes.
///
/// # Errors
/// If a step leads nowhere, or the value is damaged along the path.
pub fn lookup<'a>(
    bytes: &'a [u8],
    base: usize,
    dialect: Dialect,
    path: &[Seek<'_>],
) -> Result<Target<'a>, LookupError> {
    let mut done = Vec::with_capacity(path.len());
    let mut follower = Follower::new(bytes, base, dialect, Aim::Explain);
    follower.follow(path.iter().copied(), |step| done.push(step)).map_err(|(count, failed)| match failed {
        Failed::Nowhere(why) => {
            let what = why.text(|| path[count].shown());
            LookupError::NoStep { what, path: outwards(done, dialect).fold(Path::default(), Path::within) }
        }
        Failed::Damaged(error) => LookupError::Damaged(outwards(done, dialect).fold(error, CodecError::within)),
        Failed::OtherKey(_) | Failed::Mistyped => unreachable!("only for `Aim::Decoded`"),
    })
}

/// Like [`lookup`] for keys alone, without the names of steps, and for what decoding makes of typed containers.
///
/// # Errors
/// If the value is damaged along the path.
#[doc(hidden)]
#[inline(always)]
pub fn find<'a>(bytes: &'a [u8], base: usize, dialect: Dialect, path: &[Key<'_>]) -> Result<Found<'a>, CodecError> {
    let mut follower = Follower::new(bytes, base, dialect, Aim::Decoded);
    let (step, failed) = match follower.follow(path.iter().map(|&key| Seek::Key(key)), |_| {}) {
        Ok(target) => return Ok(Found::Target(target)),
        Err(failed) => failed,
    };
    let error = match failed {
        Failed::Nowhere(_) => return Ok(Found::Nothing),
        Failed::OtherKey(kind) => return Ok(Found::OtherKey { step, kind }),
        Failed::Mistyped => match follower.target() {
            Ok(Target::Value { at, bytes }) => return Ok(Found::Mistyped { step, at, bytes }),
            Ok(_) => unreachable!("a container has a header"),
            Err(error) => error,
        },
        Failed::Damaged(error) => error,
    };
    Err(within(bytes, base, dialect, &path[..step], error))
}

/// Puts `path`, which [`find`] followed, before the path of an error about a part of its target.
#[doc(hidden)]
#[cold]
pub fn within(bytes: &[u8], base: usize, dialect: Dialect, path: &[Key<'_>], error: CodecError) -> CodecError {
    let mut done = Vec::with_capacity(path.len());
    let mut follower = Follower::new(bytes, base, dialect, Aim::Explain);
    _ = follower.follow(path.iter().map(|&key| Seek::Key(key)), |step| done.push(step));
    outwards(done, dialect).fold(error, CodecError::within)
}

/// Returns the steps as errors show them, innermost first.
fn outwards(done: Vec<Done<'_>>, dialect: Dialect) -> impl Iterator<Item = Step> {
    done.into_iter().rev().map(move |step| step.shown(dialect))
}

/// Returns the type of the elements of a packed array; for an array without headers, `kind` itself.
pub const fn element_kind(kind: Kind) -> Kind {
    match kind {
        Kind::PackedByteArray | Kind::PackedInt32Array | Kind::PackedInt64Array => Kind::Int,
        Kind::PackedFloat32Array | Kind::PackedFloat64Array => Kind::Float,
        Kind::PackedVector2Array => Kind::Vector2,
        Kind::PackedVector3Array => Kind::Vector3,
        Kind::PackedVector4Array => Kind::Vector4,
        Kind::PackedColorArray => Kind::Color,
        kind => kind,
    }
}
