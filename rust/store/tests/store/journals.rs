//! Guards: a journal is played into its own file and into no other, whenever either was copied. What is opened is one generation,
//! never a mixture of two; a journal that is not played is kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;
use varbatch_store::{Packed, Reader, Store, StoreError, set_aside_name};

use crate::damage::seconds;
use crate::file::{content, load, rollback_journal, save};
use crate::folder::Folder;
use crate::random::Random;

type State = BTreeMap<Vec<u8>, Vec<u8>>;

const KEYS: usize = 60;
const STEPS: usize = 60;
const PAIRS: usize = 120;

/// The key whose value is the number of the generation.
const GENERATION: &[u8] = b"generation";

const PAGE: usize = 16_384;

/// A file and its journal at one moment.
#[derive(Clone)]
struct Snapshot {
    file: Vec<u8>,
    journal: Vec<u8>,
    /// The generation that was committed last.
    generation: usize,
}

/// An open store.
struct World {
    path: PathBuf,
    store: Store,
    /// What holds an older state.
    reader: Option<Reader>,
    generation: usize,
}

struct Model {
    folder: TempDir,
    random: Random,
    /// All generations of all worlds: no two have a number in common.
    states: Vec<State>,
    snapshots: Vec<Snapshot>,
    paths: usize,
}

fn journal_of(path: &Path) -> PathBuf {
    format!("{}-wal", path.display()).into()
}

impl Model {
    fn new(seed: u64) -> Self {
        let (folder, random) = (quick_folder(), Random::new(seed));
        Self { folder, random, states: vec![State::new()], snapshots: Vec::new(), paths: 0 }
    }

    fn open(&mut self, snapshot: Option<&Snapshot>) -> World {
        self.paths += 1;
        let path = self.folder.path().join(format!("{}.store", self.paths));
        if let Some(Snapshot { file, journal, .. }) = snapshot {
            fs::write(&path, file).unwrap();
            fs::write(journal_of(&path), journal).unwrap();
        }
        let generation = snapshot.map_or(0, |snapshot| snapshot.generation);
        World { store: Store::open(&path).unwrap(), path, reader: None, generation }
    }

    fn commit(&mut self, world: &mut World) {
        let generation = self.states.len();
        let mut state = self.states[world.generation].clone();
        world.store.begin().unwrap();
        for _ in 0..self.random.pick(&[1, 5, 30]) {
            let key = format!("key {}", self.random.below(KEYS)).into_bytes();
            if self.random.percent(20) {
                world.store.erase(&key).unwrap();
                state.remove(&key);
                continue;
            }
            let len = self.random.pick(&[10, 300, 3000, 40_000]);
            let value = [generation.to_string().into_bytes(), vec![generation as u8; len]].concat();
            world.store.put(&key, &Packed::new(&key, value.clone(), false)).unwrap();
            state.insert(key, value);
        }
        let value = generation.to_string().into_bytes();
        world.store.put(GENERATION, &Packed::new(GENERATION, value.clone(), false)).unwrap();
        world.store.commit().unwrap();
        state.insert(GENERATION.into(), value);
        self.states.push(state);
        world.generation = generation;
    }

    /// A save that is too much for the memory, so that the journal has some of it. It may be killed in its middle.
    fn roll_back(&mut self, world: &mut World) {
        world.store.begin().unwrap();
        let value = vec![1; 9 << 20];
        world.store.put(b"long", &Packed::new(b"long", value, false)).unwrap();
        if self.random.percent(30) {
            self.snapshot(world);
        }
        world.store.roll_back();
    }

    fn snapshot(&mut self, world: &World) -> Snapshot {
        let journal = fs::read(journal_of(&world.path)).unwrap();
        let snapshot = Snapshot { file: fs::read(&world.path).unwrap(), journal, generation: world.generation };
        self.snapshots.push(snapshot.clone());
        snapshot
    }

