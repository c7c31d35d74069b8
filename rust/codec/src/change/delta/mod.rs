//! Deltas: compact bytes that turn one byte string, the base, into another, the result.
//!
//! [`make`] writes one from edits, [`apply`] plans its result; both take any bytes. `rust/docs/DELTA.md` is the format.
//!
//! ```text
//! u8 version  u64 hash of the base  number: length of the result  tokens to the end of the delta
//! token: number (copy << 3 | code), then by the code
//!   1 to 6  as many literal bytes, which replace as many of the base
//!   7       number (n - 7), n literal bytes, which replace n of the base
//!   0       number (skip), number (insert), `insert` literal bytes, which replace `skip` of the base
//! ```
//!
//! Each token first copies `copy` bytes of the base. After the last token, the rest of the base is copied. So the base
//! is read once from start to end: the result is at most as long as base and delta together, whatever the delta says.
//!
//! ```
//! use varbatch_codec::change::{Edit, delta};
//!
//! let (before, after) = (b"the quick fox", b"the slow fox");
//! let delta = delta::make(before, after, [Edit { before: 4..9, after: 4..8 }]).to_vec();
//! assert_eq!(delta::apply(before, &delta)?.to_vec(), after);
//! # Ok::<(), delta::DeltaError>(())
//! ```

mod make;
mod swap;
mod token;

use xxhash_rust::xxh3::xxh3_64;

pub use self::make::make;
pub use self::swap::Swap;
use self::token::{CODE_BITS, LONG, OTHER_LEN, Output};
use crate::{MAX_VALUE_LEN, Plan};

/// The first byte of every delta. There is no other version.
pub const VERSION: u8 = 1;

/// Max bytes by which a delta is longer than its result, within [`MAX_VALUE_LEN`]: version, hash, length and a token.
pub const MAX_OVERHEAD: usize = 1 + 8 + 5 + 1 + 5 + 5;

/// The maximum length of a number, in bytes: 63 bits, so that it fits in a signed integer.
const MAX_NUMBER_LEN: usize = 9;

/// The offset of the length of the result, after version and hash.
const LEN_AT: usize = 9;

/// Returns the hash that identifies a base: 64-bit XXH3, seed 0. It does not protect against deliberate collisions.
pub fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Returns the plan of the result that `delta` makes from `before`. Fails if the delta was made from another base, or
/// is visibly damaged; damaged literals, which have no hash, go into the result.
///
/// The delta may come from anywhere: all is checked before memory is allocated. The plan takes less than 96 bytes for
/// each of the delta, the result at most [`MAX_VALUE_LEN`], and at most `before.len() + delta.len()`.
pub fn apply<'a>(before: &'a [u8], delta: &'a [u8]) -> Result<Plan<'a>, DeltaError> {
    let mut input = Input { delta, at: 0 };
    let len = head(before, &mut input)?;
    let mut base = before;
    let mut output = Output::default();
    while !input.rest().is_empty() {
        let at = input.at;
        // Checks that as many bytes of the base remain.
        let within = |base: &[u8], action: &str, len: u64| {
            if len <= base.len() as u64 { Ok(len as usize) } else { Err(beyond(before, base, action, len, at)) }
        };
        let token = input.number("a token")?;
        let copy = within(base, "copy", token >> CODE_BITS)?;
        output.start_of(base, copy);
        base = &base[copy..];
        let code = token & ((1 << CODE_BITS) - 1);
        let (skip, insert) = match code as usize {
            OTHER_LEN => (input.number("a count to skip")?, input.number("a count to insert")?),
            LONG => {
                let len = LONG as u64 + input.number("a count to replace")?;
                (len, len)
            }
            _ => (code, code),
        };
        base = &base[within(base, "replace", skip)?..];
        let literals = input.rest();
        let insert = input.bytes("literals", insert)?.len();
        output.start_of(literals, insert);
    }
    output.start_of(base, base.len());
    let plan = output.into_plan();
    if plan.len() as u64 != len {
        return Err(DeltaError { kind: DeltaErrorKind::Len { expected: len, found: plan.len() }, at: LEN_AT });
    }
    Ok(plan)
}

