//! Changes that are told as values, of bytes that no engine writes: they fit, and make what is read of the other value.
//!
//! Whoever is told a change writes its parts as the engine does, and not as they stood there. `written` is a model of
//! that: elements that a typed container does not take are gone, a key is there once, with its last value.

use varbatch_codec::change::{Change, ChangePart, DiffOptions, diff};
use varbatch_codec::{Copied, Dialect, ElementType, Event, Kind, PathStep, Plan, Reader, Width, Writer, validate};

use crate::support::edits::{Edit, patched_if};
use crate::support::random::Random;
use crate::support::wire::{string, words};

const OPTIONS: DiffOptions = DiffOptions { allow_objects: false, real: Width::Single };

/// The next value of a Reader, as the engine would write what it reads of it.
fn written(reader: &mut Reader<'_>) -> Vec<u8> {
    let is = |of: ElementType<'_>, bytes: &[u8]| match of {
        ElementType::Builtin(kind) => bytes[0] == kind.id(),
        _ => true,
    };
    let event = reader.next_event().expect("a value").expect("a value");
    let head = |event: Event<'_>| {
        let mut writer = Writer::new(Dialect::GODOT_4);
        writer.write_as(event, Copied).expect("it was read");
        Plan::to_vec(writer.plan())
    };
    match event {
        Event::Array { element, count } => {
            let mut elements: Vec<_> = (0..count).map(|_| written(reader)).collect();
            elements.retain(|bytes| is(element, bytes));
            [head(Event::Array { element, count: elements.len() }), elements.concat()].concat()
        }
        Event::Dictionary { key, value, count } => {
            let mut entries: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            for _ in 0..count {
                let (new, of_new) = (written(reader), written(reader));
                let is_name = |id: u8| id == Kind::String.id() || id == Kind::StringName.id();
                let is_same = |old: &[u8]| old == new || is_name(old[0]) && is_name(new[0]) && old[1..] == new[1..];
                match entries.iter_mut().find(|(old, _)| is_same(old)) {
                    _ if !is(key, &new) => {}
                    Some((_, of_old)) => *of_old = of_new,
                    None => entries.push((new, of_new)),
                }
            }
            let head = head(Event::Dictionary { key, value, count: entries.len() });
            [head, entries.into_iter().flat_map(|(key, value)| [key, value]).flatten().collect()].concat()
        }
        event => head(event),
    }
}

fn value(bytes: &[u8]) -> Vec<u8> {
    written(&mut Reader::new(bytes))
}

/// `before` with what differs, all of it told as values; and how many changes that were, if it was not one of all.
fn patched(before: &[u8], after: &[u8]) -> (Vec<u8>, usize) {
    let changes = diff(before, after, OPTIONS).expect("both are values");
    let step = |step: &PathStep<'_>| match *step {
        PathStep::Index(index) => words(&[2, index as u32]),
        PathStep::Key(bytes) => value(bytes),
        PathStep::Property(_) => unreachable!("there are no objects"),
    };
    let part = |part: ChangePart<'_>| match part {
        ChangePart::Value { bytes, .. } => value(bytes),
        _ => unreachable!("there are no packed arrays"),
    };
    let told = |change: Change<'_>| Edit {
        path: change.path.steps().iter().map(step).collect(),
        op: change.op,
        index: change.index,
        old: change.old.map(part),
        new: change.new.map(part),
    };
    let told: Vec<_> = changes.iter().map(told).collect();
    let found = patched_if(before, &told, |there, old| value(there) == old);
    let found = found.unwrap_or_else(|error| panic!("{error}: {before:02x?} to {after:02x?}: {changes:?}"));
    let parts = if told.first().is_none_or(|change| change.path.is_empty()) { 0 } else { told.len() };
    (found, parts)
}

