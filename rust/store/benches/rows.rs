//! A row at a time, as `godot-sqlite` reads: for each a statement is prepared, by a connection that locks the file for it. Add
//! to that a loop of `bytes_to_var`. Beside it, what a store reads; the bench `files/store` has both with values.
//!
//!     cargo bench -p varbatch-store

use std::time::{Duration, Instant};

use rusqlite::Connection;
use varbatch_store::{Budget, Packed, Store, Walk};

const SIDE: u32 = 100;
const NEAR: u32 = 21;
const ROUNDS: usize = 21;

/// The bytes of a Vector2i.
fn key(x: u32, y: u32) -> Vec<u8> {
    [6, x, y].iter().flat_map(|part| part.to_le_bytes()).collect()
}

fn near(round: usize) -> Vec<Vec<u8>> {
    let from = (round as u32 * 37) % (SIDE - NEAR);
    (0..NEAR * NEAR).map(|index| key(from + index % NEAR, from + index / NEAR)).collect()
}

fn median(mut act: impl FnMut(&[Vec<u8>])) -> Duration {
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|round| {
            let keys = near(round);
            let started = Instant::now();
            act(&keys);
            started.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

const MILLION: u32 = 1_000_000;

/// As the key of an int sorts.
fn number_key(number: u32) -> [u8; 9] {
    let mut key = [2, 0x80, 0, 0, 0, 0, 0, 0, 0];
    key[5..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The time that passed, and that of the processor where the system tells it: others may use the machine, too.
#[derive(Debug)]
#[allow(dead_code, reason = "printed")]
struct Time(Duration, Duration);

fn processor() -> Duration {
    let spent = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    Duration::from_nanos(spent.split(' ').next().and_then(|spent| spent.parse().ok()).unwrap_or_default())
}

fn timed<T>(act: impl FnOnce() -> T) -> (Time, T) {
    let (started, before) = (Instant::now(), processor());
    let done = act();
    (Time(started.elapsed(), processor().saturating_sub(before)), done)
}

/// Keys in the order of the tree, as the plugin sorts those of a call.
fn million() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.store");
    let mut store = Store::open(&path).unwrap();
    let (saved, ()) = timed(|| {
        store.begin().unwrap();
        for number in 0..MILLION {
            let key = number_key(number);
            store.put(&key, &Packed::new(&key, number.to_le_bytes().into(), false)).unwrap();
        }
        store.commit().unwrap();
    });
    let (put, ()) = timed(|| store.checkpoint());
    let (erased, ()) = timed(|| {
        store.begin().unwrap();
        (0..MILLION).step_by(2).for_each(|number| store.erase(&number_key(number)).unwrap());
        store.commit().unwrap();
    });
    let (closed, ()) = timed(|| store.close().unwrap());
    let (opened, store) = timed(|| Store::open(&path).unwrap());
    let (read, mut reader) = timed(|| store.reader().unwrap());
    let (missed, is_found) = timed(|| reader.has(&number_key(MILLION / 2)).unwrap());
    assert!(!is_found && reader.has(&number_key(1)).unwrap());
    let range = |from: u32| {
        let mut found = 0;
        let mut walk = Walk::new(number_key(from).to_vec(), Some(number_key(from + 2048).to_vec()));
        reader.keys(&mut walk, usize::MAX, |_| found += 1).unwrap();
        assert_eq!(found, 1024);
    };
    let (ranged, ()) = timed(|| {
        let mut range = range;
        range(MILLION / 3);
    });
    let (counted, count) = timed(|| {
        let mut count = 0;
        store.reader().unwrap().keys(&mut Walk::default(), usize::MAX, |_| count += 1).unwrap();
        count
    });
    assert_eq!(count, MILLION / 2);
    println!(
        "{MILLION} keys: first save {saved:.2?}, checkpoint {put:.2?}, erase of half {erased:.2?}, close {closed:.2?}"
    );
    println!(
        "open {opened:.2?}, a reader {read:.2?}, a miss {missed:.2?}, 1024 keys {ranged:.2?}, all keys {counted:.2?}"
    );
}

fn main() {
    million();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.store");
    let mut store = Store::open(&path).unwrap();
    store.begin().unwrap();
    for index in 0..SIDE * SIDE {
        let key = key(index % SIDE, index / SIDE);
        store.put(&key, &Packed::new(&key, vec![index as u8; 16_392], false)).unwrap();
    }
    store.commit().unwrap();
    let mut reader = store.reader().unwrap();
    let read = median(|keys| {
        let mut keys = keys.iter().map(Vec::as_slice);
        let (mut memory, mut budget) = (Vec::new(), Budget::default());
        while keys.len() > 0 {
            let rows = reader.get_some(&mut keys, 1 << 20, memory, &mut budget);
            assert!(rows.values(&[]).all(|value| value.is_ok()));
            memory = rows.memory;
        }
    });
    drop(reader);
    drop(store);
    let rows = Connection::open(&path).unwrap();
    let by_row = median(|keys| {
        for key in keys {
            let mut statement = rows.prepare("SELECT value FROM entry WHERE key = ?1").unwrap();
            let value: Vec<u8> = statement.query_row([key], |row| row.get(0)).unwrap();
            std::hint::black_box(value);
        }
    });
    println!("441 chunks of 16 KiB: {by_row:.2?} a row at a time, {read:.2?} by a store");
}
