//! Memory that notices what is written beside it, and what is not written in it.

use std::mem::MaybeUninit;

use varbatch_codec::{Part, fill};

const CANARY_LEN: usize = 64;
const CANARY: u8 = 0xc5;

/// The `len` bytes, or characters, that `write` writes.
///
/// # Panics
/// If it writes before or behind them, or leaves one of them as it was.
#[track_caller]
pub fn filled<T: Copy + PartialEq + From<u8>>(len: usize, mut write: impl FnMut(&mut [MaybeUninit<T>])) -> Vec<T> {
    // What is not written keeps its old value, so that two runs over different values differ there.
    let mut run = |old: u8| {
        let mut memory = vec![MaybeUninit::new(T::from(CANARY)); len + 2 * CANARY_LEN];
        let (before, rest) = memory.split_at_mut(CANARY_LEN);
        let (dest, behind) = rest.split_at_mut(len);
        dest.fill(MaybeUninit::new(T::from(old)));
        write(dest);
        assert!(read(before).all(|value| value == T::from(CANARY)), "written before the destination");
        assert!(read(behind).all(|value| value == T::from(CANARY)), "written behind the destination");
        read(dest).collect::<Vec<_>>()
    };
    let (first, second) = (run(0x00), run(0xff));
    if first != second {
        let at = first.iter().zip(&second).position(|(a, b)| a != b);
        panic!("place {} of {len} was not written", at.expect("the runs have the same length"));
    }
    first
}

fn read<T: Copy>(memory: &[MaybeUninit<T>]) -> impl Iterator<Item = T> {
    // SAFETY: `filled` gives each place a value before anything else is done with it.
    memory.iter().map(|place| unsafe { place.assume_init() })
}

/// Fills a part piece by piece, the last piece first: any order must do, as pieces go to any threads.
pub fn fill_pieces(part: Part<'_, '_>, dest: &mut [MaybeUninit<u8>]) {
    let mut pieces = Vec::new();
    fill::cut(part, dest, &mut pieces);
    pieces.into_iter().rev().for_each(fill::Piece::fill);
}