    /// As a kill in the middle of a checkpoint leaves it, or a power cut: `is_torn` for any sectors of the pages.
    fn in_checkpoint(&mut self, snapshot: &Snapshot, is_torn: bool) -> Snapshot {
        let Snapshot { mut file, journal, generation } = snapshot.clone();
        let pages = pages_of(&journal);
        let Some(mark) = pages.get(&3) else { return snapshot.clone() };
        // The first that is written, and flushed, are the mark and the version.
        file[3 * PAGE - 30..3 * PAGE].copy_from_slice(&mark[PAGE - 30..]);
        if self.random.percent(10) {
            return Snapshot { file, journal, generation };
        }
        file[60..64].copy_from_slice(&65_538_u32.to_be_bytes());
        let percent = self.random.pick(&[0, 5, 50, 95]);
        for (number, page) in pages {
            let at = (number - 1) * PAGE;
            let is_put = self.random.percent(percent);
            if is_put || is_torn {
                file.resize(file.len().max(at + PAGE), 0);
            }
            for sector in (0..PAGE).step_by(512) {
                if if is_torn { self.random.percent(percent) } else { is_put } {
                    file[at + sector..at + sector + 512].copy_from_slice(&page[sector..sector + 512]);
                }
            }
        }
        Snapshot { file, journal, generation }
    }

    /// What opening a file with a journal leads to: the content, and where the journal is.
    fn look(&mut self, file: &[u8], journal: &[u8], what: &str) -> Option<usize> {
        let folder = quick_folder();
        let path = folder.path().join("look.store");
        fs::write(&path, file).unwrap();
        if !journal.is_empty() {
            fs::write(journal_of(&path), journal).unwrap();
        }
        let mut store = match Store::open(&path) {
            Ok(store) => store,
            Err(StoreError::NoJournal) => {
                assert!(fs::read(&path).unwrap() == file, "{what}: changed");
                assert!(journal.is_empty() || fs::read(journal_of(&path)).unwrap() == journal, "{what}: changed");
                return None;
            }
            Err(error) => panic!("{what}: {error}"),
        };
        let content = content(&store).unwrap_or_else(|error| panic!("{what}: {error}"));
        let generation = content.get(GENERATION).map_or(0, |text| String::from_utf8_lossy(text).parse().unwrap());
        assert!(content == self.states[generation], "{what}: not generation {generation}");
        if let Some(aside) = store.set_aside() {
            assert_eq!(aside, set_aside_name(&journal_of(&path.canonicalize().unwrap()), 1), "{what}");
            assert!(fs::read(aside).unwrap() == journal, "{what}: the journal that was set aside");
        }
        // It goes on as any other.
        save(&mut store, &[(b"more", b"more")]);
        store.close().unwrap();
        let store = Store::open(&path).unwrap();
        let mut state = self.states[generation].clone();
        state.insert(b"more".into(), b"more".into());
        assert!(crate::file::content(&store).unwrap() == state, "{what}: after one more save");
        Some(generation)
    }
}

/// In memory where there is a folder for that: no power is cut here.
pub fn quick_folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

/// The last content of each page of a journal, in the order in which they are put into the file.
fn pages_of(journal: &[u8]) -> BTreeMap<usize, &[u8]> {
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize;
    let (mut all, mut pages) = (BTreeMap::new(), BTreeMap::new());
    let Some(salt) = journal.get(16..24) else { return pages };
    for frame in journal[32..].chunks_exact(24 + PAGE).take_while(|frame| &frame[8..16] == salt) {
        all.insert(number(frame), &frame[24..]);
        if number(&frame[4..]) > 0 {
            pages = all.clone();
        }
    }
    pages
}

