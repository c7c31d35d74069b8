//! Guards: a delta restores what it was made from, whatever the edits cover, and is as small as is promised; a swap
//! goes back and forth between two states, to the byte, as often as one likes, and takes the memory of a delta.

use std::ops::Range;

use proptest::prelude::*;
use varbatch_codec::change::Edit;
use varbatch_codec::change::delta::{self, MAX_OVERHEAD, Swap};

use crate::support::memory::most_held;
use crate::support::random::Random;

/// The delta, after it was seen to be as plain code makes it, and to restore `after`; and a swap to go back and forth.
#[track_caller]
pub fn made(before: &[u8], after: &[u8], edits: impl IntoIterator<Item = Edit>) -> Vec<u8> {
    let edits: Vec<_> = edits.into_iter().collect();
    let made = delta::make(before, after, edits.iter().cloned()).to_vec();
    assert!(made == plain(before, after, &edits), "{made:02x?} of {edits:?}");
    let plan = delta::apply(before, &made).expect("what was made applies");
    assert_eq!(plan.len(), after.len());
    assert!(plan.to_vec() == after, "another result");
    assert!(made.len() <= after.len() + MAX_OVERHEAD, "{} bytes for {}", made.len(), after.len());
    let first = Swap::new(before, after, edits);
    assert!(first.len() < made.len(), "{} bytes, the delta {}", first.len(), made.len());
    let (mut swap, mut bytes) = (first.clone(), before.to_vec());
    for turn in 0..3 {
        swap.apply(&mut bytes);
        assert!(bytes == after, "there, turn {turn}");
        swap.apply(&mut bytes);
        assert!(bytes == before, "back, turn {turn}");
        assert!(swap == first, "the way there is another one after turn {turn}");
    }
    made
}

/// The format once more, as plainly as it can be said.
fn plain(before: &[u8], after: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut runs: Vec<Edit> = Vec::new();
    let mut add = |old: Range<usize>, new: Range<usize>| match runs.last_mut() {
        // One byte between two runs takes no more than a token.
        Some(last) if old.start - last.before.end <= 1 => (last.before.end, last.after.end) = (old.end, new.end),
        _ => runs.push(edit(old, new)),
    };
    for Edit { before: old, after: new } in edits {
        let (a, b) = (&before[old.clone()], &after[new.clone()]);
        if a.len() == b.len() {
            let differing = (0..a.len()).filter(|&at| a[at] != b[at]);
            differing.for_each(|at| add(old.start + at..old.start + at + 1, new.start + at..new.start + at + 1));
        } else {
            let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(a, b)| a == b).count();
            add(old.start + start..old.end - end, new.start + start..new.end - end);
        }
    }
    let token = |done: usize, Edit { before: old, after: new }: &Edit| {
        let copy = (old.start - done) << 3;
        let head = match (old.len(), new.len()) {
            (skip, insert) if skip != insert => [varint(copy), varint(skip), varint(insert)].concat(),
            (_, len @ 7..) => [varint(copy | 7), varint(len - 7)].concat(),
            (_, len) => varint(copy | len),
        };
        [&head[..], &after[new.clone()]].concat()
    };
    let mut out = [&[1][..], &delta::hash(before).to_le_bytes(), &varint(after.len())].concat();
    let starts = [0].into_iter().chain(runs.iter().map(|run| run.before.end));
    let tokens = starts.zip(&runs).flat_map(|(done, run)| token(done, run)).collect::<Vec<_>>();
    if let (Some(first), Some(last)) = (runs.first(), runs.last()) {
        let one = edit(first.before.start..last.before.end, first.after.start..last.after.end);
        let one = token(0, &one);
        out.extend(if one.len() < tokens.len() { one } else { tokens });
    }
    out
}

fn edit(before: Range<usize>, after: Range<usize>) -> Edit {
    Edit { before, after }
}

/// What lies before an edit, what it takes away and what it puts there; the bytes behind the last.
type Parts = (Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>, Vec<u8>);

fn parts() -> impl Strategy<Value = Parts> {
    // Few different bytes, so that edits cover much that is the same.
    let bytes = |most| prop::collection::vec(0..3_u8, 0..most);
    let old_and_new = prop_oneof![
        (bytes(90), bytes(90)),
        prop::collection::vec((0..3_u8, 0..3_u8), 0..300).prop_map(|pairs| pairs.into_iter().unzip()),
        (bytes(300), bytes(4)),
    ];
    let edit = (bytes(200), old_and_new).prop_map(|(same, (old, new))| (same, old, new));
    (prop::collection::vec(edit, 0..12), bytes(200))
}

/// Both states that the parts make, and the edits that lead from one to the other.
fn edits_of((edits, rest): &Parts) -> (Vec<u8>, Vec<u8>, Vec<Edit>) {
    let (mut before, mut after, mut list) = (Vec::new(), Vec::new(), Vec::new());
    for (same, old, new) in edits {
        before.extend_from_slice(same);
        after.extend_from_slice(same);
        list.push(edit(before.len()..before.len() + old.len(), after.len()..after.len() + new.len()));
        before.extend_from_slice(old);
        after.extend_from_slice(new);
    }
    before.extend_from_slice(rest);
    after.extend_from_slice(rest);
    (before, after, list)
}

proptest! {
    #[test]
    fn any_edits_restore_what_they_are_of(parts in parts()) {
        let (before, after, list) = edits_of(&parts);
        made(&before, &after, list);
        made(&before, &after, [edit(0..before.len(), 0..after.len())]);
    }
}

