//! Engines that keep values in other ways: each of them is seen to be another, and nothing is read that it does not
//! have.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

use super::seen::*;
use super::*;
use crate::engine::kind_of;

/// Memory of which only these words are allocated.
#[derive(Clone, Default)]
struct Model {
    words: BTreeMap<usize, usize>,
    read: RefCell<BTreeSet<usize>>,
}

impl Model {
    fn memory(&self) -> impl Fn(usize) -> usize {
        |at| {
            self.read.borrow_mut().insert(at);
            *self.words.get(&at).unwrap_or_else(|| panic!("word {at:#x} is read, which is not known to be allocated"))
        }
    }

    fn put(&mut self, at: usize, words: &[usize]) {
        self.words.extend(words.iter().enumerate().map(|(index, &word)| (at + 8 * index, word)));
    }

    /// With one word another.
    fn with(&self, at: usize, word: usize) -> Self {
        let mut other = Self { words: self.words.clone(), read: RefCell::default() };
        other.words.insert(at, word);
        other
    }
}

/// The check holds for the memory, and for none that has a word otherwise that it looked at. Of `halves` only the low
/// half matters.
fn each_word_matters(model: &Model, halves: &[usize], check: impl Fn(&Model) -> bool) {
    assert!(check(model));
    let read = model.read.take();
    assert!(!read.is_empty());
    for at in read {
        let word = model.words[&at];
        let flips = if halves.contains(&at) { vec![1, 1 << 31] } else { vec![1, 1 << 31, 1 << 32, 1 << 63] };
        for flip in flips {
            assert!(!check(&model.with(at, word ^ flip)), "{at:#x}: {word:#x} ^ {flip:#x}");
        }
    }
}

/// The id of a type is its low half; the other holds padding.
const VARIANT: usize = 0x1000;

/// Of a Variant nothing is read but its own three words, wherever its pointer leads: any version may be asked.
#[test]
fn a_variant_that_has_its_value_elsewhere_is_another() {
    for kind in Kind::ALL {
        let (start, offset) = (place(kind) & POINTED_TO, usize::from(place(kind) & !POINTED_TO));
        let pointer = if is_empty_zero(kind) { 0 } else { 0x2000 };
        let mut model = Model::default();
        model.put(VARIANT, &[0xdead_0000_0000 << 16 | usize::from(kind.id()), pointer, 0]);
        let inner = (kind != Kind::Nil).then_some(if start == 0 { VARIANT } else { 0x2000 } + offset);
        let is_as_seen = |model: &Model, inner| variant_is_as_seen(&model.memory(), VARIANT, kind, inner, true);
        each_word_matters(&model, &[VARIANT], |model| is_as_seen(model, inner));
        for other in [None, Some(VARIANT), Some(VARIANT + 12), Some(0x2008)] {
            assert_eq!(is_as_seen(&model, other), other == inner, "{kind:?} {other:?}");
        }
    }
    assert_eq!(VALUE_LEN % 8, 0);
}

#[test]
fn what_pointers_lead_to_is_read_where_its_size_is_known() {
    let versions = (0..=u8::MAX).flat_map(|major| (0..=u8::MAX).map(move |minor| (major, minor)));
    let read: Vec<_> = versions.filter(|&version| was_read(version)).collect();
    assert_eq!(read, [(4, 6), (4, 7)], "the headers of earlier ones are shorter");
}

/// Two arrays of each sort, one of them empty.
fn blocks() -> (Model, Vec<SeenBlock>) {
    let (mut model, mut seen) = (Model::default(), Vec::new());
    for (number, kind) in [Kind::PackedByteArray, Kind::String, Kind::Array].into_iter().enumerate() {
        for (count, references) in [(5, 2), (1, 1), (0, 1)] {
            let at = 0x1_0000 * (number + 1) + 0x1000 * count;
            let (first, private) = (at + 0x200, at + 0x100);
            let data = if count == 0 { 0 } else { first };
            match kind {
                Kind::Array => {
                    model.put(at, &[private]);
                    model.put(private, &[1, 0, data, 0, usize::from(Kind::Color.id())]);
                }
                Kind::String => model.put(at, &[data]),
                _ => model.put(at, &[0, data]),
            }
            if count > 0 {
                model.put(first - 32, &[references, 8, count, 0]);
            }
            seen.push(SeenBlock { kind, inner: at, first, count, references, element: Kind::Color });
        }
    }
    (model, seen)
}

#[test]
fn an_array_that_has_its_elements_or_its_header_elsewhere_is_another() {
    let (model, seen) = blocks();
    assert!(blocks_are_as_seen(&model.memory(), &seen));
    let read = model.read.take();
    let before = |block: &SeenBlock, at: usize| block.count == 0 || read.contains(&(block.first - at));
    assert!(seen.iter().all(|block| [16, 24, 32].into_iter().all(|at| before(block, at))));
    for at in read {
        // A pointer to private data leads on, and is no word that is compared.
        let is_private = seen.iter().any(|block| block.kind == Kind::Array && block.inner == at);
        // Any capacity will do that is large enough.
        let is_capacity = seen.iter().any(|block| block.count > 0 && block.first - 24 == at);
        let other = if is_capacity { 0 } else { model.words[&at] ^ 0x10 };
        assert!(is_private || !blocks_are_as_seen(&model.with(at, other).memory(), &seen), "{at:#x}");
    }
    for block in &seen {
        let changed = |change: fn(&mut SeenBlock)| {
            let mut other = *block;
            change(&mut other);
            blocks_are_as_seen(&model.memory(), &[other])
        };
        assert!(changed(|_| {}));
        assert!(!changed(|block| block.count += 1) && (block.count == 0 || !changed(|block| block.references += 1)));
    }
}

