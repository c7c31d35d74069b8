//! Guards: a power cut that loses a save or a record that was said to be on the disk, or leaves half a file.
//!
//! Saves and appends run in a real folder while their changes are recorded. A model of the disk then has each change so
//! far, and is cut off: what was not flushed may be there, be missing or be torn. The file that this leaves is loaded and
//! appended to, and is also where the next calls go on.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

#[path = "power_disk.rs"]
mod disk;

use self::disk::{Disk, Random, coin};
use crate::beside::tests::Folder;
use crate::compressed::{Compression, is_compressed};
use crate::disk::Change;
use crate::disk::tests::{Recorder, UNSUPPORTED, append, record, save, write};
use crate::known::with_suffix;
use crate::{AppendError, Loader, Saver, Seen, Ticket};
use varbatch_codec::{Dialect, frames};
use varbatch_workers::Threads;

/// Power cuts in all, and for each change.
const CUTS: usize = 100_000;
const CUTS_A_CHANGE: usize = 8;

/// Bytes from which a file is replaced and not appended to.
const MAX_LEN: usize = 30_000;

/// Files that were set aside, above which the player removes them.
const MAX_ASIDES: usize = 9;

const NAME: &str = "save";

/// What may be at the path.
#[derive(Clone, Default)]
struct Version {
    /// The bytes of the file; `None` if there may be none.
    file: Option<Vec<u8>>,
    /// True if other bytes may be behind them, which nobody said were on the disk.
    has_rest: bool,
    /// The backup; `None` if there is none.
    backup: Option<Vec<u8>>,
    /// Files that were set aside.
    asides: Vec<Vec<u8>>,
    /// True if the file is not whole, in bytes that are on the disk.
    is_damaged: bool,
    /// The records in it, not compressed.
    records: Vec<u8>,
    /// True if bytes may be missing in it before others, as on a disk that is not ordered.
    has_holes: bool,
}

impl Version {
    fn with_rest(&self) -> Self {
        Self { has_rest: true, ..self.clone() }
    }

    fn allows(&self, found: Option<&[u8]>) -> bool {
        match (&self.file, found) {
            (None, None) => true,
            (None, Some(_)) => self.has_rest,
            (Some(file), Some(found)) if self.has_rest => found.starts_with(file),
            (file, found) => file.as_deref() == found,
        }
    }
}

/// A call that was made, with the number of changes when it returned.
struct Call {
    end: usize,
    /// What the file is after the call, and what it may be before that as well.
    after: Version,
    during: Version,
}

#[derive(Debug, Default)]
struct Counts {
    cuts: usize,
    looked_at: usize,
    calls: [usize; 5],
    backups: usize,
    asides: usize,
    new: usize,
    cut_off: usize,
    refused: usize,
}

/// Calls that follow each other in one process.
struct Session<'a> {
    path: &'a Path,
    random: &'a mut Random,
    number: &'a mut u64,
    counts: &'a mut Counts,
    before: Version,
}

