//! Builds the plan of a result from a delta and its base. Holds all bounds checks of deltas.

use super::token::{CODE_BITS, LONG, OTHER_LEN, Output};
use super::{DeltaError, DeltaErrorKind, LEN_AT, VERSION, bytes, hash};
use crate::limits::MAX_VALUE_LEN;
use crate::plan::Plan;

/// The maximum length of a number, in bytes: 63 bits, so that it fits in a signed integer.
const MAX_NUMBER_LEN: usize = 9;

/// Returns the plan of the result that `delta` makes from `before`. Checks everything before it allocates memory for
/// the result.
///
/// The delta may come from anywhere. It is read once. The plan takes less than 96 bytes for each byte of the delta. The
/// result has at most `before.len() + delta.len()` bytes, as each of them is a byte of the base, which is read once
/// from start to end, or a literal of the delta. It also has at most [`MAX_VALUE_LEN`] bytes.
///
/// # Errors
/// If the delta was made from another base, or is visibly damaged. Literals have no hash: damaged literals go into the
/// result.
pub fn apply<'a>(before: &'a [u8], delta: &'a [u8]) -> Result<Plan<'a>, DeltaError> {
    let mut input = Input::new(delta);
    let len = head(before, &mut input)?;
    let mut base = before;
    let mut output = Output::new();
    while !input.is_at_end() {
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
        return Err(DeltaError::new(LEN_AT, DeltaErrorKind::Len { expected: len, found: plan.len() }));
    }
    Ok(plan)
}

/// Reads everything before the tokens. Returns the length of the result.
fn head(before: &[u8], input: &mut Input<'_>) -> Result<u64, DeltaError> {
    if input.is_at_end() {
        return Err(input.end("the version"));
    }
    let version = input.bytes("the version", 1)?[0];
    if version != VERSION {
        return Err(DeltaError::new(0, DeltaErrorKind::Version(version)));
    }
    let expected = input.bytes("the hash", 8)?;
    let expected = u64::from_le_bytes(expected.try_into().expect("eight bytes"));
    debug_assert_eq!(input.at, LEN_AT);
    let len = input.number("the length of the result")?;
    if len > MAX_VALUE_LEN as u64 {
        return Err(DeltaError::too_large(len));
    }
    // Checked last, as it takes the longest.
    let found = hash(before);
    if expected != found {
        return Err(DeltaError::new(1, DeltaErrorKind::Base { expected, found, len: before.len() }));
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
    fn new(delta: &'d [u8]) -> Self {
        Self { delta, at: 0 }
    }

    fn is_at_end(&self) -> bool {
        self.at == self.delta.len()
    }

    fn rest(&self) -> &'d [u8] {
        &self.delta[self.at..]
    }

    /// Makes the error of a part that is missing.
    #[cold]
    fn end(&self, part: &str) -> DeltaError {
        DeltaError::damaged(self.delta.len(), format!("expected {part}, found the end"))
    }

    #[cold]
    fn short(&self, part: &str, expected: u64) -> DeltaError {
        let text = format!("expected {} for {part}, found {}", bytes(expected), self.rest().len());
        DeltaError::damaged(self.at, text)
    }

    /// Reads the next `len` bytes.
    #[inline]
    fn bytes(&mut self, part: &str, len: u64) -> Result<&'d [u8], DeltaError> {
        let rest = self.rest();
        if len > rest.len() as u64 {
            return Err(self.short(part, len));
        }
        self.at += len as usize;
        Ok(&rest[..len as usize])
    }

    /// Reads the next number.
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
