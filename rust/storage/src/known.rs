//! What becomes of a file that a save replaces: only one that is known to be whole may become the backup, and one that
//! could not be loaded is kept under another name.
//!
//! A file is known by what it is on the disk, not by its path: one that was changed since is unknown again. But where one
//! could not be loaded, whatever comes there is kept likewise, until that path is saved or loaded whole: the file may
//! just have been copied away and back.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use crate::compressed;
use crate::encrypted::{self, Key};
use crate::error::{EncryptedError, LoadError};
use crate::load::Loader;
use crate::open::{is_exhausted, open, refuse_name, refuse_special, target};
use crate::order::place;
use crate::stores::refuse_store;
use varbatch_codec::Dialect;
use varbatch_workers::{Threads, lock};

/// Whole files that are remembered: when they are more, all are forgotten, and unknown files are checked.
const MAX_WHOLE: usize = 4096;

/// Files that could not be loaded and are remembered, and paths.
const MAX_REFUSED: usize = 1 << 16;

/// A file may be changed again without another time so long after a change: the clock of file systems is coarse.
const COARSE: Duration = Duration::from_millis(20);

/// Max files that are set aside for one path.
const MAX_ASIDE: u32 = 99;

/// A plain file is checked value by value if it is no longer than this or than the new file, else by its lengths.
const CHECKED_LEN: u64 = 1 << 20;

static NOTES: Mutex<Notes> =
    Mutex::new(Notes { whole: BTreeMap::new(), refused: BTreeMap::new(), paths: BTreeMap::new(), has_more: false });

struct Notes {
    /// Files that are whole.
    whole: BTreeMap<Seen, Whole>,
    /// Files that could not be loaded.
    refused: BTreeMap<Seen, Part>,
    /// Paths of which the last load failed: as they were given, in case their links cannot be read, and resolved.
    paths: BTreeMap<PathBuf, Part>,
    /// True if there is no room for some of these: from then on, what is unknown is checked before it is replaced.
    has_more: bool,
}

struct Whole {
    /// False if it may have been changed since without a trace.
    is_sure: bool,
    /// How this process has saved it.
    contents: Option<Contents>,
}

/// What of a file could not be loaded. Who reads its bytes later knows nothing of its values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Bytes,
    Values,
}

/// A regular file as it was: which one, its length and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    id: (u64, u64),
    len: u64,
    modified: Option<SystemTime>,
}

#[derive(Clone, Copy)]
struct Note {
    is_whole: bool,
    /// False if it may have been changed since without a trace.
    is_sure: bool,
}

impl Seen {
    /// Looks at the file that a path leads to. Fails if there is none, it is not regular, or it cannot be looked at.
    pub fn at(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        refuse_special(&metadata).map(|()| Self::of(&metadata))
    }

    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { id: id_of(metadata), len: metadata.len(), modified: metadata.modified().ok() }
    }

    /// True if nothing is in the file, and this process has not saved it so.
    pub fn is_emptied(&self) -> bool {
        self.len == 0 && !self.noted().is_some_and(|note| note.is_whole)
    }

    /// Notes that this file, at `path`, was saved or loaded, whole; or that it could not be loaded.
    pub fn note(self, path: &Path, is_whole: bool) {
        self.note_part(path, Part::Values, is_whole);
    }

    /// Notes likewise that all of its bytes were read, whatever they mean, or could not be: if its values could not be loaded,
    /// that stays so.
    pub fn note_bytes(self, path: &Path, is_whole: bool) {
        let refused = lock(&NOTES).refused.get(&self).copied();
        if !is_whole || refused.max(refused_at(path)) != Some(Part::Values) {
            self.note_part(path, Part::Bytes, is_whole);
        }
    }

    fn note_part(self, path: &Path, part: Part, is_whole: bool) {
        note_path(path, part, is_whole);
        if is_whole { self.note_whole(None) } else { self.note_refused(part) }
    }

    fn note_refused(self, part: Part) {
        let mut notes = lock(&NOTES);
        notes.whole.remove(&self);
        if notes.refused.len() < MAX_REFUSED {
            add(&mut notes.refused, self, part);
        } else {
            notes.has_more = true;
        }
    }

    /// Notes that the file is whole, before it is at its path, and how it was saved.
    pub(crate) fn note_whole(self, contents: Option<Contents>) {
        let mut notes = lock(&NOTES);
        notes.refused.remove(&self);
        if notes.whole.len() == MAX_WHOLE {
            notes.whole.clear();
        }
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        let is_sure = age.is_some_and(|age| age > COARSE);
        let contents = contents.or_else(|| notes.whole.remove(&self)?.contents);
        notes.whole.insert(self, Whole { is_sure, contents });
    }

    /// Returns whether the file, which is at `path`, is whole, as far as this process knows.
    pub(crate) fn is_whole(&self, path: &Path) -> Option<bool> {
        self.noted().map(|note| note.is_whole).or_else(|| refused_at(path).map(|_| false))
    }

    fn noted(&self) -> Option<Note> {
        let notes = lock(&NOTES);
        if notes.refused.contains_key(self) {
            return Some(Note { is_whole: false, is_sure: true });
        }
        notes.whole.get(self).map(|whole| Note { is_whole: true, is_sure: whole.is_sure })
    }

    /// Returns how this process has saved the file.
    fn saved_as(&self) -> Option<Contents> {
        lock(&NOTES).whole.get(self)?.contents.clone()
    }
}

