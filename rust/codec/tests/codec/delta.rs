//! Guards: a delta restores what it was made from, whatever the edits cover, and is as small as is promised.

use std::ops::Range;

use proptest::prelude::*;
use varbatch_codec::change::Edit;
use varbatch_codec::change::delta::{self, MAX_OVERHEAD};

use crate::support::allocator::most_held;
use crate::support::random::Random;

/// Version, hash, and a length of up to 127.
const HEAD_LEN: usize = 10;

/// The delta, after it was seen to restore `after`.
#[track_caller]
pub fn made(before: &[u8], after: &[u8], edits: impl IntoIterator<Item = Edit>) -> Vec<u8> {
    let made = delta::make(before, after, edits).to_vec();
    let plan = delta::apply(before, &made).expect("what was made applies");
    assert_eq!(plan.len(), after.len());
    assert!(plan.to_vec() == after, "another result");
    assert!(made.len() <= after.len() + MAX_OVERHEAD, "{} bytes for {}", made.len(), after.len());
    made
}

pub fn edit(before: Range<usize>, after: Range<usize>) -> Edit {
    Edit { before, after }
}

/// Of strings of the same length, one edit of all.
#[track_caller]
fn tokens(before: &[u8], after: &[u8]) -> Vec<u8> {
    made(before, after, [edit(0..before.len(), 0..after.len())]).split_off(HEAD_LEN)
}

/// What lies before an edit, what it takes away and what it puts there; the bytes behind the last.
pub type Parts = (Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>, Vec<u8>);

pub fn parts() -> impl Strategy<Value = Parts> {
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
pub fn edits_of((edits, rest): &Parts) -> (Vec<u8>, Vec<u8>, Vec<Edit>) {
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
    for len in [0, 1, 127, 128, 16_383, 16_384, 100_000] {
        let all = &bytes[..len];
        let edits = [vec![], vec![edit(0..len, 0..len)], (0..len / 2).map(|at| edit(at..at, at..at)).collect()];
        for edits in edits {
            let made = made(all, all, edits);
            let len_len = 1 + [1 << 7, 1 << 14].iter().filter(|&&from| len >= from).count();
            assert_eq!(made.len(), 9 + len_len);
            assert_eq!((made[0], &made[1..9]), (1, &delta::hash(all).to_le_bytes()[..]));
        }
    }
}

#[test]
fn from_nothing_and_to_nothing() {
    assert_eq!(made(b"", b"new", [edit(0..0, 0..3)])[HEAD_LEN..], *b"\0\0\x03new");
    assert_eq!(made(b"old", b"", [edit(0..3, 0..0)])[HEAD_LEN..], [0, 3, 0]);
}

#[test]
fn the_hash_is_xxh3() {
    // From the hash's own reference implementation: of nothing, with seed 0.
    assert_eq!(delta::hash(b""), 0x2d06_8005_38d3_94c2);
}

#[test]
fn each_length_has_its_code() {
    let before = [0; 300];
    for len in 1..300 {
        let mut after = before;
        after[..len].fill(1);
        let head: &[u8] = match len {
            1..=6 => &[len as u8],
            7..=134 => &[7, len as u8 - 7],
            _ => &[7, (len - 7) as u8 | 0x80, ((len - 7) >> 7) as u8],
        };
        let made = made(&before, &after, [edit(0..300, 0..300)]);
        assert_eq!(made[11..], [head, &after[..len]].concat(), "{len} bytes");
    }
}

#[test]
fn each_gap_is_a_count_and_one_byte_is_none() {
    for start in [0, 1, 2, 60, 61, 62, 63, 64, 65, 127, 128] {
        for gap in 1..80 {
            let (before, mut after) = ([0; 300], [0; 300]);
            after[start] = 1;
            after[start + gap + 1] = 1;
            let first = varint(start << 3 | 1);
            let expected = match gap {
                1 => [&varint(start << 3 | 3)[..], &[1, 0, 1]].concat(),
                _ => [&first[..], &[1], &varint(gap << 3 | 1)[..], &[1]].concat(),
            };
            let made = made(&before, &after, [edit(0..300, 0..300)]);
            assert_eq!(made[11..], expected, "{gap} behind {start}");
            let edits = [start, start + gap + 1].map(|at| edit(at..at + 1, at..at + 1));
            assert_eq!(delta::make(&before, &after, edits).to_vec(), made, "as two edits");
        }
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
    let expected = [&[3 << 3 | 1, 1][..], &varint(((40 << 20) - 5) << 3 | 1), &[2]].concat();
    assert_eq!(made(&before, &after, [all.clone()])[13..], expected);
    before[20 << 20] = 9;
    let (first, second) = ((20 << 20) - 4, (20 << 20) - 2);
    let expected = [&[3 << 3 | 1, 1][..], &varint(first << 3 | 1), &[0], &varint(second << 3 | 1), &[2]].concat();
    assert_eq!(made(&before, &after, [all])[13..], expected);
}

#[test]
fn an_edit_of_another_length_is_cut_at_both_ends() {
    for len in [0, 1, 63, 64, 65, 200] {
        let same = Random::new(len as u64).bytes(len);
        let with = |middle: &[u8]| [&same, middle, &same].concat();
        for (old, new) in [(&b"ab"[..], &b"a-b"[..]), (b"aab", b"ab"), (b"x", b"yz"), (b"", b"new")] {
            let (before, after) = (with(old), with(new));
            let made = made(&before, &after, [edit(0..before.len(), 0..after.len())]);
            let head_len = 9 + varint(after.len()).len();
            let literals = made.len() - head_len - varint(len << 3).len() - 2;
            let expected = [("a-b", 1), ("ab", 0), ("yz", 2), ("new", 3)];
            let expected = expected.iter().find(|(name, _)| name.as_bytes() == new).expect("a row").1;
            // The random bytes may have another one in common with the new ones.
            assert!(literals <= expected, "{literals} literals for {new:?} after {len}");
        }
    }
}

#[test]
fn runs_in_edits_side_by_side_are_one() {
    let edits = [edit(0..1, 0..1), edit(1..3, 1..1), edit(3..3, 1..3), edit(3..4, 3..4)];
    assert_eq!(made(b"abcdz", b"ABCDz", edits)[HEAD_LEN..], [&[4][..], b"ABCD"].concat());
    assert_eq!(tokens(b"abcdefghi", b"AbCdefGhI"), [&[3][..], b"AbC", &[3 << 3 | 3], b"GhI"].concat());
}

/// A new byte before every two: tokens would take more than all of it.
#[test]
fn tokens_that_take_more_than_they_spare_are_one() {
    let before: Vec<_> = (0..3000).map(|index| index as u8).collect();
    let (mut after, mut edits) = (Vec::new(), Vec::new());
    for (index, two) in before.chunks(2).enumerate() {
        edits.push(edit(index * 2..index * 2, after.len()..after.len() + 1));
        after.extend_from_slice(&[&[0xee], two].concat());
    }
    let made = made(&before, &after, edits);
    assert!(made[11..] == [&[0][..], &varint(2998), &varint(4498), &after[..4498]].concat());
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
