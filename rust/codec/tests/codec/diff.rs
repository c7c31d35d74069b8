//! What differs between two values, over pairs that a seed makes: states that somebody edited, and unrelated ones.

use varbatch_codec::Width;
use varbatch_codec::change::{DiffOptions, Edit, Op, diff, edits};

use crate::support::edited;
use crate::support::naive;
use crate::support::random::Random;
use crate::support::value::Value;
use crate::support::wire::words;

pub const OPTIONS: DiffOptions = DiffOptions { allow_objects: true, real: Width::Single };

/// Pairs of states, encoded.
pub fn pairs(seed: u64, count: usize) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let mut random = Random::new(seed);
    (0..count).map(move |_| {
        let before = edited::any(&mut random, 4);
        let after = match random.below(10) {
            0 => edited::any(&mut random, 4),
            1 => before.clone(),
            _ => edited::edited(&mut random, &before),
        };
        (naive::value(&before), naive::value(&after))
    })
}

/// Puts the bytes of `after` where the edits say so, and checks that all others are the same in both.
fn restored(before: &[u8], after: &[u8], edits: &[Edit]) -> Vec<u8> {
    let (mut result, mut at) = (Vec::new(), (0, 0));
    for edit in edits {
        let kept = &before[at.0..edit.before.start];
        assert_eq!(kept, &after[at.1..edit.after.start], "what no edit is about");
        result.extend_from_slice(kept);
        result.extend_from_slice(&after[edit.after.clone()]);
        at = (edit.before.end, edit.after.end);
    }
    result.extend_from_slice(&before[at.0..]);
    result
}

#[test]
fn edits_lead_from_one_to_the_other() {
    let mut some = 0;
    for (before, after) in pairs(1, 20_000) {
        let edits = edits(&before, &after);
        assert_eq!(restored(&before, &after, &edits), after);
        some += usize::from(edits.len() > 2);
        assert_eq!(edits.is_empty(), before == after);
    }
    assert!(some > 4000, "{some}");
}

#[test]
fn any_bytes_have_edits() {
    let mut random = Random::new(2);
    for (before, mut after) in pairs(3, 5000) {
        for _ in 0..random.below(3) {
            let at = random.below(after.len());
            after[at] ^= 1 << random.below(8);
        }
        after.truncate(random.below(after.len()) + 1);
        let more = random.pick(&[0, 0, 3, 8]);
        after.extend(random.bytes(more));
        for (a, b) in [(&before, &after), (&after, &before)] {
            assert_eq!(restored(a, b, &edits(a, b)), *b);
        }
    }
}

#[test]
fn no_change_is_no_change() {
    for (before, after) in pairs(4, 3000) {
        let changes = diff(&before, &before, OPTIONS).unwrap();
        assert_eq!(changes.iter().len(), 0);
        let changes = diff(&before, &after, OPTIONS).unwrap();
        assert_eq!(changes.iter().len() == 0, before == after);
        for change in changes.iter() {
            assert_eq!(change.old.is_none(), change.op == Op::Insert);
            assert_eq!(change.new.is_none(), change.op == Op::Remove);
        }
    }
}

/// As long as the edits are few, they are found as such: what they are made of is no larger than what was edited.
#[test]
fn one_edit_is_few_bytes() {
    let mut random = Random::new(5);
    for _ in 0..300 {
        let elements: Vec<_> = (0..40).map(|_| edited::any(&mut random, 2)).collect();
        let mut after = elements.clone();
        let (new, at) = (edited::any(&mut random, 2), random.below(40));
        let len = naive::value(&new).len();
        after.insert(at, new);
        let array = |elements| naive::value(&Value::array(elements));
        let (before, after) = (array(elements), array(after));
        let bytes = |edits: Vec<Edit>| edits.iter().map(|edit| edit.after.len()).sum::<usize>();
        assert!(bytes(edits(&before, &after)) <= len + 4, "an element more");
        assert!(bytes(edits(&after, &before)) <= 4, "an element less");
    }
}

#[test]
fn errors_say_which_and_where() {
    let good = naive::value(&Value::Int(5));
    let told = |before: &[u8], after: &[u8]| diff(before, after, OPTIONS).unwrap_err().to_string();
    assert_eq!(told(&good, &good[..6]), "after: expected 4 more bytes for int, found 2, at byte 4");
    assert_eq!(told(&[], &good), "before: expected 4 more bytes for a header, found 0, at byte 0");
    let longer = [&good[..], &[1, 2]].concat();
    assert_eq!(told(&longer, &good), "before: expected nothing after the value, found 2 bytes, at byte 8");
    assert_eq!(told(&good, &longer[..9]), "after: expected nothing after the value, found 1 byte, at byte 8");
}

/// The padding of a PackedByteArray may be missing where it ends the buffer.
#[test]
fn a_last_padding_that_is_missing_is_no_difference_of_values() {
    let padded = |bytes: &[u8]| [bytes, &[0; 3]].concat()[..bytes.len().next_multiple_of(4)].to_vec();
    let mut all = Vec::new();
    for (len, last) in (1..=4).flat_map(|len| [(len, 1), (len, 2)]) {
        for head in [&[28, 1][..], &[28, 2, 0], &[27, 1, 0], &[27, 1, 2, 7], &[27, 2, 2, 7, 0, 0], &[]] {
            let bare = [words(head), words(&[29, len]), vec![last; len as usize]].concat();
            all.extend([padded(&bare), bare]);
        }
    }
    for before in &all {
        for after in &all {
            assert_eq!(restored(before, after, &edits(before, after)), *after);
            let changes = diff(before, after, OPTIONS).expect("both are values");
            assert_eq!(changes.iter().len() > 0, padded(before) != padded(after));
        }
    }
}
