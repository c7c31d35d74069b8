//! Two states, most of which the second has from the first: what differs restores it, as bytes and as changes.

use varbatch_codec::change::{DiffOptions, Patch, delta, diff, edits};
use varbatch_codec::{Reader, Width, validate};

use super::Options;

/// Compares a value with what becomes of it when a part of its bytes is replaced by others. The options and the first bytes say which.
///
/// # Panics
/// If something does not hold.
pub fn states(data: &[u8]) {
    let (options, rest) = Options::split(data);
    let Some((&[at, len, more, ..], before)) = rest.split_first_chunk::<4>() else { return };
    let place = |part: u8| before.len() * usize::from(part) / 255;
    let start = place(at) & !3;
    let end = (start + usize::from(len & 0x3f)).min(before.len());
    let from = place(more).min(before.len());
    let other = &before[from..(from + usize::from(len >> 6) * 4).min(before.len())];
    let after = [&before[..start], other, &before[end..]].concat();
    for (one, two) in [(before, &after[..]), (&after[..], before)] {
        let made = delta::make(one, two, edits(one, two)).to_vec();
        let restored = delta::apply(one, &made).expect("it was made for these").to_vec();
        assert_eq!(restored, two, "another result");
        changes(one, two, options.allow_objects());
    }
}

/// Changes of values fit, and give a value. Whether it is the other one depends on whether an engine would write that.
fn changes(before: &[u8], after: &[u8], allow_objects: bool) {
    let options = DiffOptions { allow_objects, real: Width::Single };
    let Ok(changes) = diff(before, after, options) else { return };
    assert!(before != after || changes.iter().len() == 0, "no change is one");
    let Ok(mut patch) = Patch::new(before) else { return };
    for change in changes.iter() {
        if patch.apply(&change, |_, _| true).is_err() {
            return;
        }
    }
    let result = patch.plan().expect("not too long").to_vec();
    assert_eq!(validate(Reader::new(&result).with_objects(true)), Ok(result.len()), "no value");
}
