//! Bytes that are filled piece by piece are copied few times, however long they get.

use super::{MOST_ROOM, room};

/// Returns how often so many bytes are copied to a longer array while they are read in pieces.
fn copies(len: usize, piece: usize) -> usize {
    let (mut end, mut made, mut copies) = (0, 0, 0);
    while end < len {
        end += piece;
        if end > made {
            (made, copies) = (room(end, len - end), copies + 1);
        }
    }
    copies
}

#[test]
fn an_array_grows_in_few_steps() {
    for len in [1 << 20, i32::MAX as usize / 2].into_iter().chain(1_usize.checked_shl(33)) {
        assert!(copies(len, 1 << 20) < 12, "{len} bytes");
    }
}

#[test]
fn a_guess_that_is_far_too_high_makes_no_large_array() {
    assert_eq!(room(10, usize::MAX), 10 + MOST_ROOM);
    assert_eq!(room(isize::MAX as usize, usize::MAX), isize::MAX as usize);
}