/// Notes that the file at a path could not be loaded, and not even looked at: it may be one that is known.
pub fn note_unseen(path: &Path) {
    note_path(path, Part::Values, false);
    lock(&NOTES).whole.clear();
}

/// Notes whether the file at a path was saved or loaded whole, or could not be loaded.
fn note_path(path: &Path, part: Part, is_whole: bool) {
    if is_whole && lock(&NOTES).paths.is_empty() {
        return;
    }
    let place = place_of(path);
    let mut notes = lock(&NOTES);
    for path in [path.to_owned(), place] {
        if is_whole {
            notes.paths.remove(&path);
        } else if notes.paths.len() < MAX_REFUSED {
            add(&mut notes.paths, path, part);
        } else {
            notes.has_more = true;
        }
    }
}

fn add<K: Ord>(refused: &mut BTreeMap<K, Part>, what: K, part: Part) {
    let noted = refused.entry(what).or_insert(part);
    *noted = part.max(*noted);
}

/// Lets what was noted of a path, whose links could not be read then, hold for the one that it leads to.
pub fn resolve(path: &Path, to: &Path) {
    let noted = lock(&NOTES).paths.remove(path);
    if let Some(part) = noted {
        let place = place(to);
        add(&mut lock(&NOTES).paths, place, part);
    }
}

/// Returns what the last load of a path could not load.
fn refused_at(path: &Path) -> Option<Part> {
    // Usually there is none, and the system need not be asked.
    if lock(&NOTES).paths.is_empty() {
        return None;
    }
    let place = place_of(path);
    let notes = lock(&NOTES);
    notes.paths.get(path).max(notes.paths.get(&place)).copied()
}

/// Returns where a path leads, with its links resolved as far as they can be read.
fn place_of(path: &Path) -> PathBuf {
    target(path).map_or_else(|_| path.to_owned(), |path| place(&path))
}

#[cfg(unix)]
fn id_of(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// When it was made.
#[cfg(not(unix))]
fn id_of(metadata: &Metadata) -> (u64, u64) {
    let made = metadata.created().ok().and_then(|made| made.duration_since(SystemTime::UNIX_EPOCH).ok());
    made.map_or((0, 0), |made| (made.as_secs(), made.subsec_nanos().into()))
}

/// How values are stored in a file.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The key of an encrypted file.
    pub key: Option<Key>,
    /// Bytes before the first value.
    pub offset: u64,
    /// The engine that reads them; `None` for any bytes, of which only the form can be checked.
    pub dialect: Option<Dialect>,
}

impl Contents {
    /// True if all values are there: all of them if the file has a checksum or is no longer than `max`, else their lengths.
    /// False also if the file cannot be read, and for bytes that may have lost their form, which that of `backup` tells. Fails if too
    /// many files are open, which says nothing about it.
    fn is_whole(&self, path: &Path, backup: Option<&Path>, max: u64, threads: &Threads) -> io::Result<bool> {
        let encrypted = |key: &Key| {
            open(path).map_err(LoadError::from).and_then(|(file, len)| Loader::encrypted(Box::new(file), len, key))
        };
        let begun = match self.key.as_ref().map(encrypted) {
            // Saved before the game had a key.
            None | Some(Err(LoadError::Encrypted(EncryptedError::NotEncrypted))) => Loader::open(path),
            Some(begun) => begun,
        };
        let skipped = begun.and_then(|mut loader| loader.skip(self.offset).map(|()| loader));
        let mut loader = match skipped {
            Err(LoadError::Read(error)) if is_exhausted(&error) => return Err(error),
            Err(_) => return Ok(false),
            Ok(loader) => loader,
        };
        let is_plain = loader.compression().is_none() && loader.hashing().is_none();
        let Some(dialect) = self.dialect else {
            let lost_its_form = is_plain && backup.map_or(Ok(false), |backup| lost_its_form(path, backup))?;
            return Ok(!lost_its_form && loader.has_all_bytes(threads));
        };
        if is_plain && loader.unread() > max {
            loader.select(i64::MAX, None);
        }
        Ok(loader.is_whole(dialect, threads))
    }
}

/// True if the backup of a file is compressed or encrypted, or cannot be read, and the file begins with zeros, as if the disk had lost
/// its start, or is encrypted, which nobody can check without the key. Fails if too many files are open.
fn lost_its_form(path: &Path, backup: &Path) -> io::Result<bool> {
    let start = |path: &Path, len| {
        let mut bytes = Vec::new();
        open(path).and_then(|(file, _)| file.take(len).read_to_end(&mut bytes)).map(|_| bytes)
    };
    let bytes = start(path, 16)?;
    if !bytes.starts_with(&encrypted::MAGIC) && bytes.iter().any(|byte| *byte != 0) {
        return Ok(false);
    }
    match start(backup, 4) {
        Err(error) if is_exhausted(&error) => Err(error),
        Err(error) => Ok(error.kind() != io::ErrorKind::NotFound),
        Ok(magic) => Ok([&compressed::MAGIC[..], &encrypted::MAGIC].contains(&&*magic)),
    }
}