/// Reads everything before the tokens. Returns the length of the result.
fn head(before: &[u8], input: &mut Input<'_>) -> Result<u64, DeltaError> {
    let version = *input.delta.first().ok_or_else(|| input.end("the version"))?;
    input.at = 1;
    if version != VERSION {
        return Err(DeltaError { kind: DeltaErrorKind::Version(version), at: 0 });
    }
    let expected = input.bytes("the hash", 8)?;
    let expected = u64::from_le_bytes(expected.try_into().expect("eight bytes"));
    debug_assert_eq!(input.at, LEN_AT);
    let len = input.number("the length of the result")?;
    if len > MAX_VALUE_LEN as u64 {
        let text = format!("expected at most {MAX_VALUE_LEN} bytes for the result, found {len}");
        return Err(DeltaError::damaged(LEN_AT, text));
    }
    // Checked last, as it takes the longest.
    let found = hash(before);
    if expected != found {
        return Err(DeltaError { kind: DeltaErrorKind::Base { expected, found, len: before.len() }, at: 1 });
    }
    Ok(len)
}

/// Makes the error of a token at byte `at` of the delta that needs more of the base than its rest.
#[cold]
fn beyond(before: &[u8], rest: &[u8], action: &str, found: u64, at: usize) -> DeltaError {
    let (most, base_at) = (bytes(rest.len() as u64), before.len() - rest.len());
    DeltaError::damaged(at, format!("expected at most {most} to {action} at byte {base_at} of the base, found {found}"))
}

/// The unread bytes of a delta.
struct Input<'d> {
    delta: &'d [u8],
    at: usize,
}

impl<'d> Input<'d> {
    fn rest(&self) -> &'d [u8] {
        &self.delta[self.at..]
    }

    #[cold]
    fn end(&self, part: &str) -> DeltaError {
        DeltaError::damaged(self.delta.len(), format!("expected {part}, found the end"))
    }

    #[cold]
    fn short(&self, part: &str, expected: u64) -> DeltaError {
        let text = format!("expected {} for {part}, found {}", bytes(expected), self.rest().len());
        DeltaError::damaged(self.at, text)
    }

    #[inline]
    fn bytes(&mut self, part: &str, len: u64) -> Result<&'d [u8], DeltaError> {
        let rest = self.rest();
        if len > rest.len() as u64 {
            return Err(self.short(part, len));
        }
        self.at += len as usize;
        Ok(&rest[..len as usize])
    }

    #[inline]
    fn number(&mut self, part: &str) -> Result<u64, DeltaError> {
        match self.delta.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(byte.into())
            }
            _ => self.long_number(part),
        }
    }

    fn long_number(&mut self, part: &str) -> Result<u64, DeltaError> {
        let rest = self.rest();
        let Some(last) = rest.iter().take(MAX_NUMBER_LEN).position(|&byte| byte < 0x80) else {
            return Err(match rest.len() {
                MAX_NUMBER_LEN.. => {
                    let text = format!("expected at most {MAX_NUMBER_LEN} bytes for {part}, found more");
                    DeltaError::damaged(self.at, text)
                }
                _ => self.end(part),
            });
        };
        if last > 0 && rest[last] == 0 {
            let text = format!("expected {part} in as few bytes as it needs, found a last byte of 0");
            return Err(DeltaError::damaged(self.at, text));
        }
        self.at += last + 1;
        Ok(rest[..=last].iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)))
    }
}

/// A delta that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}, at byte {at} of the delta")]
pub struct DeltaError {
    /// What was expected and what was found.
    pub kind: DeltaErrorKind,
    /// The offset in the delta, in bytes.
    pub at: usize,
}

impl DeltaError {
    #[cold]
    fn damaged(at: usize, text: String) -> Self {
        Self { kind: DeltaErrorKind::Damaged(text), at }
    }
}

/// Why a delta cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum DeltaErrorKind {
    /// The bytes are not a delta, or a delta of an unknown version, which is their first byte.
    #[error("expected version {VERSION} of the delta format, found {0}")]
    Version(u8),
    /// The delta was made from another base: the hash of that one, and the hash and the length in bytes of this one.
    #[error("expected a base with the hash {expected:016x}, found {found:016x} for its {}", bytes(*.len as u64))]
    Base { expected: u64, found: u64, len: usize },
    /// The delta ends early, or holds a number that cannot be: what was expected and what was found.
    #[error("{0}")]
    Damaged(String),
    /// The result does not have the length in bytes that the delta announces.
    #[error("expected {} for the result, found {found}", bytes(*.expected))]
    Len { expected: u64, found: usize },
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}
