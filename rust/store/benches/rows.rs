//! A row at a time, as `godot-sqlite` reads: for each a statement is prepared, by a connection that locks the file for it. Add
//! to that a loop of `bytes_to_var`. Beside it, what a store reads; the bench `files/store` has both with values.
//!
//!     cargo bench -p varbatch-store

use std::time::{Duration, Instant};

use rusqlite::Connection;
use varbatch_store::{Packed, Store};

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

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("world.store");
    let mut store = Store::open(&path).unwrap();
    store.begin().unwrap();
    for index in 0..SIDE * SIDE {
        let key = key(index % SIDE, index / SIDE);
        store.put(&key, &Packed::new(&key, vec![index as u8; 16_392], false)).unwrap();
    }
    store.commit().unwrap();
    let read = median(|keys| {
        let mut keys = keys.iter().map(Vec::as_slice);
        let mut memory = Vec::new();
        while keys.len() > 0 {
            let rows = store.get_some(&mut keys, 1 << 20, memory);
            assert!(rows.values(&[]).all(|value| value.is_ok()));
            memory = rows.memory;
        }
    });
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