/// What becomes of the file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Replaced,
    Backup,
    Aside,
}

/// What is known of the file at a path, before a save holds its line: a check can take long.
#[derive(Debug)]
pub struct Checked {
    pub(crate) contents: Option<Contents>,
    keeps_backup: bool,
    /// Bytes of a plain file up to which all values are checked.
    max: u64,
    /// The file, and whether it is whole, if that is known; an error if it could not be checked yet.
    seen: Option<(Seen, io::Result<Option<bool>>)>,
}

impl Checked {
    /// Looks at the file, and checks one that is unknown, for a backup, if `contents` says how it is stored. `new_len` is the
    /// length of the file that will replace it.
    pub fn new(path: &Path, contents: Option<&Contents>, keeps_backup: bool, new_len: u64, threads: &Threads) -> Self {
        let mut this = Self { contents: contents.cloned(), keeps_backup, max: new_len.max(CHECKED_LEN), seen: None };
        this.seen = Seen::at(path).ok().map(|seen| {
            let noted = seen.noted();
            let refused = || refused_at(path).filter(|_| noted.is_none()).map(|_| false);
            let known = noted.filter(|note| note.is_sure).map(|note| note.is_whole).or_else(refused);
            (seen, if known.is_some() { Ok(known) } else { this.check(path, seen, path, threads) })
        });
        this
    }

    fn check(&self, path: &Path, seen: Seen, at: &Path, threads: &Threads) -> io::Result<Option<bool>> {
        let is_due = seen.len > 0 && self.is_careful();
        let Some(contents) = self.contents.clone().filter(|_| is_due) else { return Ok(None) };
        let saved_as = seen.saved_as();
        // What this process has saved has its form.
        let backup = backup_of(path).ok().filter(|_| saved_as.is_none());
        saved_as.unwrap_or(contents).is_whole(at, backup.as_deref(), self.max, threads).map(Some)
    }

    /// Fails if a file that is to be replaced is a store, unless whoever saves knows what to do with its journal, and does not say
    /// how it is stored.
    pub fn refuse_store(&self, path: &Path, what: &str) -> io::Result<()> {
        if self.contents.is_some() { refuse_store(path, what) } else { Ok(()) }
    }

    /// True if a file that nobody knows is not just replaced.
    fn is_careful(&self) -> bool {
        self.keeps_backup || lock(&NOTES).has_more
    }

    /// Returns what becomes of a file of `path` that can be read at `at`. One that could not be checked, or that another process has
    /// put there since, is checked now. Fails if too many files are open for that.
    pub fn fate(&mut self, path: &Path, now: Seen, at: &Path) -> io::Result<Fate> {
        let known = match &self.seen {
            Some((seen, Ok(is_whole))) if *seen == now => Some(*is_whole),
            Some((seen, Err(_))) if *seen == now => None,
            _ => now.is_whole(path).map(Some),
        };
        let is_whole = known.map_or_else(|| self.check(path, now, at, &Threads::alone()), Ok)?;
        self.seen = Some((now, Ok(is_whole)));
        Ok(match is_whole {
            Some(true) if self.keeps_backup => Fate::Backup,
            Some(true) => Fate::Replaced,
            _ if now.len == 0 => Fate::Replaced,
            None if !self.is_careful() => Fate::Replaced,
            _ => Fate::Aside,
        })
    }
}

/// Returns the path of a file's backup: beside the file that a symbolic link leads to. Fails if no file has this name.
pub fn backup_of(path: &Path) -> io::Result<PathBuf> {
    target(path).map(|path| with_suffix(&path, BACKUP))
}

pub(crate) const BACKUP: &str = ".bak";

/// Returns the name under which this file of `path` is set aside: a free one, or one that it has.
pub fn aside_of(path: &Path, seen: Seen) -> io::Result<PathBuf> {
    for number in 1..=MAX_ASIDE {
        let aside = numbered(path, number);
        match fs::symlink_metadata(&aside) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(aside),
            // By a save that was cut off.
            Ok(metadata) if seen == Seen::of(&metadata) => return Ok(aside),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("there are {MAX_ASIDE} already, remove some")))
}

/// Fails if no file can have the names that are made of this one, for a backup or to set it aside.
pub fn refuse_long(path: &Path) -> io::Result<()> {
    let aside = numbered(path, MAX_ASIDE);
    match refuse_name(&aside).and_then(|()| fs::symlink_metadata(aside)) {
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            let why = "its name is too long: there must be room for \".set-aside-99\" behind it, to keep the old file";
            Err(io::Error::new(error.kind(), why))
        }
        _ => Ok(()),
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let end = if number == 1 { String::new() } else { format!("-{number}") };
    with_suffix(path, &format!(".set-aside{end}"))
}

pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
