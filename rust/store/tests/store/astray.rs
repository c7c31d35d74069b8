//! Guards: in a file whose pages lead astray, a call that is OK has done what it says, and nothing else is lost.

use std::fs;
use std::path::Path;

use varbatch_store::{Packed, Store, StoreError};

use crate::file::{ask, keys, save};
use crate::folder::Folder;
use crate::pages::{PAGE, big_store, pages_of};

/// Files with two ranges of keys, in whose index the searches go astray: a cell leads to where another one does, or both are
/// swapped. And the store before, with each key as its value.
fn astray(path: &Path) -> (Vec<[u8; 4]>, Vec<Vec<u8>>) {
    let _ = fs::remove_file(path);
    let mut store = Store::open(path).unwrap();
    let all: Vec<_> = (0..900).map(u32::to_be_bytes).collect();
    save(&mut store, &all.iter().map(|key| (&key[..], &key[..])).collect::<Vec<_>>());
    store.close().unwrap();
    let sound = fs::read(path).unwrap();
    let page = pages_of(&sound, 10)[0] * PAGE;
    let cells = (100..300).flat_map(|cell| [(0, cell, false), (cell - 40, cell, false), (cell - 40, cell, true)]);
    let files = cells.map(|(other, cell, swaps)| {
        let (mut file, [other, cell]) = (sound.clone(), [other, cell].map(|cell| page + 8 + 2 * cell));
        file.copy_within(other..other + 2, cell);
        if swaps {
            file[other..other + 2].copy_from_slice(&sound[cell..cell + 2]);
        }
        file
    });
    (all, files.collect())
}

#[test]
fn a_key_that_the_index_does_not_lead_to_is_an_error() {
    let (_folder, path) = Folder::with("file");
    let (all, files) = astray(&path);
    let mut errors = 0;
    for file in files {
        fs::write(&path, &file).unwrap();
        let store = Store::open(&path).unwrap();
        let mut reader = store.reader().unwrap();
        for key in &all[90..300] {
            match ask(&mut reader, key) {
                Ok(value) => assert_eq!(value, Some(key.to_vec()), "{key:?}"),
                Err(_) => errors += 1,
            }
        }
        match keys(&store) {
            Ok(found) => assert!(found == all),
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 600, "{errors}");
}

/// Makes changes in a commit, or none.
fn commit(store: &mut Store, change: impl FnOnce(&mut Store) -> Result<(), StoreError>) -> Result<(), StoreError> {
    store.begin().unwrap();
    let done = change(store).and_then(|()| store.commit());
    done.inspect_err(|_| store.roll_back())
}

/// Changes some keys of each file: then each has this value, or an error, unless nothing was changed.
fn is_made_or_refused(change: impl Fn(&mut Store, &[[u8; 4]]) -> Result<(), StoreError>, expected: Option<&[u8]>) {
    let (_folder, path) = Folder::with("file");
    let (all, files) = astray(&path);
    let mut errors = 0;
    for (number, file) in files.iter().enumerate() {
        fs::write(&path, file).unwrap();
        let mut store = Store::open(&path).unwrap();
        let some = &all[number * 7 % 300..][..41];
        let changed = commit(&mut store, |store| change(store, some));
        let mut reader = store.reader().unwrap();
        let mut values = some[..40].iter().flat_map(|key| ask(&mut reader, key));
        assert!(changed.is_err() || values.all(|value| value.as_deref() == expected), "{number}");
        errors += usize::from(changed.is_err());
    }
    assert!(errors > 0);
}

#[test]
fn what_the_index_does_not_lead_to_is_not_saved_twice() {
    let new = |key: &[u8]| Packed::new(key, b"new".to_vec(), false);
    let save = |store: &mut Store, some: &[[u8; 4]]| some[..40].iter().try_for_each(|key| store.put(key, &new(key)));
    is_made_or_refused(save, Some(b"new"));
}

#[test]
fn a_range_is_erased_whole_or_not_at_all() {
    let erase = |store: &mut Store, some: &[[u8; 4]]| {
        while store.erase_range(&some[0], Some(&some[40]))? {}
        Ok(())
    };
    is_made_or_refused(erase, None);
}

/// The last page of the table is another one, perhaps with a gap at its end: new rows get numbers that have rows.
#[test]
fn what_a_damaged_table_would_lose_is_not_saved() {
    let (_folder, path) = Folder::with("file");
    let old = |number: usize| [&(number as u32).to_be_bytes()[..], &[7; 60]].concat();
    let sampled: Vec<_> = (0..4000).step_by(40).map(old).collect();
    let mut errors = 0;
    for gap in [0, 1, 3] {
        let mut sound = big_store(&path);
        let ends = pages_of(&sound, 13).into_iter().scan(0, |end, leaf| {
            *end += usize::from(u16::from_be_bytes([sound[leaf * PAGE + 3], sound[leaf * PAGE + 4]]));
            Some(*end)
        });
        let erased: Vec<_> = ends.filter(|end| *end < 4000).flat_map(|end| end - gap..end).map(old).collect();
        let mut store = Store::open(&path).unwrap();
        commit(&mut store, |store| erased.iter().try_for_each(|key| store.erase(key))).unwrap();
        store.close().unwrap();
        sound = fs::read(&path).unwrap();
        let (root, leaves) = (pages_of(&sound, 5)[0] * PAGE, pages_of(&sound, 13));
        for (leaf, len) in leaves.iter().flat_map(|leaf| [(leaf, 3), (leaf, 2 << 20)]) {
            let mut file = sound.clone();
            file[root + 8..root + 12].copy_from_slice(&(*leaf as u32 + 1).to_be_bytes());
            fs::write(&path, &file).unwrap();
            let mut store = Store::open(&path).unwrap();
            let found = |store: &Store, key: &[u8]| ask(&mut store.reader().unwrap(), key).ok().flatten();
            let before: Vec<_> = sampled.iter().map(|key| found(&store, key)).collect();
            let new = |key: &[u8]| Packed::new(key, vec![9; len], false);
            let mut keys = (0..8_u8).map(|key| [b'n', key]);
            let saved = commit(&mut store, |store| keys.clone().try_for_each(|key| store.put(&key, &new(&key))));
            let is_there = keys.all(|key| found(&store, &key).is_some_and(|value| value == vec![9; len]));
            assert!(saved.is_err() || is_there, "gap {gap}, page {leaf}, {len} bytes");
            assert!(matches!(saved, Ok(()) | Err(StoreError::Damaged(_))), "{saved:?}");
            assert!(sampled.iter().map(|key| found(&store, key)).eq(before), "gap {gap}, page {leaf}, {len} bytes");
            errors += usize::from(saved.is_err());
        }
    }
    assert!(errors > 0);
}
