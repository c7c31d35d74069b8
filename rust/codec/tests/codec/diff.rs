//! Guards: what differs between two values, states that somebody edited and unrelated ones, leads from one to the
//! other, and back when it is turned around.
//!
//! Guards what is passed without following its lengths: long arrays of records that are laid out alike, but not quite.

use varbatch_codec::change::{Change, DiffOptions, Edit, Op, PatchError, diff, edits, patch};
use varbatch_codec::{Kind, PathStep, Width};

use crate::support::random::Random;
use crate::support::value::{Element, Value};
use crate::support::wire::words;
use crate::support::{edited, edits, naive};

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

/// Returns the change that takes another one back.
fn undo(change: Change<'_>) -> Change<'_> {
    Change { op: edits::inverse(change.op), old: change.new, new: change.old, ..change }
}

fn patched<'a>(before: &'a [u8], changes: Vec<Change<'a>>) -> Result<Vec<u8>, PatchError> {
    edits::patched_by(before, changes, |_, _| false)
}

#[test]
fn changes_lead_from_one_to_the_other_and_back() {
    let mut counts = [0; 3];
    for (number, (before, after)) in pairs(11, 20_000).enumerate() {
        let changes = diff(&before, &after, OPTIONS).expect("both are values");
        assert_eq!(patch(&before, &changes).as_ref(), Ok(&after), "pair {number}");
        assert_eq!(changes.iter().len() == 0, before == after, "pair {number}");
        let edits = edits(&before, &after);
        assert_eq!((restored(&before, &after, &edits), edits.is_empty()), (after.clone(), before == after));
        let mut changes: Vec<_> = changes.iter().collect();
        for change in &changes {
            counts[change.op as usize] += 1;
            let parts = (change.old.is_some(), change.new.is_some());
            assert_eq!(parts, (change.op != Op::Insert, change.op != Op::Remove), "pair {number}");
        }
        changes.reverse();
        let back = changes.into_iter().map(undo).collect();
        assert_eq!(patched(&after, back).as_ref(), Ok(&before), "pair {number}, back");
    }
    assert!(counts.into_iter().all(|count| count > 3000), "{counts:?}");
}

/// What is not in order, or is left out, is refused or gives a value; never is it half of one.
#[test]
fn other_orders_fit_or_do_not() {
    let mut random = Random::new(12);
    let mut fit = 0;
    for (before, after) in pairs(13, 4000) {
        let changes = diff(&before, &after, OPTIONS).expect("both are values");
        let mut changes: Vec<_> = changes.iter().collect();
        if changes.len() < 2 {
            continue;
        }
        let (a, b) = (random.below(changes.len()), random.below(changes.len()));
        changes.swap(a, b);
        if random.percent(30) {
            changes.remove(a);
        }
        if let Ok(result) = patched(&before, changes) {
            fit += 1;
            let reader = varbatch_codec::Reader::new(&result).with_objects(true);
            assert_eq!(varbatch_codec::validate(reader), Ok(result.len()));
        }
    }
    assert!(fit > 50, "{fit}");
}