#[test]
fn equal_inputs_take_the_head_alone() {
    let bytes = Random::new(1).bytes(100_000);
    for (len, len_len) in [(0, 1), (1, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (100_000, 3)] {
        let all = &bytes[..len];
        for edits in [vec![], vec![edit(0..len, 0..len)], (0..len / 2).map(|at| edit(at..at, at..at)).collect()] {
            assert!(Swap::new(all, all, edits.clone()).is_empty());
            assert_eq!(made(all, all, edits).len(), 9 + len_len);
        }
    }
}

#[test]
fn the_hash_is_xxh3() {
    // From the hash's own reference implementation: of nothing, with seed 0.
    assert_eq!(delta::hash(b""), 0x2d06_8005_38d3_94c2);
}

#[test]
fn each_length_has_its_code_and_each_gap_is_a_count() {
    let before = [0; 300];
    let all = || [edit(0..300, 0..300)];
    for len in 1..300 {
        let mut after = before;
        after[..len].fill(1);
        made(&before, &after, all());
    }
    for (start, gap) in
        [0, 1, 2, 60, 61, 62, 63, 64, 65, 127, 128].into_iter().flat_map(|at| (1..80).map(move |gap| (at, gap)))
    {
        let mut after = before;
        (after[start], after[start + gap + 1]) = (1, 1);
        let edits = [start, start + gap + 1].map(|at| edit(at..at + 1, at..at + 1));
        assert_eq!(made(&before, &after, all()), made(&before, &after, edits), "{gap} behind {start}");
    }
}

/// A number in the plainest way.
pub fn varint(number: usize) -> Vec<u8> {
    match number {
        0..0x80 => vec![number as u8],
        _ => [&[number as u8 | 0x80][..], &varint(number >> 7)].concat(),
    }
}

#[test]
fn a_huge_gap_is_one_number() {
    let mut before = vec![0; 40 << 20];
    let mut after = before.clone();
    (after[3], after[(40 << 20) - 1]) = (1, 2);
    let all = edit(0..before.len(), 0..before.len());
    assert_eq!(made(&before, &after, [all.clone()]).len(), 13 + 2 + 5 + 1);
    before[20 << 20] = 9;
    made(&before, &after, [all]);
}

/// A new byte before every two: tokens would take more than all of it.
#[test]
fn tokens_that_take_more_than_they_spare_are_one() {
    let before: Vec<_> = (0..3000).map(|index| index as u8).collect();
    let after: Vec<_> = before.chunks(2).flat_map(|two| [&[0xee], two].concat()).collect();
    let made = made(&before, &after, (0..1500).map(|at| edit(2 * at..2 * at, 3 * at..3 * at + 1)));
    assert_eq!(made[11..16], [&[0][..], &varint(2998), &varint(4498)].concat());
}

#[test]
fn long_literals_and_copies_are_borrowed() {
    let (before, mut after) = (vec![7; 8 << 20], vec![7; 8 << 20]);
    after[1 << 20..3 << 20].fill(8);
    let all = edit(0..before.len(), 0..before.len());
    let (made_bytes, plan) = most_held(|| delta::make(&before, &after, [all]));
    assert!(plan.len() > 2 << 20 && made_bytes < 4096, "{made_bytes} bytes");
    let bytes = plan.to_vec();
    let (applied_bytes, plan) = most_held(|| delta::apply(&before, &bytes).expect("applies"));
    assert!(plan.len() == 8 << 20 && applied_bytes < 4096, "{applied_bytes} bytes");
}

/// Each edit list breaks one rule.
#[test]
fn wrong_edits_are_refused() {
    let refused = |edits: Vec<Edit>| {
        let result = std::panic::catch_unwind(|| delta::make(b"0123456789", b"0123456789", edits).len());
        result.is_err()
    };
    assert!(!refused(vec![edit(2..3, 2..3), edit(3..4, 3..4)]));
    assert!(refused(vec![edit(8..11, 8..11)]), "outside of both");
    assert!(refused(vec![edit(8..11, 8..10)]), "outside of one");
    assert!(refused(vec![edit(2..4, 2..4), edit(3..5, 3..5)]), "over each other");
    assert!(refused(vec![edit(4..5, 4..5), edit(2..3, 2..3)]), "not in order");
    assert!(refused(vec![edit(2..3, 2..3), edit(5..6, 6..7)]), "another distance");
    assert!(refused(vec![edit(2..3, 2..4)]), "another rest");
    let backwards = Range { start: 5, end: 3 };
    assert!(refused(vec![edit(backwards.clone(), backwards)]), "backwards");
}

#[test]
fn a_buffer_that_keeps_its_length_stays_where_it_is() {
    let before = Random::new(7).bytes(100_000);
    let mut after = before.clone();
    for at in (0..after.len()).step_by(97) {
        after[at] ^= 1;
    }
    let mut swap = Swap::new(&before, &after, [edit(0..before.len(), 0..after.len())]);
    let mut bytes = before;
    let address = bytes.as_ptr();
    swap.apply(&mut bytes);
    assert!(bytes == after && bytes.as_ptr() == address, "the buffer was copied");
}

#[test]
fn a_buffer_of_another_length_has_no_spare_capacity() {
    let (before, mut after) = (vec![1_u8; 5000], vec![1; 5000]);
    after.splice(70..75, [2; 12]);
    let mut swap = Swap::new(&before, &after, [edit(70..75, 70..82)]);
    let mut bytes = before;
    for expected in [5007, 5000, 5007] {
        swap.apply(&mut bytes);
        assert_eq!((bytes.len(), bytes.capacity()), (expected, expected));
    }
}
