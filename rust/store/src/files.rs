//! Whole files: copies of an open store, and other names for a closed one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use rusqlite::Connection;

use crate::format::{COPY, SIDE_FILES, WITH_JOURNAL, is_store};
use crate::journal::{has_journal, rename_aside, set_journal};
use crate::new::{Making, new_place, real_new};
use crate::open::{self, Opened, looking, open_at, tried};
use crate::place::{Place, beside, in_folder, is_filled, real, rename_new};
use crate::reader::STEP;
use crate::writer::Writer;
use crate::{Budget, Reader, Result, Store, StoreError, Walk};

/// A store that is made of the keys of another one, and gets its name when it is complete.
#[derive(Debug)]
pub struct Copy {
    /// `None` once it is complete.
    writer: Option<Writer>,
    /// After the writer, whose connection is closed first.
    _place: Place,
    path: PathBuf,
    /// True if there was a store at the path.
    replaces: bool,
    new: PathBuf,
    walk: Walk,
    /// Keys that are to be copied next, and whether more follow.
    keys: vec::IntoIter<Vec<u8>>,
    is_more: bool,
    budget: Budget,
    memory: Vec<u8>,
}

impl Copy {
    /// Begins a copy. In the end it takes the place of the store at `path`, if there is one. Fails if another file is there.
    pub fn begin(path: &Path) -> Result<Self> {
        let path = real_new(path)?;
        let replaces = old_store(&path)?.is_some();
        let new = beside(&path, COPY);
        let place = new_place(&new)?;
        // Of a copy that was killed, or a link, which SQLite does not open.
        let _ = fs::remove_file(beside(&new, "-wal"));
        let connect = || {
            let connection = Connection::open(&new)?;
            // Nobody sees the file before it is complete, and on the disk.
            connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
            set_journal(&connection, "MEMORY")?;
            Ok(connection)
        };
        let connection = tried(&new, connect).inspect_err(|_| remove_copy(&new))?;
        connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -8192; BEGIN")?;
        let (writer, walk, keys) = (Some(Writer::new(connection)), Walk::default(), Vec::new().into_iter());
        let (budget, memory) = (Budget::of_walk(), Vec::new());
        Ok(Self { writer, _place: place, path, replaces, new, walk, keys, is_more: true, budget, memory })
    }

    /// Copies some more keys, about `max` bytes. Returns false after the last. Fails at a value that is damaged.
    pub fn add(&mut self, reader: &mut Reader, max: usize) -> Result<bool> {
        let Some(writer) = &mut self.writer else { return Ok(false) };
        if self.keys.len() == 0 && self.is_more {
            let mut keys = Vec::new();
            self.is_more = reader.keys(&mut self.walk, STEP, |key| keys.push(key.to_vec()))?;
            self.keys = keys.into_iter();
        }
        let mut left = self.keys.as_slice().iter().map(Vec::as_slice);
        let rows = reader.get_some(&mut left, max, std::mem::take(&mut self.memory), &mut self.budget);
        for (key, row) in rows.packed() {
            let row = row?.ok_or(StoreError::DamagedValue)?;
            writer.put(key, row.checked(key)?)?;
        }
        self.memory = rows.memory;
        let done = self.keys.len() - left.len();
        self.keys.by_ref().take(done).for_each(drop);
        Ok(self.is_more || self.keys.len() > 0)
    }

    /// Gives the copy its name, once it is on the disk.
    pub fn end(mut self) -> Result<()> {
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        writer.write_fence()?;
        writer.connection.execute_batch("COMMIT")?;
        tried(&self.new, || Ok(set_journal(&writer.connection, "WAL")?))?;
        drop(writer);
        File::options().write(true).open(&self.new)?.sync_all()?;
        // Nobody opens the old one until it is replaced, and no new one is.
        in_folder(&self.path, || match old_store(&self.path)?.filter(|_| self.replaces) {
            Some(old) => {
                set_aside_foreign(&old)?;
                fs::rename(&self.new, &self.path)?;
                let _ = fs::remove_file(beside(&self.path, "-wal"));
                Ok(())
            }
            None => {
                let _making = Making::at(&self.path)?;
                Ok(rename_new(&self.new, &self.path)?)
            }
        })
    }
}

