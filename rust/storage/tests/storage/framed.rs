//! Streams of frames by hand.

use crate::support::wire::words;

/// Values as a stream of frames.
pub fn framed(payloads: &[Vec<u8>]) -> Vec<u8> {
    payloads.iter().flat_map(|payload| [words(&[payload.len() as u32]), payload.clone()].concat()).collect()
}
