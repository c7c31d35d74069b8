//! Guards: pages that lead to themselves or to each other, of values, of the schema, of fences, are read to an end.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use varbatch_store::{Budget, Copy, Packed, Rescue, Store, StoreError, Walk};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::file::{ask, keys, save};
use crate::folder::Folder;
use crate::hostile::refused;

pub const PAGE: usize = 16_384;

/// Makes a store whose keys fill many pages, and returns its bytes.
pub fn big_store(path: &Path) -> Vec<u8> {
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
pub fn pages_of(file: &[u8], kind: u8) -> Vec<usize> {
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
        let (mut walk, mut len, mut found) = (Walk::default(), 0, 0);
        let mut is_more = true;
        while is_more {
            is_more = reader.keys(&mut walk, 1000, |key| found += key.len()).unwrap_or(false);
            assert!(found - len < 2000, "{what}: a step of {} bytes", found - len);
            len = found;
        }
        let file_len = fs::metadata(path).unwrap().len() as usize;
        assert!(found <= file_len, "{what}: keys of {found} bytes in {file_len}");
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
    for mut rescue in [Rescue::open(path), Rescue::open_copy(path)].into_iter().flatten() {
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

fn varint(number: usize) -> [u8; 3] {
    [number >> 14 | 128, number >> 7 & 127 | 128, number & 127].map(|byte| byte as u8)
}

/// Rows that all have the bytes of one as their value, each with the right checksum.
#[test]
fn values_of_the_same_bytes_are_no_longer_than_the_file() {
    const SHORT: usize = 20_000;
    const LONG: usize = SHORT + 60 * (PAGE - 4);
    // Bytes of a row besides its value, and those of it that are in its page.
    const HEAD: usize = 8 + 4 + 8;
    let local = 2031 + (HEAD + SHORT - 2031) % (PAGE - 4);
    let (folder, path) = Folder::with("file");
    let mut store = Store::open(&path).unwrap();
    let rows: Vec<_> =
        (0..20_u32).map(|number| (number.to_be_bytes(), if number == 0 { LONG } else { SHORT })).collect();
    let zeros: Vec<_> = rows.iter().map(|(_, len)| vec![0; *len]).collect();
    save(&mut store, &rows.iter().zip(&zeros).map(|((key, _), value)| (&key[..], &value[..])).collect::<Vec<_>>());
    drop(store);
    let other = Connection::open(&path).unwrap();
    for (key, _) in &rows {
        let checksum = xxh3_64_with_seed(&zeros[0], xxh3_64(key)) as i64;
        other.execute("UPDATE entry SET checksum = ?1, compression = 0 WHERE key = ?2", (checksum, key)).unwrap();
    }
    drop(other);
    let mut file = fs::read(&path).unwrap();
    let cell_of = |file: &[u8], row: u8, len: usize| {
        let start = [&varint(HEAD + len)[..], &[row]].concat();
        // The last: what is left in a page that it has moved from comes before.
        (0..file.len() - 4).rfind(|at| file[*at..].starts_with(&start)).unwrap()
    };
    let first = cell_of(&file, 1, LONG) + 4 + local;
    let chain = file[first..first + 4].to_vec();
    for row in 2..=20 {
        let at = cell_of(&file, row, SHORT);
        file[at..at + 3].copy_from_slice(&varint(HEAD + LONG));
        let len_at = (at..at + 20).find(|at| file[*at..].starts_with(&varint(12 + 2 * SHORT))).unwrap();
        file[len_at..len_at + 3].copy_from_slice(&varint(12 + 2 * LONG));
        file[at + 4 + local..at + 8 + local].copy_from_slice(&chain);
    }
    fs::write(&path, &file).unwrap();
    let (store, keys) = (Store::open(&path).unwrap(), rows.iter().map(|(key, _)| &key[..]));
    let mut reader = store.reader().unwrap();
    assert!(keys.clone().all(|key| ask(&mut reader, key).unwrap().is_some_and(|value| value == zeros[0])));
    let read = reader.get_some(&mut keys.clone(), usize::MAX, Vec::new(), &mut Budget::default());
    let len: usize = read.values(&[]).flatten().map(|value| value.len()).sum();
    assert!(len <= file.len(), "{len} bytes of {}", file.len());
    // One that is asked for twice may be there twice.
    let twice = reader.get_some(&mut [&rows[3].0[..]; 50].into_iter(), usize::MAX, Vec::new(), &mut Budget::default());
    assert!(twice.values(&[]).all(|value| value.is_ok_and(|value| value.len() == LONG)));
    let mut copy = Copy::begin(&folder.join("copy")).unwrap();
    assert!((0..30).any(|_| copy.add(&mut reader, 1 << 20).is_err()));
    let mut rescue = Rescue::open(&path).unwrap();
    let saved: usize = (0..20).filter_map(|row| rescue.value(row).ok()).map(|value| value.len()).sum();
    assert!(saved <= 9 * file.len(), "{saved} bytes of {}", file.len());
}

/// Whether a range lacks keys is found out once.
#[test]
fn keys_that_are_missing_cost_one_look_at_their_range() {
    let (_folder, path) = Folder::with("file");
    big_store(&path);
    Connection::open(&path).unwrap().execute_batch("UPDATE fence SET keys = keys + 1").unwrap();
    let store = Store::open(&path).unwrap();
    let mut reader = store.reader().unwrap();
    // In no order: all their ranges together are read once.
    let missing: Vec<_> = (0..20_000_u32).map(|number| (number * 7919 % 4000).to_be_bytes()).collect();
    let (begin, mut keys) = (Instant::now(), missing.iter().map(|key| &key[..]));
    let rows = reader.get_some(&mut keys, usize::MAX, Vec::new(), &mut Budget::default());
    assert!(rows.values(&[]).all(|value| matches!(value, Err(StoreError::Damaged("keys are missing")))));
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
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

#[test]
fn a_damaged_cell_leaves_the_others_also_at_the_first_look() {
    let (_folder, path) = Folder::with("file");
    let mut file = big_store(&path);
    let leaf = pages_of(&file, 13)[1] * PAGE;
    let cell = leaf + usize::from(u16::from_be_bytes([file[leaf + 32], file[leaf + 33]]));
    // It says now that it is longer than what is left of the page.
    file[cell] |= 0x80;
    fs::write(&path, &file).unwrap();
    let damaged = (0..4000_u32).filter(|number| {
        let key = [&number.to_be_bytes()[..], &[7; 60]].concat();
        let found = || ask(&mut Store::open(&path).unwrap().reader().unwrap(), &key);
        number % 20 == 0 && !matches!(found(), Ok(Some(value)) if value == vec![1; 40])
    });
    assert!(damaged.count() <= 1);
}
