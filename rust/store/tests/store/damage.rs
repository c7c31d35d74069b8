//! Guards: of a file that is damaged, each value is right or an error, and no key that was saved is said not to be there. A
//! damaged journal leaves what one of its commits left.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use varbatch_store::{Packed, Store};

use crate::file::{self, save};
use crate::folder::Folder;
#[cfg(target_os = "linux")]
use crate::growth;
use crate::journals::quick_folder;
use crate::processes;
use crate::random::Random;

/// Seconds to damage files for, in the environment, in place of these.
const SECONDS: &str = "VARBATCH_DAMAGE_SECONDS";
const FEW_SECONDS: u64 = 3;

pub fn seconds() -> Duration {
    let seconds = env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(FEW_SECONDS))
}

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

const PAGE: usize = 16_384;

/// Lets pages of a file, or of a journal with what stands before each, change places or be gone; or changes what says how they are
/// read.
fn damage_pages(bytes: &mut [u8], is_journal: bool, random: &mut Random) {
    let (start, len) = if is_journal { (32, 24 + PAGE) } else { (0, PAGE) };
    let count = (bytes.len() - start) / len;
    let page = |number: usize| start + number * len..start + (number + 1) * len;
    let (one, other) = (page(random.below(count)), page(random.below(count)));
    match random.below(6) {
        0 => {
            let first = bytes[one.clone()].to_vec();
            bytes.copy_within(other.clone(), one.start);
            bytes[other].copy_from_slice(&first);
        }
        1 => bytes[one].fill(0),
        2 => bytes.copy_within(other, one.start),
        // The page size, the salts and the sum; or the head.
        3 if is_journal => bytes[random.below(32)] ^= 1 << random.below(8),
        3 => bytes[random.below(100)] ^= 1 << random.below(8),
        // The number of a page in a frame; or the text of the schema.
        4 if is_journal => bytes[one.start + random.below(24)] = random.next() as u8,
        4 => bytes[PAGE - 1 - random.below(800)] = random.pick(b"()0,'-x "),
        // What a page has: cells, and where.
        _ => bytes[one.start + if is_journal { 24 } else { 0 } + random.below(40)] = random.next() as u8,
    }
}

