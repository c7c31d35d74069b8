//! Tokens without a head, for buffers in memory. Applying them in place turns them into the tokens that lead back.

use super::make::tokens;
use super::token::{Token, write_token};
use crate::change::Edit;

/// Max parts that change their length in place: each moves the bytes after it. With more, the buffer is copied.
const MAX_MOVES: usize = 4;

/// Turns either of two states of a buffer into the other. It has no hash: nothing else may change the buffer.
///
/// ```
/// use varbatch_codec::change::Edit;
/// use varbatch_codec::change::delta::Swap;
///
/// let mut buffer = b"the quick fox".to_vec();
/// let mut swap = Swap::new(&buffer, b"the slow fox", [Edit { before: 4..9, after: 4..8 }]);
/// swap.apply(&mut buffer);
/// assert_eq!(buffer, b"the slow fox");
/// swap.apply(&mut buffer);
/// assert_eq!(buffer, b"the quick fox");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    tokens: Vec<u8>,
    /// True if each token replaces as many bytes as it inserts.
    keeps_len: bool,
}

impl Swap {
    /// Makes the difference between two states. Takes the same edits as [`make`](super::make()), and panics like it.
    pub fn new(before: &[u8], after: &[u8], edits: impl IntoIterator<Item = Edit>) -> Self {
        let mut keeps_len = true;
        let edits = edits.into_iter().inspect(|edit| keeps_len &= edit.before.len() == edit.after.len());
        let tokens = tokens(before, after, edits, Vec::new()).to_vec();
        Self { tokens, keeps_len }
    }

    /// Returns the length, in bytes.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// True if both states are the same.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Turns `bytes` into the other state, in place unless many parts change their length. Leaves no spare capacity.
    /// Panics if `bytes` is shorter than either state.
    pub fn apply(&mut self, bytes: &mut Vec<u8>) {
        if self.keeps_len {
            return self.exchange(bytes);
        }
        let (mut moves, mut grown, mut shrunk, mut read_at) = (0, 0, 0, 0);
        while read_at < self.tokens.len() {
            let token = Token::read(&self.tokens, &mut read_at);
            moves += usize::from(token.skip != token.insert);
            grown += token.insert.saturating_sub(token.skip);
            shrunk += token.skip.saturating_sub(token.insert);
            read_at += token.insert;
        }
        let mut back = Vec::with_capacity(self.tokens.len() + shrunk);
        // In place, each part that changes its length moves the bytes after it.
        let mut copied = (moves > MAX_MOVES).then(|| Vec::with_capacity(bytes.len() + grown - shrunk));
        if copied.is_none() {
            bytes.reserve_exact(grown);
        }
        let (mut read_at, mut at) = (0, 0);
        while read_at < self.tokens.len() {
            let token = Token::read(&self.tokens, &mut read_at);
            let literals = &self.tokens[read_at..][..token.insert];
            let old = at + token.copy..at + token.copy + token.skip;
            write_token(token.copy, token.insert, token.skip, &mut back);
            back.extend_from_slice(&bytes[old.clone()]);
            if let Some(copied) = &mut copied {
                copied.extend_from_slice(&bytes[at..old.start]);
                copied.extend_from_slice(literals);
                at = old.end;
            } else {
                at = old.start + token.insert;
                if token.skip == token.insert {
                    bytes[old].copy_from_slice(literals);
                } else {
                    bytes.splice(old, literals.iter().copied());
                }
            }
            read_at += token.insert;
        }
        if let Some(mut copied) = copied {
            copied.extend_from_slice(&bytes[at..]);
            *bytes = copied;
        } else {
            bytes.shrink_to_fit();
        }
        back.shrink_to_fit();
        self.tokens = back;
    }

    /// Exchanges bytes, for tokens that each replace as many bytes as they insert.
    fn exchange(&mut self, bytes: &mut [u8]) {
        let (mut read_at, mut at) = (0, 0);
        while read_at < self.tokens.len() {
            let token = Token::read(&self.tokens, &mut read_at);
            at += token.copy;
            self.tokens[read_at..][..token.skip].swap_with_slice(&mut bytes[at..][..token.skip]);
            read_at += token.skip;
            at += token.skip;
        }
    }
}
