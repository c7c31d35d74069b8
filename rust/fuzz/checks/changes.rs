//! Changes that nobody made with a diff: a patch of several does what patches of one each do, and gives values.

use varbatch_codec::change::{Change, ChangePart, ChangePath, Op, Patch};
use varbatch_codec::{PathStep, Reader, validate};

/// Bytes that choose a change.
const CONTROL_LEN: usize = 6;

/// Applies changes to the first of some values. Their keys and new values are the others.
///
/// # Panics
/// If something does not hold.
pub fn changes(data: &[u8]) {
    let Some((&count, rest)) = data.split_first() else { return };
    let Some((controls, rest)) = rest.split_at_checked((usize::from(count % 8) + 1) * CONTROL_LEN) else { return };
    let values = values(rest);
    let Some((&before, pool)) = values.split_first().filter(|(_, pool)| !pool.is_empty()) else { return };
    let controls = controls.as_chunks::<CONTROL_LEN>().0;
    let paths: Vec<_> = controls.iter().map(|control| path(control, pool)).collect();
    let mut all = Patch::new(before).expect("a value");
    let mut now = all.plan().expect("not too long").to_vec();
    for (control, path) in controls.iter().zip(&paths) {
        let change = change(control, path, pool);
        let same = |_: &[u8], _: &[u8]| control[0] & 0x20 != 0;
        let mut one = Patch::new(&now).expect("a value");
        let (result, alone) = (all.apply(&change, same), one.apply(&change, same));
        let texts = [result, alone].map(|result| result.map_err(|error| (error.path, error.text)));
        assert_eq!(texts[0], texts[1], "{change:?}");
        let then = one.plan().expect("not too long").to_vec();
        assert_eq!(all.plan().expect("not too long").to_vec(), then, "{change:?}");
        assert!(texts[0].is_ok() || then == now, "{change:?} left a trace");
        assert_eq!(validate(Reader::new(&then).with_objects(true)), Ok(then.len()), "{change:?} gave no value");
        now = then;
    }
}

/// The values that lie one after the other.
fn values(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut values = Vec::new();
    while let Ok(len) = validate(Reader::new(bytes).with_objects(true)) {
        values.push(bytes.split_off(..len.min(bytes.len())).expect("that long"));
    }
    values
}

/// Up to three steps, each an index or a key.
fn path<'a>(control: &[u8; CONTROL_LEN], pool: &[&'a [u8]]) -> Vec<PathStep<'a>> {
    let step = |&choice: &u8| match choice {
        ..0x80 => PathStep::Index((choice % 16).into()),
        _ => PathStep::Key(pool[usize::from(choice) % pool.len()]),
    };
    control[1..4].iter().take((control[0] >> 6).into()).map(step).collect()
}

fn change<'a>(control: &[u8; CONTROL_LEN], path: &'a [PathStep<'a>], pool: &[&'a [u8]]) -> Change<'a> {
    let part = |choice: u8| ChangePart::Value { at: 0, bytes: pool[usize::from(choice) % pool.len()] };
    let [flags, .., index, choice] = *control;
    Change {
        path: ChangePath::new(path),
        op: Op::ALL[usize::from(flags % 4).min(2)],
        index: (flags & 4 != 0).then_some((index % 8).into()),
        old: (flags & 8 != 0).then(|| part(index)),
        new: (flags & 16 != 0).then(|| part(choice)),
    }
}