#[test]
fn whatever_file_meets_whatever_journal_one_generation_is_found() {
    let begin = Instant::now();
    let (mut played, mut aside, mut refused) = (0, 0, 0);
    for seed in 0.. {
        let mut model = Model::new(seed);
        let mut worlds = vec![model.open(None)];
        for _ in 0..STEPS {
            let index = model.random.below(worlds.len());
            let mut world = worlds.swap_remove(index);
            match model.random.below(100) {
                0..50 => model.commit(&mut world),
                50..65 => world.store.checkpoint(),
                65..75 => {
                    world.reader = if world.reader.is_some() { None } else { world.store.reader().ok() };
                    world.reader.iter_mut().for_each(|reader| reader.hold().unwrap());
                }
                75..80 => {
                    world.reader = None;
                    world.store.close().unwrap();
                    world.store = Store::open(&world.path).unwrap();
                }
                80..85 => {
                    // Killed, or copied and opened while it goes on.
                    let snapshot = model.snapshot(&world);
                    let fork = model.open(Some(&snapshot));
                    let state = content(&fork.store).unwrap();
                    assert!(state == model.states[snapshot.generation], "seed {seed}: a fork");
                    if worlds.len() < 3 {
                        worlds.push(fork);
                    }
                }
                85..90 => while world.store.shrink().unwrap_or(0) > 0 {},
                90..92 => model.roll_back(&mut world),
                _ => _ = model.snapshot(&world),
            }
            worlds.push(world);
        }
        drop(worlds);
        for index in 0..model.snapshots.len() {
            let whole = model.snapshots[index].clone();
            for number in 0..4 {
                let snapshot = if number == 0 { whole.clone() } else { model.in_checkpoint(&whole, number == 3) };
                let found = model.look(&snapshot.file, &snapshot.journal, &format!("seed {seed}: {index}, {number}"));
                assert_eq!(found, Some(snapshot.generation), "seed {seed}: {index}, {number}: its own journal");
                if number > 0 && model.random.percent(30) {
                    model.snapshots.push(snapshot);
                }
            }
        }
        for _ in 0..PAIRS {
            let (file, journal) =
                (model.random.below(model.snapshots.len()), model.random.below(model.snapshots.len()));
            let what = format!("seed {seed}: file {file}, journal {journal}");
            let Snapshot { file, .. } = model.snapshots[file].clone();
            let Snapshot { journal, generation, .. } = model.snapshots[journal].clone();
            let alone = model.look(&file, &[], &what);
            let both = model.look(&file, &journal, &what);
            assert!(both == alone || both == Some(generation), "{what}: {both:?} of {alone:?}, {generation}");
            played += usize::from(both == Some(generation));
            aside += usize::from(both.is_some() && both != Some(generation));
            refused += usize::from(both.is_none());
        }
        if begin.elapsed() > seconds() {
            break;
        }
    }
    println!("{played} journals were played, {aside} set aside, {refused} files refused");
    assert!(played > 20 && aside > 20 && refused > 5, "too few to say anything");
}

#[test]
fn journals_that_no_store_makes_are_set_aside() {
    let (folder, path) = Folder::with("store");
    save(&mut Store::open(&path).unwrap(), &[(b"key!", b"one")]);
    let sound = fs::read(&path).unwrap();
    let (_other, other) = Folder::with("other");
    let hot = rollback_journal(&other);
    for journal in [hot, b"text".to_vec()] {
        fs::write(folder.join("store-journal"), &journal).unwrap();
        let mut store = Store::open(&path).unwrap();
        let aside = store.set_aside().expect("it was set aside");
        assert_eq!((fs::read(&aside).unwrap(), load(&store, b"key!").unwrap()), (journal, b"one".to_vec()));
        drop(store);
        assert!(fs::read(&path).unwrap() == sound);
        fs::remove_file(aside).unwrap();
        assert_eq!(folder.names(), ["store"]);
    }
}

#[test]
fn the_journal_of_a_file_that_is_gone_is_set_aside() {
    for empty in [false, true] {
        let (folder, path) = Folder::with("store");
        let mut store = Store::open(&path).unwrap();
        save(&mut store, &[(b"key!", b"one")]);
        let journal = fs::read(folder.join("store-wal")).unwrap();
        drop(store);
        fs::remove_file(&path).unwrap();
        if empty {
            fs::write(&path, "").unwrap();
        }
        fs::write(folder.join("store-wal"), &journal).unwrap();
        let mut store = Store::open(&path).unwrap();
        let aside = store.set_aside().expect("it was set aside");
        assert!(store.set_aside().is_none());
        assert!(fs::read(aside).unwrap() == journal && content(&store).unwrap().is_empty());
        save(&mut store, &[(b"key!", b"two")]);
        drop(store);
        assert_eq!(folder.names(), ["store", "store-wal-set-aside-1"]);
        assert_eq!(load(&Store::open(&path).unwrap(), b"key!").unwrap(), b"two");
    }
}

/// A store with two generations in its journal, and what a checkpoint leaves that is killed in its middle.
fn killed_in_checkpoint(model: &mut Model, world: &mut World) -> Snapshot {
    model.commit(world);
    let snapshot = model.snapshot(world);
    (0..).map(|_| model.in_checkpoint(&snapshot, false)).find(|put| put.file[60..64] == [0, 1, 0, 2]).unwrap()
}

