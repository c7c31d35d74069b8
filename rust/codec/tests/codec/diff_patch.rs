//! Changes lead from one value to the other, and back when they are turned around.

use varbatch_codec::change::{self, Change, Patch, PatchError, diff, patch};

use crate::diff::{OPTIONS, pairs};
use crate::support::edits;
use crate::support::random::Random;
use crate::support::wire::words;

/// Returns the change that takes another one back.
fn undo(change: Change<'_>) -> Change<'_> {
    Change { op: edits::inverse(change.op), old: change.new, new: change.old, ..change }
}

fn patched<'a>(before: &'a [u8], changes: impl IntoIterator<Item = Change<'a>>) -> Result<Vec<u8>, PatchError> {
    let mut patch = Patch::new(before).expect("a value");
    for change in changes {
        patch.apply(&change, |_, _| false)?;
    }
    Ok(patch.plan().expect("not too long").to_vec())
}

#[test]
fn changes_lead_from_one_to_the_other_and_back() {
    let mut counts = [0; 3];
    for (number, (before, after)) in pairs(11, 20_000).enumerate() {
        let changes = diff(&before, &after, OPTIONS).expect("both are values");
        assert_eq!(patch(&before, &changes).as_ref(), Ok(&after), "pair {number}");
        let mut changes: Vec<_> = changes.iter().collect();
        changes.iter().for_each(|change| counts[change.op as usize] += 1);
        changes.reverse();
        let back = changes.into_iter().map(undo);
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
    assert!(change::edits(&before, &after).len() > 100_000);
    let one = [&after[..before.len() - 4], &[9, 9, 9, 9]].concat();
    let changes = diff(&after, &one, OPTIONS).expect("both are values");
    assert_eq!(changes.iter().len(), 1);
    // Some hundredths of a second; a walk that looks at all that is left on each level takes minutes.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
