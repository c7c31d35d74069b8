//! Guards: a swap goes back and forth between two states, to the byte, as often as one likes, and takes the memory of a delta.

use proptest::prelude::*;
use varbatch_codec::change::Edit;
use varbatch_codec::change::delta::{self, Swap};

use crate::delta::{edit, edits_of, parts};
use crate::support::random::Random;

const TURNS: usize = 3;

/// Goes back and forth, and gives the swap as it was made.
#[track_caller]
fn check(before: &[u8], after: &[u8], edits: &[Edit]) -> Swap {
    let made = Swap::new(before, after, edits.to_vec());
    let delta = delta::make(before, after, edits.to_vec());
    assert!(made.len() < delta.len(), "{} bytes, the delta {}", made.len(), delta.len());
    let (mut swap, mut bytes) = (made.clone(), before.to_vec());
    for turn in 0..TURNS {
        swap.apply(&mut bytes);
        assert!(bytes == after, "there, turn {turn}");
        swap.apply(&mut bytes);
        assert!(bytes == before, "back, turn {turn}");
        assert!(swap == made, "the way there is another one after turn {turn}");
    }
    made
}

proptest! {
    #[test]
    fn any_edits_go_back_and_forth(parts in parts()) {
        let (before, after, edits) = edits_of(&parts);
        check(&before, &after, &edits);
        let all = edit(0..before.len(), 0..after.len());
        check(&before, &after, &[all]);
    }
}

#[test]
fn equal_states_take_nothing() {
    assert!(check(b"same", b"same", &[]).is_empty());
    assert!(check(b"", b"", &[edit(0..0, 0..0)]).is_empty());
}

#[test]
fn a_buffer_that_keeps_its_length_stays_where_it_is() {
    let before = Random::new(7).bytes(100_000);
    let mut after = before.clone();
    for at in (0..after.len()).step_by(97) {
        after[at] ^= 1;
    }
    let mut swap = check(&before, &after, &[edit(0..before.len(), 0..after.len())]);
    let mut bytes = before;
    let address = bytes.as_ptr();
    swap.apply(&mut bytes);
    assert!(bytes == after && bytes.as_ptr() == address, "the buffer was copied");
}

#[test]
fn a_buffer_of_another_length_has_no_spare_capacity() {
    let (before, mut after) = (vec![1_u8; 5000], vec![1; 5000]);
    after.splice(70..75, [2; 12]);
    let mut swap = check(&before, &after, &[edit(70..75, 70..82)]);
    let mut bytes = before;
    for expected in [5007, 5000, 5007] {
        swap.apply(&mut bytes);
        assert_eq!((bytes.len(), bytes.capacity()), (expected, expected));
    }
}