#[test]
fn a_part_of_a_journal_without_the_rest_is_refused() {
    let mut model = Model::new(7);
    let mut world = model.open(None);
    let Snapshot { file, journal, .. } = killed_in_checkpoint(&mut model, &mut world);
    for len in [0, 1, 31, 32, 33, 32 + 24 + PAGE, journal.len() - 1] {
        assert_eq!(model.look(&file, &journal[..len], &format!("{len} bytes")), None, "{len} bytes");
    }
    assert_eq!(model.look(&file, &journal, "all"), Some(1));
    let (_folder, path) = Folder::with("store");
    fs::write(&path, &file).unwrap();
    assert!(matches!(Store::open_bytes(file.into()), Err(StoreError::NoJournal)));
    let rescue = varbatch_store::Rescue::open(&path);
    assert!(rescue.is_err() || matches!(rescue.unwrap().damage, Some(StoreError::NoJournal | StoreError::Damaged(_))));
}

/// Both go on from one generation, in one journal.
#[test]
fn a_part_of_a_journal_with_that_of_a_fork_is_refused() {
    let mut model = Model::new(8);
    let mut world = model.open(None);
    model.commit(&mut world);
    let snapshot = model.snapshot(&world);
    let fork = model.open(Some(&snapshot));
    let of_fork = fs::read(journal_of(&fork.path)).unwrap();
    assert!(of_fork.len() > snapshot.journal.len());
    let Snapshot { file, journal, .. } = killed_in_checkpoint(&mut model, &mut world);
    assert_eq!(model.look(&file, &of_fork, "of the fork"), None);
    assert_eq!(model.look(&file, &journal, "its own"), Some(2));
}

/// A kill between the two writes that announce a checkpoint: the mark is in the file, and nothing else of the journal.
#[test]
fn a_file_with_an_announced_mark_is_not_whole() {
    let (_folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save(&mut store, &[(b"key!", b"one")]);
    save(&mut store, &[(b"key!", b"two")]);
    let (mut file, frames) = (fs::read(&path).unwrap(), fs::read(journal_of(&path)).unwrap());
    drop(store);
    let mark = frames[32..].chunks_exact(24 + PAGE).rfind(|frame| frame[..4] == [0, 0, 0, 3]).unwrap();
    file[2 * PAGE..3 * PAGE].copy_from_slice(&mark[24..]);
    fs::write(&path, &file).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::NoJournal)));
    fs::write(journal_of(&path), &frames).unwrap();
    let again = || load(&Store::open(&path).unwrap(), b"key!").unwrap();
    assert_eq!([again(), again()], [b"two", b"two"]);
}

/// A kill between the number of its own that a file gets and the first commit in its next journal: all of the last is in the file.
#[test]
fn a_journal_that_is_all_in_its_file_is_not_set_aside() {
    let (folder, path) = Folder::with("store");
    let files = [path.clone(), folder.join("store-wal")];
    let kill = |store: Store| {
        let left = files.each_ref().map(|file| fs::read(file).unwrap());
        drop(store);
        files.iter().zip(left).for_each(|(file, bytes)| fs::write(file, bytes).unwrap());
    };
    let save_and_kill = |value| {
        let (mut store, journal) = (Store::open(&path).unwrap(), fs::read(&files[1]).unwrap_or_default());
        save(&mut store, &[(b"key!", value)]);
        kill(store);
        journal
    };
    save_and_kill(b"one");
    for _ in 0..3 {
        let mut store = Store::open(&path).unwrap();
        assert!(store.set_aside().is_none() && store.lost().is_none());
        assert_eq!(load(&store, b"key!").unwrap(), b"one");
        store.begin().unwrap();
        kill(store);
    }
    // Copied while the game saved: the journal first, and the file when the next one had begun.
    save_and_kill(b"two");
    let journal = save_and_kill(b"new");
    fs::write(&files[1], &journal).unwrap();
    let mut store = Store::open(&path).unwrap();
    assert_eq!(load(&store, b"key!").unwrap(), b"two");
    assert!(store.lost().is_some() && fs::read(store.set_aside().expect("it is kept")).unwrap() == journal);
}