impl Session<'_> {
    fn records(&mut self) -> Vec<u8> {
        let count = 1 + self.random.below(4) as u64;
        *self.number += count;
        (*self.number - count..*self.number).flat_map(record).collect()
    }

    fn call(&mut self) -> Call {
        let (records, max) = (self.records(), [200, 1000, 5000, 1 << 20][self.random.below(4)]);
        let is_log = self.before.file.as_ref().is_none_or(|file| file.len() < MAX_LEN && !is_compressed(file));
        let kind = match self.before.is_damaged {
            true => self.random.below(3),
            false if is_log => self.random.below(10),
            false => self.random.below(4),
        };
        let compression = coin(self.random).then_some(Compression::Zstd);
        let (path, before) = (self.path, self.before.clone());
        let mut during = before.clone();
        let after = match kind {
            0..3 => {
                // What may not be on the disk is no backup that is known.
                let is_known = !before.has_rest && !before.has_holes;
                let keeps_backup = before.is_damaged || is_known && coin(self.random);
                let is_refused = is_known && self.random.below(4) == 0;
                if is_refused {
                    // As by a load with another key, of a file that may be whole.
                    Seen::at(path).into_iter().for_each(|seen| seen.note(path, false));
                }
                let old = fs::read(path).ok().filter(|old| !old.is_empty());
                save(path, &records, compression, max, keeps_backup).expect("saves");
                let Version { mut backup, mut asides, .. } = before;
                if is_refused || before.is_damaged {
                    self.counts.asides += usize::from(old.is_some());
                    asides.extend(old);
                } else if keeps_backup {
                    self.counts.backups += usize::from(old.is_some());
                    backup = old.or(backup);
                }
                let file = fs::read(path).expect("a file");
                assert_eq!(is_compressed(&file), compression.is_some());
                during = Version { file: Some(file), backup, asides, records, ..Version::default() };
                self.counts.calls[usize::from(compression.is_some())] += 1;
                during.clone()
            }
            3 => {
                let mut saver = Saver::create(path, None).expect("begins");
                write(&mut saver, &records, max).expect("writes");
                self.counts.calls[3] += 1;
                before
            }
            4 => {
                let called = Ticket::take_for(path);
                during = before.with_rest();
                if let Ok(saver) = Saver::append(path, &called, Dialect::GODOT_4) {
                    let mut saver = saver.expect("nobody saves");
                    write(&mut saver, &records, max).expect("writes");
                    self.counts.calls[4] += 1;
                }
                during.clone()
            }
            _ => match append(path, &records, max) {
                Ok(()) => {
                    let file = fs::read(path).expect("a file");
                    assert_appended(&before, &file, &records);
                    during = before.with_rest();
                    self.counts.calls[2] += 1;
                    Version { records: file.clone(), file: Some(file), has_rest: false, ..before }
                }
                Err(error) => {
                    assert!(!matches!(error, AppendError::System(_)), "{error}");
                    before
                }
            },
        };
        self.before = after.clone();
        Call { end: Recorder::now(), after, during }
    }
}

/// Fails unless these records were added to all that was on the disk for sure.
#[track_caller]
fn assert_appended(before: &Version, file: &[u8], records: &[u8]) {
    assert!(file.starts_with(before.file.as_deref().unwrap_or_default()), "a record is lost");
    assert!(file.ends_with(records), "not appended");
    let all: Vec<_> = frames::read(file).map(|frame| frame.expect("whole").payload.len()).collect();
    assert!(before.has_holes || all.iter().all(|&len| len >= 4), "a record without a value: {all:?}");
    let starts: Vec<_> = all.iter().scan(0, |at, len| Some(std::mem::replace(at, *at + 4 + len))).collect();
    assert!(starts.contains(&(file.len() - records.len())), "appended inside a record");
}

/// Loads all whole records, and says if anything else is behind them.
fn load(path: &Path) -> (Vec<u8>, bool) {
    let (mut records, mut piece) = (Vec::new(), Vec::new());
    let Ok(mut loader) = Loader::open(path) else { return (records, true) };
    loop {
        match loader.read(&mut piece, &Threads::alone()) {
            Ok(Some(_)) => records.extend_from_slice(&piece),
            end => return (records, end.is_err()),
        }
    }
}

/// Looks at what a cut has left: it is loaded and appended to. An append changes no file that it refuses: one in which
/// bytes may be missing before others, or which nothing shows to be a log.
fn look(path: &Path, found: &[u8], allowed: &Version, counts: &mut Counts) {
    fs::write(path, found).expect("writes");
    let (records, is_damaged) = load(path);
    assert!(records.starts_with(&allowed.records), "a record is lost");
    assert!(allowed.has_rest || !is_damaged && records == allowed.records, "not whole");
    let new = record(u64::MAX >> 40);
    // Recorded only so that nothing is really flushed.
    match Recorder::default().during(|| append(path, &new, 1000)).0 {
        Ok(()) => {
            let file = fs::read(path).expect("a file");
            assert_appended(allowed, &file, &new);
            assert_eq!(load(path), (file.clone(), false));
            counts.cut_off += usize::from(file.len() < found.len() + new.len());
        }
        Err(error) => {
            match &error {
                AppendError::Compressed => assert!(is_compressed(found)),
                AppendError::System(error) => panic!("{error}"),
                _ => {
                    counts.refused += 1;
                    let is_clear = !allowed.records.is_empty() && !matches!(error, AppendError::OneValue);
                    assert!(allowed.has_holes || !is_clear, "refused: {error}, {} bytes", found.len());
                }
            }
            assert_eq!(fs::read(path).expect("a file"), found, "changed");
        }
    }
    fs::remove_file(path).expect("removes");
}

fn is_aside(path: &Path) -> bool {
    path.to_string_lossy().contains(".set-aside")
}

