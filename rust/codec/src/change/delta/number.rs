//! Numbers of a delta: unsigned LEB128 (seven bits per byte, lowest first) in as few bytes as possible.

use super::error::{DeltaError, bytes};
use super::format::MAX_NUMBER_LEN;

/// Appends a number below 2^63.
#[inline]
pub(super) fn write(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number that [`write`] has written at `at`, and advances `at` past it.
#[inline(always)]
pub(super) fn read(bytes: &[u8], at: &mut usize) -> usize {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// The unread bytes of a delta.
pub(super) struct Input<'d> {
    delta: &'d [u8],
    pub(super) at: usize,
}

impl<'d> Input<'d> {
    pub(super) fn new(delta: &'d [u8]) -> Self {
        Self { delta, at: 0 }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.delta.len()
    }

    pub(super) fn rest(&self) -> &'d [u8] {
        &self.delta[self.at..]
    }

    /// Makes the error of a part that is missing.
    #[cold]
    pub(super) fn end(&self, part: &str) -> DeltaError {
        DeltaError::damaged(self.delta.len(), format!("expected {part}, found the end"))
    }

    #[cold]
    fn short(&self, part: &str, expected: u64) -> DeltaError {
        let text = format!("expected {} for {part}, found {}", bytes(expected), self.rest().len());
        DeltaError::damaged(self.at, text)
    }

    /// Reads the next `len` bytes.
    #[inline]
    pub(super) fn bytes(&mut self, part: &str, len: u64) -> Result<&'d [u8], DeltaError> {
        let rest = self.rest();
        if len > rest.len() as u64 {
            return Err(self.short(part, len));
        }
        self.at += len as usize;
        Ok(&rest[..len as usize])
    }

    /// Reads the next number.
    #[inline]
    pub(super) fn number(&mut self, part: &str) -> Result<u64, DeltaError> {
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