/// A long way down, and many differences on the way: no stack, and no more work than there are bytes.
#[test]
fn deep_values_take_no_longer() {
    let nested = |last: u32| {
        let mut bytes = Vec::new();
        for level in 0..1000 {
            bytes.extend(words(&[28, 3, 2, level + last]));
        }
        bytes.extend(words(&[28, 100_000]));
        bytes.extend((0..100_000).flat_map(|at| words(&[2, at + last])));
        bytes.extend((0..1000).flat_map(|level| words(&[2, level + last])));
        bytes
    };
    let (before, after) = (nested(0), nested(1));
    let started = std::time::Instant::now();
    let changes = diff(&before, &after, OPTIONS).expect("both are values");
    assert_eq!(changes.iter().len(), 102_000);
    assert!(edits(&before, &after).len() > 100_000);
    let one = [&after[..before.len() - 4], &[9, 9, 9, 9]].concat();
    let changes = diff(&after, &one, OPTIONS).expect("both are values");
    assert_eq!(changes.iter().len(), 1);
    // Some hundredths of a second; a walk that looks at all that is left on each level takes minutes.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

fn dictionary(entries: Vec<(&str, Value)>) -> Value {
    Value::dictionary(entries.into_iter().map(|(key, value)| (Value::string(key), value)).collect())
}

/// A record: the more it `varies`, the fewer are laid out as the one before.
fn record(random: &mut Random, id: i64, varies: usize) -> Value {
    let mut some = |most: usize| if random.percent(varies) { random.below(most) } else { 3 };
    let name: String = "Skeleton archer of the north".chars().take(some(28)).collect();
    let blob = Value::plain(Kind::PackedByteArray, Width::Single, vec![7; some(9)]);
    let points = Value::plain(Kind::PackedVector3Array, Width::Single, vec![1; 12 * some(4)]);
    let bag = (0..some(5)).map(|at| Value::Int(at as i64)).collect();
    let score = if some(2) == 0 { 0.1 } else { 0.5 };
    let gold = if some(2) == 0 { 1 << 40 } else { 1 };
    let mut entries = vec![
        ("id", Value::Int(id)),
        ("name", Value::string(&name)),
        ("blob", blob),
        ("stats", dictionary(vec![("score", Value::Float(score)), ("gold", Value::Int(gold))])),
        ("points", points),
        ("bag", Value::Array { element: Element::Builtin(Kind::Int), elements: bag }),
        ("none", Value::Nil),
    ];
    entries.truncate(4 + some(4).min(3));
    if some(9) == 0 {
        return Value::string(&name);
    }
    dictionary(entries)
}

fn states(random: &mut Random, varies: usize) -> Vec<Value> {
    (0..400).map(|id| record(random, id, varies)).collect()
}

#[test]
fn one_change_or_one_record_more_or_less_is_one_change() {
    let mut random = Random::new(21);
    for round in 0..150 {
        let records = states(&mut random, [0, 2, 20, 70][round % 4]);
        let at = random.below(records.len());
        let (mut changed, mut fewer) = (records.clone(), records.clone());
        fewer.remove(at);
        let [all, fewer] = [&records, &fewer].map(|records| naive::value(&Value::array(records.clone())));
        for (before, after, op) in [(&all, &fewer, Op::Remove), (&fewer, &all, Op::Insert)] {
            let changes = diff(before, after, OPTIONS).expect("both are values");
            let found: Vec<_> = changes.iter().map(|change| change.op).collect();
            assert_eq!(found, [op], "round {round}");
        }
        let Value::Dictionary { entries, .. } = &mut changed[at] else { continue };
        entries[0].1 = Value::Int(-1);
        let changed = naive::value(&Value::array(changed));
        let changes = diff(&all, &changed, OPTIONS).expect("both are values");
        let key = naive::value(&Value::string("id"));
        let found: Vec<_> = changes.iter().map(|change| (change.op, change.path.steps().into_owned())).collect();
        assert_eq!(found, [(Op::Set, vec![PathStep::Index(at), PathStep::Key(&key)])], "round {round}");
        let edits = edits(&all, &changed);
        assert_eq!(edits.iter().filter(|edit| !edit.after.is_empty()).count(), 1, "round {round}");
    }
}

/// Bytes that are damaged alike in both are read for their lengths, which have to be right: else it is an error, of that side.
#[test]
fn damage_in_both_is_seen_or_harmless() {
    let mut random = Random::new(23);
    let mut refused = 0;
    for _ in 0..2000 {
        let records = states(&mut random, 5);
        let mut before = naive::value(&Value::array(records[..40].to_vec()));
        let at = random.below(before.len() / 4) * 4;
        before[at..at + 4].copy_from_slice(&words(&[random.next() as u32 >> random.below(32)]));
        let mut after = before.clone();
        let last = after.len() - 1;
        after[random.below(last) / 4 * 4] ^= 1;
        match diff(&before, &after, OPTIONS) {
            Ok(changes) => _ = changes.iter().count(),
            Err(_) => refused += 1,
        }
        let edits = edits(&before, &after);
        assert!(edits.iter().all(|edit| edit.before.end <= before.len() && edit.after.end <= after.len()));
    }
    assert!(refused > 500, "{refused}");
}