/// An int, a text, or a container of few of them, mostly a typed one.
fn any(random: &mut Random, depth: usize) -> Vec<u8> {
    let leaf = |random: &mut Random| match random.below(6) {
        0 => words(&[0]),
        1 => words(&[0x1_0002, random.below(3) as u32, 0]),
        2 => [words(&[21]), string(random.pick(&["", "a", "b"]))[4..].to_vec()].concat(),
        3 => string(random.pick(&["", "a", "b"])),
        4 => words(&[3, 0x3f80_0000]),
        _ => words(&[2, random.below(3) as u32]),
    };
    if depth == 0 {
        return leaf(random);
    }
    let of = random.pick(&[0, 0, 2, 2, 4, 21, 28]);
    let part = |random: &mut Random, is_key: bool| match of {
        _ if random.percent(5) => leaf(random),
        0 | 28 if !is_key => any(random, depth - 1),
        2 => words(&[2, random.below(4) as u32]),
        4 | 21 => [words(&[of]), string(random.pick(&["", "a", "b"]))[4..].to_vec()].concat(),
        _ => leaf(random),
    };
    let count = random.below(5);
    let types = if of == 0 { vec![0] } else { vec![1 << 16, of] };
    let is_array = random.percent(50);
    let mut bytes = words(&[&[types[0] | if is_array { 28 } else { 27 }], &types[1..], &[count as u32]].concat());
    for _ in 0..count {
        bytes.extend(part(random, !is_array));
        if !is_array {
            bytes.extend(any(random, depth - 1));
        }
    }
    bytes
}

/// One word or a few made another, which may be a header, a count or a key.
fn damaged(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() / 4) * 4;
        let word = random.pick(&[0, 1, 2, 3, 4, 21, 0x1_0002, 0x9402, 0x61, 0xff61, 28, 0x1_001c]);
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
    }
    bytes
}

#[test]
fn what_is_told_of_bytes_that_no_engine_writes_fits() {
    let mut random = Random::new(21);
    let (mut pairs, mut in_parts) = (0, 0);
    let is_value = |bytes: &[u8]| validate(Reader::new(bytes)) == Ok(bytes.len());
    for _ in 0..60_000 {
        let before = any(&mut random, 3);
        let before = if random.percent(50) { before } else { damaged(&mut random, &before) };
        let after = damaged(&mut random, &before);
        for (before, after) in [(&before, &after), (&after, &before)] {
            if is_value(before) && is_value(after) {
                let (found, parts) = patched(before, after);
                assert_eq!(value(&found), value(after), "{before:02x?} to {after:02x?}");
                pairs += 1;
                in_parts += usize::from(parts > 0);
            }
        }
    }
    assert!(pairs > 10_000 && in_parts > pairs / 3, "{pairs}, {in_parts}");
}

/// A key of an object is there twice, or its name is not as it is written: the object is told as a whole.
#[test]
fn properties_that_no_name_leads_to_are_told_with_their_object() {
    let object = |names: [&[u32]; 2], last: u32| {
        let mut bytes = words(&[24, 4, 0x6564_6f4e, 2]);
        for (name, value) in names.iter().zip([1, last]) {
            bytes.extend(words(name));
            bytes.extend(words(&[2, value]));
        }
        bytes
    };
    let cases: [([&[u32]; 2], usize); 4] = [
        ([&[1, 0x61], &[1, 0x62]], 1),
        ([&[1, 0x61], &[1, 0x61]], 0),
        ([&[1, 0x61], &[1, 0xff62]], 0),
        ([&[1, 0x61], &[3, 0xbf_bbef]], 0),
    ];
    for (names, steps) in cases {
        let (before, after) = (object(names, 2), object(names, 3));
        let changes = diff(&before, &after, DiffOptions { allow_objects: true, ..OPTIONS }).expect("both are values");
        let found: Vec<_> = changes.iter().map(|change| change.path.steps().len()).collect();
        assert_eq!(found, [steps], "{names:x?}");
    }
}
