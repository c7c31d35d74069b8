//! Two states, most of which the second has from the first: what differs restores it, as bytes and as changes.

use varbatch_codec::diff::{self, Piece, Step};
use varbatch_codec::patch::{Change, Patch};
use varbatch_codec::{Reader, Text, Width, delta, validate};

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
        let made = delta::make(one, two, diff::edits(one, two)).to_vec();
        let restored = delta::apply(one, &made).expect("it was made for these").to_vec();
        assert_eq!(restored, two, "another result");
        changes(one, two, options.allow_objects());
    }
}

/// Changes of values fit, and give a value. Whether it is the other one depends on whether an engine would write that.
fn changes(before: &[u8], after: &[u8], allow_objects: bool) {
    let options = diff::Options { allow_objects, real: Width::Single };
    let Ok(changes) = diff::changes(before, after, options) else { return };
    assert!(before != after || changes.iter().len() == 0, "no change is one");
    let owned: Vec<_> = changes
        .iter()
        .map(|change| {
            let path: Vec<_> = changes.path(change).into_iter().map(step).collect();
            (path, change, change.old.map(piece), change.new.map(piece))
        })
        .collect();
    let Ok(mut patch) = Patch::new(before) else { return };
    let paths: Vec<Vec<&[u8]>> = owned.iter().map(|(path, ..)| path.iter().map(Vec::as_slice).collect()).collect();
    for ((_, change, old, new), path) in owned.iter().zip(&paths) {
        let (old, new) = (old.as_deref(), new.as_deref());
        let change = Change { path, op: change.op, index: change.index, old, new };
        if patch.apply(&change, |_, _| true).is_err() {
            return;
        }
    }
    let result = patch.plan().expect("not too long").to_vec();
    assert_eq!(validate(Reader::new(&result).with_objects(true)), Ok(result.len()), "no value");
}

fn step(step: Step<'_>) -> Vec<u8> {
    match step {
        Step::Index(index) => words(2, index),
        Step::Key(bytes) => bytes.to_vec(),
        Step::Property(name) => {
            let Text::Utf8(name) = name else { unreachable!("a Reader of Godot 4 gives UTF-8") };
            padded([&words(4, name.len()), name.as_bytes()].concat())
        }
    }
}

fn piece(piece: Piece<'_>) -> Vec<u8> {
    match piece {
        Piece::Value { bytes, .. } => bytes.to_vec(),
        Piece::Texts(texts) => texts.to_value(),
        Piece::Elements(plain) => padded([&words(plain.kind.id(), plain.count), plain.bytes].concat()),
    }
}

fn words(kind: u8, count: usize) -> Vec<u8> {
    [u32::from(kind), count as u32].iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}
