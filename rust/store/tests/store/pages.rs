//! Guards: pages that lead to themselves or to each other, of values, of the schema, of fences, are read to an end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use varbatch_store::{Packed, Rescue, Store, StoreError};

use crate::file::{ask, keys};
use crate::folder::Folder;
use crate::hostile::refused;

const PAGE: usize = 16_384;

/// Makes a store whose keys fill many pages, and returns its bytes.
fn big_store(path: &Path) -> Vec<u8> {
    let _ = fs::remove_file(path);
    let mut store = Store::open(path).unwrap();
    store.begin().unwrap();
    for number in 0..4000_u32 {
        let key = [&number.to_be_bytes()[..], &[7; 60]].concat();
        store.put(&key, &Packed::new(&key, vec![1; 40], false)).unwrap();
    }
    store.commit().unwrap();
    store.close().unwrap();
    fs::read(path).unwrap()
}

/// The pages of one kind: 2 inner ones of an index, 5 of a table, 10 and 13 leaves.
fn pages_of(file: &[u8], kind: u8) -> Vec<usize> {
    // Behind the roots of the mark and the fences.
    (4..file.len() / PAGE).filter(|page| file[page * PAGE] == kind).collect()
}

/// Lets each cell of an inner page lead to another page.
fn point_to(file: &mut [u8], page: usize, to: usize) {
    let start = page * PAGE;
    let number = |at: usize| usize::from(u16::from_be_bytes(file[at..at + 2].try_into().unwrap()));
    let cells: Vec<_> = (0..number(start + 3)).map(|cell| start + number(start + 12 + 2 * cell)).collect();
    for at in cells.into_iter().chain([start + 8]) {
        file[at..at + 4].copy_from_slice(&(to as u32 + 1).to_be_bytes());
    }
}

/// Looks at all that a file says, which must end soon.
pub fn ask_all(path: &Path, what: &str) {
    let begin = Instant::now();
    if let Ok(store) = Store::open(path) {
        let mut reader = store.reader().unwrap();
        let key = [&1_u32.to_be_bytes()[..], &[7; 60]].concat();
        let _ = (ask(&mut reader, &key), ask(&mut reader, b"none"), reader.has(b"none"), keys(&store));
        let _ = reader.keys(b"", None, 3, |_| ());
        drop(reader);
        let mut store = store;
        let _ = store.begin().and_then(|()| {
            store.put(b"none", &Packed::new(b"none", Vec::new(), false))?;
            store.erase(&key)?;
            store.erase_range(b"", None)?;
            store.commit()
        });
        store.roll_back();
    }
    for rescue in [Rescue::open(path), Rescue::open_copy(path)].into_iter().flatten() {
        (0..rescue.rows.len().min(10)).for_each(|index| drop(rescue.value(index)));
    }
    assert!(begin.elapsed() < Duration::from_secs(10), "{what}: {:?}", begin.elapsed());
}

#[test]
fn pages_that_lead_to_each_other_end() {
    let (_folder, path) = Folder::with("file");
    let sound = big_store(&path);
    // All keys are in one range.
    Connection::open(&path).unwrap().execute_batch("DELETE FROM fence WHERE start > x''").unwrap();
    let unfenced = fs::read(&path).unwrap();
    for (kind, sound) in [(2, &sound), (5, &sound), (2, &unfenced)] {
        let (inner, leaves) = (pages_of(sound, kind), pages_of(sound, if kind == 2 { 10 } else { 13 }));
        assert!(!inner.is_empty() && leaves.len() > 10, "{kind}: {inner:?}");
        // To itself, and one to the next with a leaf in the end: as many keys as 200 to the power of 8.
        for chain in [1, 2, 8] {
            let mut file = sound.clone();
            let pages = [&inner[..1], &leaves[..chain - 1]].concat();
            let root = file[inner[0] * PAGE..][..PAGE].to_vec();
            for page in &pages {
                file[page * PAGE..][..PAGE].copy_from_slice(&root);
            }
            for (index, page) in pages.iter().enumerate() {
                let last = if chain == 1 { *page } else { *leaves.last().unwrap() };
                point_to(&mut file, *page, *pages.get(index + 1).unwrap_or(&last));
            }
            fs::write(&path, file).unwrap();
            ask_all(&path, &format!("kind {kind}, {chain} pages"));
        }
    }
}