#[test]
fn a_power_cut_loses_nothing_that_was_said_to_be_on_the_disk() {
    let (mut random, mut number, mut counts) = (Random::new(29), 1, Counts::default());
    let checks = Folder::new();
    let (mut left, mut version, mut round) = (BTreeMap::new(), Version::default(), 0);
    while counts.cuts < CUTS {
        round += 1;
        let (folder, path) = Folder::with(NAME);
        let (needs_names, needs_copies) = (coin(&mut random), coin(&mut random));
        let mut recorder = Recorder::failing(move |change| {
            let is_refused = match change {
                Change::Create(_, None) => needs_names,
                Change::HardLink(..) => needs_copies,
                _ => false,
            };
            is_refused.then_some(UNSUPPORTED)
        });
        let mut disk = Disk::default();
        if let Some(file) = version.file.as_mut().filter(|file| !file.is_empty() && random.below(8) == 0) {
            // By another program, between two games.
            file.pop();
            let bytes = file.clone();
            left.insert(PathBuf::from(NAME), bytes);
            (version.is_damaged, version.has_rest, version.records) = (true, false, Vec::new());
        }
        if version.asides.len() > MAX_ASIDES {
            version.asides.clear();
            left.retain(|name, _| !is_aside(name));
        }
        for (name, bytes) in std::mem::take(&mut left) {
            let path = folder.path().join(name);
            fs::write(&path, &bytes).expect("writes");
            let file = recorder.number_new(&File::open(&path).expect("a file"));
            disk.files.insert(file, bytes);
            disk.names.insert(path, file);
        }
        let (mut allowed, count) = (version.clone(), 1 + random.below(4));
        let (calls, log) = recorder.during(|| {
            let (random, number, counts, before) = (&mut random, &mut number, &mut counts, version.clone());
            let mut session = Session { path: &path, random, number, counts, before };
            (0..count).map(|_| session.call()).collect::<Vec<_>>()
        });
        let (mut calls, reboot) = (calls.into_iter().peekable(), random.below(log.len() + 1));
        let mut seen = HashSet::new();
        for done in 0..=log.len() {
            if let Some(record) = done.checked_sub(1).map(|last| &log[last]) {
                disk.apply(record);
            }
            while let Some(call) = calls.next_if(|call| call.end <= done) {
                allowed = call.after;
                seen.clear();
            }
            for last in 1..=CUTS_A_CHANGE {
                counts.cuts += 1;
                let is_ordered = coin(&mut random);
                let mut cut = disk.cut(is_ordered, &mut random);
                let found = cut.get(&path);
                let bytes = found.map(Vec::as_slice);
                let during = calls.peek().map(|call| &call.during);
                let newer = during.filter(|during| during.allows(bytes));
                let fits = if allowed.allows(bytes) { Some(&allowed) } else { newer };
                let context = || format!("round {round}, after change {done} of {}", log.len());
                let fits = fits.unwrap_or_else(|| panic!("neither old nor new: {}", context()));
                counts.new += usize::from(!std::ptr::eq(fits, &allowed));
                let backup = cut.get(&with_suffix(&path, ".bak")).cloned();
                assert!(
                    [Some(&allowed), during].iter().flatten().any(|of| of.backup == backup),
                    "the backup: {}",
                    context()
                );
                let asides: Vec<_> = cut.iter().filter(|(path, _)| is_aside(path)).map(|(_, bytes)| bytes).collect();
                let is_kept = fits.asides.iter().all(|aside| asides.contains(&aside));
                assert!(is_kept, "a file that was set aside: {}", context());
                let has_holes = fits.has_holes || fits.has_rest && !is_ordered;
                let fits = Version { has_holes, backup, ..fits.clone() };
                if let Some(found) = found.filter(|found| !fits.is_damaged && !seen.contains(*found)) {
                    seen.insert(found.clone());
                    counts.looked_at += 1;
                    let path = checks.join(&counts.looked_at.to_string());
                    look(&path, found, &fits, &mut counts);
                }
                if done == reboot && last == CUTS_A_CHANGE {
                    version = fits;
                    let name = |path: PathBuf| PathBuf::from(path.file_name().expect("a name"));
                    left = std::mem::take(&mut cut).into_iter().map(|(path, bytes)| (name(path), bytes)).collect();
                }
            }
        }
    }
    // All of it has happened, and often.
    assert!(counts.calls.iter().all(|&calls| calls > 30) && counts.backups > 30 && counts.asides > 30, "{counts:?}");
    assert!(counts.new > 50 && counts.cut_off > 50 && counts.refused > 0, "{counts:?}");
}
