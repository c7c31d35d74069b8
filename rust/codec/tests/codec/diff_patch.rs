//! Changes lead from one value to the other, and back when they are turned around.

use varbatch_codec::diff::{self, Changes, Piece, Step};
use varbatch_codec::patch::{Change, Op, Patch, PatchError};

use crate::diff::{OPTIONS, pairs};
use crate::support::random::Random;
use crate::support::wire::words;

/// A change that owns what it needs.
#[derive(Clone, Debug)]
struct Owned {
    path: Vec<Vec<u8>>,
    op: Op,
    index: Option<usize>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

impl Owned {
    /// What takes it back.
    fn inverse(self) -> Self {
        let op = match self.op {
            Op::Set => Op::Set,
            Op::Insert => Op::Remove,
            Op::Remove => Op::Insert,
        };
        Self { op, old: self.new, new: self.old, ..self }
    }
}

fn owned(changes: &Changes<'_>) -> Vec<Owned> {
    let step = |step: Step<'_>| match step {
        Step::Index(index) => words(&[2, index as u32]),
        Step::Key(bytes) => bytes.to_vec(),
        Step::Property(name) => {
            let name = name.to_utf8();
            let mut bytes = words(&[4, name.len() as u32]);
            bytes.extend_from_slice(name.as_bytes());
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        }
    };
    let piece = |piece: Piece<'_>| match piece {
        Piece::Value { bytes, .. } => bytes.to_vec(),
        Piece::Texts(texts) => texts.to_value(),
        Piece::Elements(plain) => {
            let mut bytes = words(&[u32::from(plain.kind.id()), plain.count as u32]);
            bytes.extend_from_slice(plain.bytes);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        }
    };
    let change = |change: &diff::Change<'_>| Owned {
        path: changes.path(change).into_iter().map(step).collect(),
        op: change.op,
        index: change.index,
        old: change.old.map(piece),
        new: change.new.map(piece),
    };
    changes.iter().map(change).collect()
}

fn patched(before: &[u8], changes: &[Owned]) -> Result<Vec<u8>, PatchError> {
    let paths: Vec<Vec<&[u8]>> = changes.iter().map(|change| change.path.iter().map(Vec::as_slice).collect()).collect();
    let mut patch = Patch::new(before).expect("a value");
    for (change, path) in changes.iter().zip(&paths) {
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        patch.apply(&Change { path, op: change.op, index: change.index, old, new }, |_, _| false)?;
    }
    Ok(patch.plan().expect("not too long").to_vec())
}

#[test]
fn changes_lead_from_one_to_the_other_and_back() {
    let mut counts = [0; 3];
    for (number, (before, after)) in pairs(11, 20_000).enumerate() {
        let changes = diff::changes(&before, &after, OPTIONS).expect("both are values");
        let mut changes = owned(&changes);
        assert_eq!(patched(&before, &changes).as_ref(), Ok(&after), "pair {number}");
        changes.iter().for_each(|change| counts[change.op as usize] += 1);
        changes.reverse();
        let back: Vec<_> = changes.into_iter().map(Owned::inverse).collect();
        assert_eq!(patched(&after, &back).as_ref(), Ok(&before), "pair {number}, back");
    }
    assert!(counts.into_iter().all(|count| count > 3000), "{counts:?}");
}

/// What is not in order, or is left out, is refused or gives a value; never is it half of one.
#[test]
fn other_orders_fit_or_do_not() {
    let mut random = Random::new(12);
    let mut fit = 0;
    for (before, after) in pairs(13, 4000) {
        let mut changes = owned(&diff::changes(&before, &after, OPTIONS).expect("both are values"));
        if changes.len() < 2 {
            continue;
        }
        let (a, b) = (random.below(changes.len()), random.below(changes.len()));
        changes.swap(a, b);
        if random.percent(30) {
            changes.remove(a);
        }
        if let Ok(result) = patched(&before, &changes) {
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
    let changes = diff::changes(&before, &after, OPTIONS).expect("both are values");
    assert_eq!(changes.iter().len(), 102_000);
    let edits = diff::edits(&before, &after);
    assert!(edits.len() > 100_000);
    let one = [&after[..before.len() - 4], &[9, 9, 9, 9]].concat();
    let changes = diff::changes(&after, &one, OPTIONS).expect("both are values");
    assert_eq!(changes.iter().len(), 1);
    // Some hundredths of a second; a walk that looks at all that is left on each level takes minutes.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
