//! Guards: four times the keys take four times the time, and no more than six times; what is asked of a few keys does not depend
//! on how many others there are. And what a value takes of memory.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use varbatch_store::{Budget, Packed, Store, Walk};

use crate::file::{ask, load, save};
use crate::journals::quick_folder;

const FEW: u32 = 50_000;
const RANGE: u32 = 1024;

/// Of four times as many, times this at most.
const MAX_RATIO: u32 = 6;

/// The time of a processor is counted in these.
const TICK: Duration = Duration::from_millis(4);

fn key(number: u32) -> [u8; 9] {
    let mut key = [2; 9];
    key[5..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The time that this thread has had a processor, where the system tells: others use this machine, too.
fn now() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let ran = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|text| text.split_whitespace().next()?.parse().ok()).map(Duration::from_nanos);
    ran.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed())
}

fn timed<T>(act: impl FnOnce() -> T) -> Duration {
    let begin = now();
    act();
    now() - begin
}

/// The times for some keys: each is a name, whether it may grow with the number of keys, and the time.
fn times(count: u32) -> Vec<(&'static str, bool, Duration)> {
    let folder = quick_folder();
    let path = folder.path().join("store");
    let mut store = Store::open(&path).unwrap();
    let all = |store: &mut Store, from: u32, step: usize, save: bool| {
        store.begin().unwrap();
        for number in (from..count).step_by(step) {
            let key = key(number);
            if save {
                store.put(&key, &Packed::new(&key, vec![1; 20], false)).unwrap();
            } else {
                store.erase(&key).unwrap();
            }
        }
        store.commit().unwrap();
        store.checkpoint();
    };
    let first = timed(|| all(&mut store, 0, 1, true));
    let again = timed(|| all(&mut store, 0, 1, true));
    let erased = timed(|| all(&mut store, 1, 2, false));
    let mut reader = store.reader().unwrap();
    reader.hold().unwrap();
    let numbers: Vec<_> = (0..RANGE).map(|number| count / 2 + number * 2).collect();
    let misses =
        timed(|| numbers.iter().for_each(|number| assert!(!reader.has(&key((number * 7 % count) | 1)).unwrap())));
    let range = timed(|| {
        let (mut found, to) = (0, key(numbers[0] + 2 * RANGE));
        let mut walk = Walk::new(key(numbers[0]).to_vec(), Some(to.to_vec()));
        let end = reader.keys(&mut walk, usize::MAX, |_| found += 1);
        assert_eq!((end.unwrap(), found), (false, RANGE));
    });
    let some = timed(|| {
        let keys: Vec<_> = numbers.iter().map(|number| key(*number)).collect();
        let rows = reader.get_some(&mut keys.iter().map(|key| &key[..]), 1 << 20, Vec::new(), &mut Budget::default());
        assert_eq!(
            rows.values(&[]).filter(|value| value.as_ref().is_ok_and(|value| **value == [1; 20])).count(),
            keys.len()
        );
    });
    drop(reader);
    let reopened = timed(|| {
        store.close().unwrap();
        assert!(ask(&mut Store::open(&path).unwrap().reader().unwrap(), &key(1)).unwrap().is_none());
    });
    vec![
        ("first save", true, first),
        ("save again", true, again),
        ("erase of half", true, erased),
        ("misses", false, misses),
        ("a range", false, range),
        ("get_some", false, some),
        ("open, with a miss", false, reopened),
    ]
}

#[test]
fn four_times_the_keys_take_four_times_the_time() {
    // The best of a few: others use this machine, too.
    let (mut few, mut many) = (times(FEW), times(4 * FEW));
    for round in 0.. {
        let slow: Vec<_> = few
            .iter()
            .zip(&many)
            .filter(|((_, grows, few), (_, _, many))| {
                *many > if *grows { *few * MAX_RATIO } else { *few * 3 + TICK * 2 }
            })
            .collect();
        if slow.is_empty() {
            break;
        }
        assert!(round < 5, "more than {MAX_RATIO} times as long: {slow:?}");
        let best = |times: &mut Vec<(_, bool, Duration)>, count| {
            times.iter_mut().zip(self::times(count)).for_each(|(best, (_, _, time))| best.2 = best.2.min(time));
        };
        best(&mut many, 4 * FEW);
        best(&mut few, FEW);
    }
    few.iter().zip(&many).for_each(|((name, _, few), (_, _, many))| println!("{name}: {few:.2?}, {many:.2?}"));
}

/// The greatest memory of this process so far, or that of now.
#[cfg(target_os = "linux")]
pub fn memory(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// In a process of its own, see `processes`.
#[cfg(target_os = "linux")]
pub fn save_a_long_value(path: &Path) -> usize {
    let value: Vec<u8> = (0..100_000_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let packed = Packed::new(b"key!", value, false);
    let before = memory("VmRSS");
    let mut store = Store::open(path).unwrap();
    store.begin().unwrap();
    store.put(b"key!", &packed).unwrap();
    store.commit().unwrap();
    store.close().unwrap();
    memory("VmHWM") - before
}

#[cfg(target_os = "linux")]
pub fn load_a_long_value(path: &Path) -> usize {
    let store = Store::open(path).unwrap();
    let before = memory("VmRSS");
    assert_eq!(load(&store, b"key!").unwrap().len(), 100_000_000);
    memory("VmHWM") - before
}

#[test]
fn ranges_are_erased_in_pieces() {
    let folder = quick_folder();
    let mut store = Store::open(&folder.path().join("store")).unwrap();
    let keys: Vec<_> = (0..3000).map(key).collect();
    save(&mut store, &keys.iter().map(|key| (&key[..], &b"value"[..])).collect::<Vec<_>>());
    store.begin().unwrap();
    while store.erase_range(&keys[1000], Some(&keys[2500])).unwrap() {}
    store.commit().unwrap();
    let left = crate::file::keys(&store).unwrap();
    assert!(left.iter().eq(keys[..1000].iter().chain(&keys[2500..])));
    store.begin().unwrap();
    while store.erase_range(&keys[2600], None).unwrap() {}
    store.commit().unwrap();
    assert_eq!(crate::file::keys(&store).unwrap().len(), 1100);
}
