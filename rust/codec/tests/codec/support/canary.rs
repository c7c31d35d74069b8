//! Memory that notices what is written beside it, and what is not written in it.

use std::mem::MaybeUninit;

const CANARY_LEN: usize = 64;
const CANARY: u8 = 0xc5;

/// The `len` bytes that `write` writes.
///
/// # Panics
/// If it writes before or behind them, or leaves one of them as it was.
#[track_caller]
pub fn filled(len: usize, mut write: impl FnMut(&mut [MaybeUninit<u8>])) -> Vec<u8> {
    // A byte that is not written keeps its old value, so that two runs over different values differ there.
    let mut run = |old: u8| {
        let mut memory = vec![MaybeUninit::new(CANARY); len + 2 * CANARY_LEN];
        let (before, rest) = memory.split_at_mut(CANARY_LEN);
        let (dest, behind) = rest.split_at_mut(len);
        dest.fill(MaybeUninit::new(old));
        write(dest);
        assert!(read(before).all(|byte| byte == CANARY), "written before the destination");
        assert!(read(behind).all(|byte| byte == CANARY), "written behind the destination");
        read(dest).collect::<Vec<_>>()
    };
    let (first, second) = (run(0x00), run(0xff));
    if first != second {
        let at = first.iter().zip(&second).position(|(a, b)| a != b);
        panic!("byte {} of {len} was not written", at.expect("the runs have the same length"));
    }
    first
}

fn read(memory: &[MaybeUninit<u8>]) -> impl Iterator<Item = u8> {
    // SAFETY: `filled` gives each byte a value before anything else is done with it.
    memory.iter().map(|byte| unsafe { byte.assume_init() })
}
