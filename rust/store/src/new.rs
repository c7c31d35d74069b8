//! Makes new stores, under another name until they are whole, and refuses names that another store needs.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::format::{ID, MODE, NEW, SIDE_FILES, TABLES, VERSION, WAL, is_store};
use crate::journal::rename_aside;
use crate::mark::Mark;
use crate::place::{Place, beside, id_of, in_folder, is_filled, is_open, names, real, rename_new};
use crate::{Result, StoreError};

/// How often something is tried that comes to nothing only where others do the same at that moment.
pub(crate) const TRIES: usize = 10;

/// The path of a store that is to be made. Fails if the name is one of a file that another store has beside it.
pub(crate) fn real_new(path: &Path) -> Result<PathBuf> {
    let path = real(path)?;
    let name = path.to_str().unwrap_or_default();
    let is_beside = |end: &&str| name.strip_suffix(*end).is_some_and(|name| has_store(name.as_ref()));
    let is_used = SIDE_FILES.iter().any(is_beside);
    let needs_one = SIDE_FILES.iter().any(|end| has_store(&beside(&path, end)));
    if is_used || needs_one { Err(StoreError::SideName) } else { Ok(path) }
}

/// True if a file is a store, perhaps one that this process has open.
fn has_store(path: &Path) -> bool {
    let Some(file) = path.metadata().ok().filter(Metadata::is_file) else { return false };
    let mut start = Vec::new();
    is_open(&file)
        || File::open(path).and_then(|file| file.take(100).read_to_end(&mut start)).is_ok() && is_store(&start)
}

/// Fails if a name is taken by what is no file: a pipe keeps who opens it waiting, and SQLite makes what a link leads to.
fn refuse_other(path: &Path) -> Result<()> {
    let is_other = path.metadata().map_or_else(|_| path.is_symlink(), |found| !found.is_file());
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if is_other { Err(StoreError::InTheWay(name())) } else { Ok(()) }
}

/// The same for the names of both journals of a store.
pub(crate) fn refuse_others(path: &Path) -> Result<()> {
    ["-wal", "-journal"].iter().try_for_each(|end| refuse_other(&beside(path, end)))
}

/// Makes a file that is to become a store, or takes the one that a killed process left, and locks it: one process after the other
/// makes a store beside it, or removes one.
fn lock_new(path: &Path) -> Result<File> {
    for _ in 0..TRIES {
        match fs::symlink_metadata(path) {
            // A store already, whose process was killed between its names, or a link. It is not opened: closing it would end the
            // lock that SQLite has on it.
            Ok(found) if found.is_symlink() || found.is_file() && names(&found) > 1 => fs::remove_file(path)?,
            Ok(found) if is_open(&found) => break,
            _ => refuse_other(path)?,
        }
        let file = File::options().create(true).truncate(false).read(true).write(true).open(path)?;
        if file.try_lock().is_err_and(|error| matches!(error, TryLockError::WouldBlock)) {
            break;
        }
        // It may have become a store by now.
        if is_at(path, &file) && names(&file.metadata()?) < 2 {
            return Ok(file);
        }
    }
    Err(StoreError::Busy)
}

/// Makes a new store without keys. The path never leads to a part of one. Returns where a journal is now that was left there.
pub(crate) fn make(path: &Path) -> Result<Option<PathBuf>> {
    let (path, new, journal) = (&real_new(path)?, &beside(path, NEW), &beside(path, "-wal"));
    refuse_others(path)?;
    let file = write_new(new)?;
    let named = in_folder(path, || {
        if is_filled(path) {
            // Another process has made it meanwhile.
            return Ok(fs::remove_file(new).map(|()| None)?);
        }
        // The file of this journal was removed.
        let set_aside = if is_filled(journal) { Some(rename_aside(journal)?) } else { None };
        match rename_new(new, path) {
            // An empty one.
            Err(_) if !is_filled(path) => fs::rename(new, path)?,
            // Somebody else has made one meanwhile.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => fs::remove_file(new)?,
            named => named?,
        }
        Ok(set_aside)
    });
    if named.is_err() && is_at(new, &file) {
        let _ = fs::remove_file(new);
    }
    let _ = file.unlock();
    named
}

/// True if a path leads to an open file.
fn is_at(path: &Path, file: &File) -> bool {
    let ids = [fs::metadata(path), file.metadata()].map(|found| found.ok().as_ref().map(id_of));
    ids[0].is_some() && ids[0] == ids[1]
}

/// Keeps other processes from making a store at a path: that would set aside the journal of one that gets the name meanwhile.
pub(crate) struct Making(Option<File>, PathBuf);

impl Making {
    pub(crate) fn at(path: &Path) -> Result<Self> {
        let new = beside(path, NEW);
        match lock_new(&new) {
            Err(error @ (StoreError::Busy | StoreError::ReadOnly)) => Err(error),
            // The disk has no room for a file more, or something else has its name: nobody else can make one either.
            file => Ok(Self(file.ok(), new)),
        }
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        let _ = self.0.take().map(|file| fs::remove_file(&self.1).and_then(|()| file.unlock()));
    }
}

/// Writes a new store without keys, and locks it as an open one.
pub(crate) fn new_place(new: &Path) -> Result<Place> {
    let _ = write_new(new)?.unlock();
    match Place::of(new) {
        // Another process has taken it, and may have given it its name.
        Err(StoreError::Busy | StoreError::CannotOpen) => Err(StoreError::Busy),
        place => place.inspect_err(|_| _ = fs::remove_file(new)),
    }
}

/// Writes a new store without keys, to a file that is locked. Unlock it once it has its name: a process that is just being started
/// has it too, and closes it only then.
fn write_new(new: &Path) -> Result<File> {
    let (mut file, empty) = (lock_new(new)?, empty_store()?);
    let written = file.set_len(0).and_then(|()| file.write_all(&empty)).and_then(|()| file.sync_all());
    Ok(written.inspect_err(|_| _ = fs::remove_file(new)).map(|()| file)?)
}

/// Returns the bytes of a new store without keys.
fn empty_store() -> Result<Vec<u8>> {
    let mut connection = Connection::open_in_memory()?;
    let Mark { last, .. } = Mark::whole(0)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; BEGIN; {}; \
         INSERT INTO fence VALUES(x'', 0, 0); INSERT INTO mark VALUES({last}, {last}, {last}); \
         PRAGMA application_id = {ID}; PRAGMA user_version = {VERSION}; COMMIT;",
        TABLES.join("; ")
    ))?;
    let mut bytes = connection.serialize("main")?.to_vec();
    // In WAL mode, which a database in memory cannot have.
    bytes[MODE].copy_from_slice(WAL);
    Ok(bytes)
}
