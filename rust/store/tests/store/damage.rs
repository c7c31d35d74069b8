//! Guards: of a file that is damaged, each value is right or an error, and no key that was saved is said not to be there. A
//! damaged journal leaves what one of its commits left.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use varbatch_store::{Packed, Store, StoreError};

use crate::folder::Folder;
use crate::random::Random;

/// Seconds to damage files for, in the environment, in place of these.
const SECONDS: &str = "VARBATCH_DAMAGE_SECONDS";
const FEW_SECONDS: u64 = 3;

const KEYS: usize = 150;
const COMMITS: usize = 12;

/// What a store holds after a commit.
type State = BTreeMap<Vec<u8>, Vec<u8>>;

/// What it says of each key: `None` for an error.
type Said = Vec<(Vec<u8>, Option<Option<Vec<u8>>>)>;

/// The bytes of a store, and what each commit left in it, from the one before its journal on.
struct Sample {
    states: Vec<State>,
    file: Vec<u8>,
    /// Empty if it was closed.
    journal: Vec<u8>,
}

/// A key; every second one is never saved.
fn key(number: usize) -> Vec<u8> {
    format!("key {number}").repeat(1 + number % 13 * 3).into_bytes()
}

/// Saves and erases some keys.
fn change(store: &mut Store, state: &mut State, random: &mut Random) {
    store.begin().unwrap();
    for _ in 0..30 {
        let key = key(random.below(KEYS) * 2);
        if random.percent(25) {
            store.erase(&key).unwrap();
            state.remove(&key);
            continue;
        }
        let len = random.pick(&[0, 4, 40, 300, 3000, 20_000]) + random.below(30);
        let value = if random.percent(50) { random.bytes(len) } else { vec![random.next() as u8; len] };
        store.put(&key, &Packed::new(&key, value.clone(), random.percent(50))).unwrap();
        state.insert(key, value);
    }
    store.commit().unwrap();
}

/// How a store came to its end: a kill leaves the journal, of which all may be in the file already.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Closed,
    Killed,
    KilledAfterCheckpoint,
}

fn sample(end: End, random: &mut Random) -> Sample {
    let (_folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    let (mut state, mut states) = (State::new(), Vec::new());
    for number in 1..=COMMITS {
        change(&mut store, &mut state, random);
        if number == COMMITS / 2 {
            store.checkpoint();
            states.clear();
        }
        states.push(state.clone());
    }
    if end == End::KilledAfterCheckpoint {
        store.checkpoint();
        states.drain(..states.len() - 1);
    }
    if end == End::Closed {
        drop(store);
        return Sample { states: vec![state], file: fs::read(&path).unwrap(), journal: Vec::new() };
    }
    Sample { states, file: fs::read(&path).unwrap(), journal: fs::read(journal_of(&path)).unwrap() }
}

fn journal_of(path: &Path) -> String {
    format!("{}-wal", path.display())
}

/// Changes bytes, or cuts them off. Never all of them: a file without any is that of a new store.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    // The first pages and the starts of pages say how all others are read.
    let at = match random.below(4) {
        0 => random.below(bytes.len().min(40_000)),
        1 => random.below(bytes.len() / 8192) * 8192 + random.below(100),
        _ => random.below(bytes.len()),
    };
    let all = bytes.len();
    let end = |len: usize| (at + len).min(all);
    match random.below(6) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.next() as u8,
        3 => {
            let end = end(1 + random.below(600));
            let noise = random.bytes(end - at);
            bytes[at..end].copy_from_slice(&noise);
        }
        4 => {
            let end = end(1 + random.below(20_000));
            bytes[at..end].fill(0);
        }
        _ => bytes.truncate(at.max(1)),
    }
}

fn ask(store: &mut Store) -> Said {
    let value = |store: &mut Store, key: &[u8]| -> Result<Option<Vec<u8>>, StoreError> {
        let Some(row) = store.get(key)? else { return Ok(None) };
        Ok(Some(row.unpack(key)?.into_owned()))
    };
    (0..2 * KEYS).map(key).map(|key| (key.clone(), value(store, &key).ok())).collect()
}

/// True if all that a store says is so in a state.
fn is_of(said: &Said, state: &State) -> bool {
    said.iter().all(|(key, value)| value.as_ref().is_none_or(|value| value.as_ref() == state.get(key)))
}

/// Opens what is left, and saves more. Returns how many answers are errors, if it is opened.
fn look(path: &Path, states: &[State], random: &mut Random, what: &str) -> Option<usize> {
    let mut store = Store::open(path).ok()?;
    let said = ask(&mut store);
    let Some(state) = states.iter().rev().find(|state| is_of(&said, state)) else {
        let last = states.last().unwrap();
        let wrong: Vec<_> = said.iter().filter(|said| !is_of(&vec![(*said).clone()], last)).collect();
        panic!("{what}: of no commit: {} keys differ from the last, first {:?}", wrong.len(), wrong[0]);
    };
    let mut keys = Vec::new();
    if store.keys(|key| keys.push(key.to_vec())).is_ok() {
        assert!(keys.iter().eq(state.keys()), "{what}: {} keys", keys.len());
    }
    // What is saved now is right too, or an error; so is the rest, once it is opened again. (Of free pages that are damaged
    // and in truth in use, a save makes use: so keys that were counted before can be missing until then.)
    let mut state = state.clone();
    let key = key(2 * random.below(KEYS));
    let saved = store.begin().and_then(|()| {
        store.put(&key, &Packed::new(&key, b"new".to_vec(), false))?;
        store.commit()
    });
    match saved {
        Ok(()) => _ = state.insert(key, b"new".to_vec()),
        Err(_) => store.roll_back(),
    }
    drop(store);
    if let Ok(mut store) = Store::open(path) {
        assert!(is_of(&ask(&mut store), &state), "{what}: after one more save");
    }
    Some(said.iter().filter(|(_, value)| value.is_none()).count())
}

#[test]
fn a_damaged_file_has_right_values_and_errors_alone() {
    let seconds = env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(FEW_SECONDS);
    let (folder, path) = Folder::with("store");
    let begin = Instant::now();
    let (mut count, mut opened, mut wrong) = (0, 0, 0);
    for seed in 0.. {
        let mut random = Random::new(seed);
        let end = [End::Closed, End::Killed, End::KilledAfterCheckpoint][seed as usize % 3];
        let is_closed = end == End::Closed;
        let Sample { states, file, journal } = sample(end, &mut random);
        for number in 0..50 {
            let (mut damaged, mut damaged_journal) = (file.clone(), journal.clone());
            // With the journal, the file is damaged too, as each page in it may be the only one.
            let is_file = is_closed || random.percent(30);
            damage(if is_file { &mut damaged } else { &mut damaged_journal }, &mut random);
            folder.names().iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
            fs::write(&path, damaged).unwrap();
            if !is_closed {
                fs::write(journal_of(&path), damaged_journal).unwrap();
            }
            let may_be = if is_file { &states[states.len() - 1..] } else { &states[..] };
            let errors = look(&path, may_be, &mut random, &format!("seed {seed}, {number}"));
            count += 1;
            opened += usize::from(errors.is_some());
            wrong += usize::from(errors.is_some_and(|errors| errors > 0));
        }
        if begin.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
    }
    println!("{count} damaged files: {opened} were opened, {wrong} of them with errors");
    assert!(opened > count / 4 && wrong > count / 20, "too few to say anything: {count}, {opened}, {wrong}");
}