/// Changes bytes, or cuts them off. Never all of them: a file without any is that of a new store.
fn damage(bytes: &mut Vec<u8>, is_journal: bool, random: &mut Random) {
    if bytes.len() < 2 * PAGE {
        return;
    }
    if random.percent(40) {
        return damage_pages(bytes, is_journal, random);
    }
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

fn ask(store: &Store) -> Said {
    let keys = (0..2 * KEYS).map(key);
    let Ok(mut reader) = store.reader() else { return keys.map(|key| (key, None)).collect() };
    keys.map(|key| (key.clone(), file::ask(&mut reader, &key).ok())).collect()
}

/// True if all that a store says is so in a state.
fn is_of(said: &Said, state: &State) -> bool {
    said.iter().all(|(key, value)| value.as_ref().is_none_or(|value| value.as_ref() == state.get(key)))
}

/// Opens what is left, and saves more. Returns how many answers are errors, if it is opened.
fn look(path: &Path, states: &[State], random: &mut Random, what: &str) -> Option<usize> {
    let mut store = Store::open(path).ok()?;
    let said = ask(&store);
    let Some(state) = states.iter().rev().find(|state| is_of(&said, state)) else {
        let last = states.last().unwrap();
        let wrong: Vec<_> = said.iter().filter(|said| !is_of(&vec![(*said).clone()], last)).collect();
        panic!("{what}: of no commit: {} keys differ from the last, first {:?}", wrong.len(), wrong[0]);
    };
    if let Ok(keys) = file::keys(&store) {
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
    if let Ok(store) = Store::open(path) {
        assert!(is_of(&ask(&store), &state), "{what}: after one more save");
    }
    Some(said.iter().filter(|(_, value)| value.is_none()).count())
}

#[test]
fn a_damaged_file_has_right_values_and_errors_alone() {
    // In a process of its own, whose memory is that of this test.
    processes::run("damages files", Path::new(""));
}

pub fn damage_files() {
    let folder = quick_folder();
    let path = folder.path().join("store");
    #[cfg(target_os = "linux")]
    let memory = growth::memory("VmRSS");
    let begin = Instant::now();
    let (mut count, mut opened, mut wrong, mut max_len) = (0, 0, 0, 0);
    for seed in 0.. {
        let mut random = Random::new(seed);
        let end = [End::Closed, End::Killed, End::KilledAfterCheckpoint][seed as usize % 3];
        let is_closed = end == End::Closed;
        let Sample { states, file, journal } = sample(end, &mut random);
        for number in 0..50 {
            let (mut damaged, mut damaged_journal) = (file.clone(), journal.clone());
            // With the journal, the file is damaged too, as each page in it may be the only one.
            let is_file = is_closed || random.percent(30);
            damage(if is_file { &mut damaged } else { &mut damaged_journal }, !is_file, &mut random);
            // Some have more.
            while random.percent(20) {
                damage(if is_file { &mut damaged } else { &mut damaged_journal }, !is_file, &mut random);
            }
            fs::read_dir(&folder).unwrap().for_each(|file| fs::remove_file(file.unwrap().path()).unwrap());
            fs::write(&path, damaged).unwrap();
            if !is_closed {
                fs::write(journal_of(&path), damaged_journal).unwrap();
            }
            let may_be = if is_file { &states[states.len() - 1..] } else { &states[..] };
            let (asked, len) = (Instant::now(), file.len() + journal.len());
            let errors = look(&path, may_be, &mut random, &format!("seed {seed}, {number}"));
            // A second for each MB, and some for a busy machine.
            assert!(
                asked.elapsed() < Duration::from_secs(10 + (len >> 20) as u64),
                "seed {seed}, {number}: {:?}",
                asked.elapsed()
            );
            max_len = max_len.max(len);
            count += 1;
            opened += usize::from(errors.is_some());
            wrong += usize::from(errors.is_some_and(|errors| errors > 0));
        }
        if begin.elapsed() >= seconds() {
            break;
        }
    }
    #[cfg(target_os = "linux")]
    assert!(growth::memory("VmHWM") - memory < 256 * max_len + (64 << 20), "{}", growth::memory("VmHWM") - memory);
    println!("{count} damaged files: {opened} were opened, {wrong} of them with errors");
    assert!(opened > count / 4 && wrong > count / 20, "too few to say anything: {count}, {opened}, {wrong}");
}

/// SQLite takes what follows a damaged page for the torn end of a journal, and a missing one for none.
#[test]
fn a_journal_that_is_damaged_or_gone_is_told_once() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    let journal = folder.join("store-wal");
    save(&mut store, &[(b"key!", b"one")]);
    store.checkpoint();
    let before = fs::read(&journal).unwrap();
    (0..20_u8).for_each(|number| save(&mut store, &[(&[number; 4], &[number; 1000]), (b"last", &[number])]));
    let (file, frames) = (fs::read(&path).unwrap(), fs::read(&journal).unwrap());
    drop(store);
    let damaged = |damage: &dyn Fn(&mut Vec<u8>)| {
        let mut frames = frames.clone();
        damage(&mut frames);
        Some(frames)
    };
    for (what, journal_is, is_lost) in [
        ("as it was", Some(frames.clone()), false),
        ("gone", None, true),
        ("empty", Some(Vec::new()), true),
        ("the one before", Some(before), true),
        ("zeros", damaged(&|frames| frames.fill(0)), true),
        ("another head", damaged(&|frames| frames[..32].fill(7)), true),
        ("a byte of the third page", damaged(&|frames| frames[32 + 2 * (24 + 16384) + 100] ^= 1), true),
        ("a byte in its middle", damaged(&|frames| frames[1_000_000] ^= 1), true),
        // As a power cut may leave it.
        ("a byte of the last page", damaged(&|frames| *frames.last_mut().unwrap() ^= 1), false),
    ] {
        for saves in [true, false] {
            folder.names().iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
            fs::write(&path, &file).unwrap();
            journal_is.iter().for_each(|bytes| fs::write(&journal, bytes).unwrap());
            let mut store = Store::open(&path).unwrap();
            assert_eq!(store.lost().is_some(), is_lost, "{what}");
            let aside = store.set_aside();
            let kept = journal_is.as_ref().filter(|bytes| is_lost && !bytes.is_empty());
            assert_eq!(aside.map(|aside| fs::read(aside).unwrap()).as_ref(), kept, "{what}");
            if saves {
                save(&mut store, &[(b"more", b"one")]);
            }
            drop(store);
            assert!(Store::open(&path).unwrap().lost().is_none(), "{what}, {saves}: told again");
        }
    }
}