/// As Godot 4.5 has it: 16 bytes, the count of references and the size. No array is the first word of a page there.
#[test]
fn a_shorter_header_is_not_read_past_its_start() {
    let (mut model, seen) = blocks();
    for block in seen.iter().filter(|block| block.count > 0) {
        (block.first - 32..block.first).step_by(8).for_each(|at| _ = model.words.remove(&at));
        model.put(block.first - 16, &[block.references, block.count]);
    }
    assert!(!blocks_are_as_seen(&model.memory(), &seen));
}

#[test]
fn an_array_that_has_its_type_elsewhere_is_another() {
    let (model, seen) = blocks();
    let types: Vec<_> =
        seen.iter().filter(|block| block.kind == Kind::Array).map(|block| block.inner + 0x100 + 32).collect();
    assert!(element_types_are_as_seen(&model.memory(), &seen));
    for at in types {
        assert!(!element_types_are_as_seen(&model.with(at, 0).memory(), &seen));
        assert!(
            element_types_are_as_seen(&model.with(at, 0xff << 32 | usize::from(Kind::Color.id())).memory(), &seen),
            "padding"
        );
    }
}

/// A Dictionary of three entries and an empty one, whose entries lie in memory in another order.
fn dictionaries() -> (Model, Vec<SeenDictionary>) {
    let mut model = Model::default();
    let entries = [0x5000, 0x3000, 0x4000];
    let value = |entry: usize| entry + offset_of!(Entry, value);
    model.put(0x100, &[0x1000]);
    model.put(0x1000, &[1, 0, 9, 9, 0x5000, 0x4000, 3 << 32 | 7, 2, 0, 0, 0, 4, 0, 0, 0]);
    for (index, entry) in entries.into_iter().enumerate() {
        let link = |index: usize| entries.get(index).map_or(0, |&entry| entry);
        model.put(entry, &[link(index + 1), link(index.wrapping_sub(1))]);
        model.put(entry + offset_of!(Entry, key), &[usize::from(Kind::Int.id()), index + 40]);
    }
    model.put(0x200, &[0x2000]);
    model.put(0x2000, &[1, 0, 9, 9, 0, 0, 7, 0, 0, 0, 0, 27, 0, 0, 0]);
    let values = entries.into_iter().zip(40..).map(|(entry, key)| (value(entry), Some(key))).collect();
    let seen = vec![
        SeenDictionary { inner: 0x100, values, key: Kind::Int, value: Kind::String },
        SeenDictionary { inner: 0x200, values: Vec::new(), key: Kind::Nil, value: Kind::Dictionary },
    ];
    (model, seen)
}

fn dictionaries_are_as_seen(words: Words<'_>, seen: &[SeenDictionary]) -> bool {
    seen.iter().all(|seen| dictionary_is_as_seen(words, seen))
}

#[test]
fn a_dictionary_that_has_anything_elsewhere_is_another() {
    let (model, seen) = dictionaries();
    assert!(dictionaries_are_as_seen(&model.memory(), &seen));
    let read = model.read.take();
    let private = |at: usize| [0x20, 0x28, 0x30, 0x38, 0x58].map(|word| at + word);
    let entry = |at: usize| [0, 8, offset_of!(Entry, key), offset_of!(Entry, key) + 8].map(|word| at + word);
    let words = [&[0x100, 0x200][..], &private(0x1000), &private(0x2000)].concat();
    let expected = words.into_iter().chain([0x3000, 0x4000, 0x5000].map(entry).concat());
    assert_eq!(read, expected.collect());
    for at in read {
        let is_private = [0x100, 0x200].contains(&at);
        // The size is the high half of its word, all else that is no pointer the low half.
        let is_size = [0x1030, 0x2030].contains(&at);
        let flip = if is_size { 1 << 32 } else { 0x10 };
        assert!(
            is_private || !dictionaries_are_as_seen(&model.with(at, model.words[&at] ^ flip).memory(), &seen),
            "{at:#x}"
        );
    }
}

/// Less private data, as it would be without the pointer for read-only ones: the first word that is looked at differs.
#[test]
fn shorter_private_data_is_not_read_past_its_end() {
    let (mut model, seen) = dictionaries();
    (0x1028..0x1080).step_by(8).for_each(|at| _ = model.words.remove(&at));
    (0x2028..0x2080).step_by(8).for_each(|at| _ = model.words.remove(&at));
    model.put(0x1000, &[1, 9, 9, 0x5000, 0x4000]);
    assert!(!dictionaries_are_as_seen(&model.memory(), &seen));
}

/// Only entries to which others lead are looked at.
#[test]
fn an_entry_without_links_is_not_read() {
    let (mut model, seen) = dictionaries();
    [0x3000, 0x3008].into_iter().for_each(|at| _ = model.words.remove(&at));
    model.put(0x5000, &[0x7000]);
    assert!(!dictionaries_are_as_seen(&model.memory(), &seen));
}

#[test]
fn ids_that_are_no_kind_are_none() {
    assert_eq!(kind_of(38), Some(Kind::PackedVector4Array));
    for id in [39, 40, 255, 256, 256 + 2, u32::MAX] {
        assert_eq!(kind_of(id), None, "{id}");
    }
}