/// Locks a store that a copy is to replace. Fails if it is open, or another file.
fn old_store(path: &Path) -> Result<Option<Arc<Place>>> {
    let place = match Place::of(path) {
        Err(StoreError::CannotOpen) if !path.exists() => return Ok(None),
        place => Arc::new(place?),
    };
    if is_store(&place.read(0..100)?) { Ok(Some(place)) } else { Err(StoreError::Exists) }
}

impl Drop for Copy {
    fn drop(&mut self) {
        drop(self.writer.take());
        remove_copy(&self.new);
    }
}

fn remove_copy(new: &Path) {
    for end in ["", "-wal"] {
        let _ = fs::remove_file(beside(new, end));
    }
}

/// Removes a store with the files beside it. Fails if it is open, or if it is none. Returns where the journal of another file is now
/// that lay beside it.
pub fn remove(path: &Path) -> Result<Option<PathBuf>> {
    let (link, path) = (path, real(path)?);
    let place = Arc::new(Place::of(&path)?);
    if !is_store(&place.read(0..100)?) {
        return Err(StoreError::NoDatabase);
    }
    let set_aside = looking(&path, || {
        open::refuse_busy(&path)?;
        let set_aside = set_aside_foreign(&place)?;
        let _making = Making::at(&path)?;
        // First: a journal that is left alone is set aside by the next store there.
        in_folder(&path, || {
            fs::remove_file(&path)?;
            let ends = SIDE_FILES.iter().filter(|end| **end != "-lock");
            ends.for_each(|end| _ = fs::remove_file(beside(&path, end)));
            // Of a process that was killed.
            let copy = beside(&path, COPY);
            let _ = Place::of(&copy).map(|_place| remove_copy(&copy));
            Ok(set_aside)
        })
    });
    let _ = (set_aside.is_ok() && link.is_symlink()).then(|| fs::remove_file(link));
    set_aside
}

/// Leaves no journal of another file beside a store that is to be removed or replaced. Returns where it is now.
fn set_aside_foreign(place: &Arc<Place>) -> Result<Option<PathBuf>> {
    if !has_journal(&place.path) {
        // SQLite would make one, which this process may leave behind if it is killed now.
        return Ok(None);
    }
    let journal = beside(&place.path, "-wal");
    match open_at(Arc::clone(place), None) {
        // A copy of its own, which is damaged.
        Ok(Opened { has_journal: true, set_aside: Some(copy), .. }) => Ok(fs::remove_file(copy).map(|()| None)?),
        Ok(opened) => Ok(opened.set_aside),
        Err(StoreError::NoJournal) if is_filled(&journal) => rename_aside(&journal).map(Some),
        Err(_) => Ok(None),
    }
}

/// Gives a store another name, with what is in its journal. Returns where a journal is now that belonged to another file, or was
/// damaged. Fails if it is open, or if there is a file of that name: with the path that is at fault.
pub fn rename<'p>(from: &'p Path, to: &'p Path) -> std::result::Result<Option<PathBuf>, (&'p Path, StoreError)> {
    let free = |to: PathBuf| if to.symlink_metadata().is_ok() { Err(StoreError::Exists) } else { Ok(to) };
    let target = real_new(to).and_then(free).map_err(|error| (to, error))?;
    let making = Making::at(&target).map_err(|error| (to, error))?;
    let (place, set_aside) = whole(from).map_err(|error| (from, error))?;
    let take_name = || {
        rename_new(&place.path, &target)?;
        // Before the folders are flushed: who is killed meanwhile leaves no file more.
        drop(making);
        Ok(())
    };
    let renamed = in_folder(&target, || in_folder(&place.path, take_name));
    // In the folder of the target there is a new file.
    let at_fault = |error| (if let StoreError::ReadOnly = error { from } else { to }, error);
    renamed.map_err(at_fault)?;
    let _ = from.is_symlink().then(|| fs::remove_file(from));
    Ok(set_aside)
}

/// Puts the journal of a store into the file, and locks that.
fn whole(path: &Path) -> Result<(Place, Option<PathBuf>)> {
    let path = real(path)?;
    if !path.exists() {
        return Err(StoreError::CannotOpen);
    }
    let mut store = Store::of(open::open(&path)?)?;
    let (set_aside, lost) = (store.set_aside(), store.lost());
    store.close()?;
    let place = Place::of(&path)?;
    if lost.is_some() {
        // The next opening tells of it.
        place.set_version(WITH_JOURNAL)?;
        place.flush()?;
    }
    Ok((place, set_aside))
}