/// The schema: its index is there as often as 200 to the power of 8.
#[test]
fn a_schema_without_end_is_refused() {
    let (folder, path) = Folder::with("file");
    let sound = big_store(&path);
    let number = |at: usize| usize::from(u16::from_be_bytes(sound[at..at + 2].try_into().unwrap()));
    let mut file = sound.clone();
    let first = file.len() / PAGE;
    // A leaf with all rows, and one with the row of the index.
    let mut leaf = sound[..PAGE].to_vec();
    let head = sound[100..200].to_vec();
    leaf[..100].copy_from_slice(&head);
    let mut last = leaf.clone();
    let cells: Vec<_> = (0..number(103)).map(|cell| number(108 + 2 * cell)).collect();
    let index = cells.iter().find(|at| sound[**at..**at + 20].windows(5).any(|it| it == b"index")).unwrap();
    last[3..5].copy_from_slice(&[0, 1]);
    last[8..10].copy_from_slice(&(*index as u16).to_be_bytes());
    let inner = |to: &[usize]| {
        let mut page = vec![0; PAGE];
        page[..8].copy_from_slice(&[5, 0, 0, 0, to.len() as u8 - 1, 0x30, 0, 0]);
        page[8..12].copy_from_slice(&(*to.last().unwrap() as u32 + 1).to_be_bytes());
        for (cell, to) in to[..to.len() - 1].iter().enumerate() {
            let at = 0x3000 + cell * 8;
            page[12 + 2 * cell..14 + 2 * cell].copy_from_slice(&(at as u16).to_be_bytes());
            page[at..at + 4].copy_from_slice(&(*to as u32 + 1).to_be_bytes());
            page[at + 4] = 9;
        }
        page
    };
    let root = inner(&[first, first + 2]);
    file[100..120].copy_from_slice(&root[..20]);
    file[0x3000..0x3010].copy_from_slice(&root[0x3000..0x3010]);
    file.extend(leaf);
    file.extend(last);
    for depth in 0..8 {
        let to = if depth == 7 { first + 1 } else { first + 3 + depth };
        file.extend(inner(&[to; 200]));
    }
    let pages = (file.len() / PAGE) as u32;
    file[28..32].copy_from_slice(&pages.to_be_bytes());
    fs::write(&path, file).unwrap();
    let begin = Instant::now();
    assert!(matches!(refused(&folder, &path), StoreError::Damaged(_)));
    assert!(matches!(Rescue::open(&path), Err(StoreError::Damaged(_))));
    assert!(begin.elapsed() < Duration::from_secs(10));
}

/// The table of the fences.
#[test]
fn fences_without_end_are_refused() {
    let (_folder, path) = Folder::with("file");
    let mut file = big_store(&path);
    let fences = 3 * PAGE;
    assert_eq!(file[fences], 10);
    // An inner page with cells that lead to a leaf which has the fences of before.
    let last = file.len() / PAGE;
    let leaf = file[fences..][..PAGE].to_vec();
    let cell = |to: usize| [&(to as u32 + 1).to_be_bytes()[..], &[6, 4, 16, 8, 8, 65, 65]].concat();
    for (depth, page) in [3, last + 1, last + 2, last + 3, last + 4].into_iter().enumerate() {
        let to = if depth == 4 { last } else { last + 1 + depth };
        let mut bytes = vec![0; PAGE];
        bytes[..8].copy_from_slice(&[2, 0, 0, 0, 200, 0x20, 0, 0]);
        bytes[8..12].copy_from_slice(&(to as u32 + 1).to_be_bytes());
        for index in 0..200 {
            let at = 0x2000 + index * 16;
            bytes[12 + 2 * index..14 + 2 * index].copy_from_slice(&(at as u16).to_be_bytes());
            bytes[at..at + 11].copy_from_slice(&cell(to));
        }
        if page == 3 {
            file[fences..fences + PAGE].copy_from_slice(&bytes);
            file.extend(&leaf);
        } else {
            file.extend(bytes);
        }
    }
    let pages = (file.len() / PAGE) as u32;
    file[28..32].copy_from_slice(&pages.to_be_bytes());
    fs::write(&path, file).unwrap();
    ask_all(&path, "fences");
}
