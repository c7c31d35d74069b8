//! Guards what is passed without following its lengths: long arrays of records that are laid out alike, but not quite.

use varbatch_codec::change::{Op, diff, edits};
use varbatch_codec::{Kind, PathStep, Width};

use crate::diff::OPTIONS;
use crate::support::naive;
use crate::support::random::Random;
use crate::support::value::{Element, Value};
use crate::support::wire::words;

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
