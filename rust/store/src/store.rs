//! An open store: what it saves in one commit, and how its journal gets into the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::format::{NEW, VERSION, WITH_JOURNAL};
use crate::journal::{self, checkpoint, frames, has_journal};
use crate::mark::Mark;
use crate::new::new_place;
use crate::open::{self, Opened, Source, open_at, open_to_read};
use crate::place::{Place, beside, in_folder};
use crate::writer::Writer;
use crate::{Packed, Reader, Readers, Result, StoreError};

/// Pages of the journal from which on it is put into the file, 8 MiB; and those that one step of [`Store::shrink`] gives back.
const CHECKPOINT_FROM: i64 = 512;
const SHRUNK: i64 = 256;

/// How long a checkpoint waits for loads that hold an older state.
const PATIENCE: Duration = Duration::from_millis(50);

/// An open store. Dropped, it closes the file, and removes the journal.
#[derive(Debug)]
pub struct Store {
    /// `None` where the file can only be read, or is to be opened again.
    open: Option<Open>,
    readers: Readers,
    set_aside: Option<PathBuf>,
    is_lost: bool,
}

#[derive(Debug)]
struct Open {
    writer: Writer,
    place: Arc<Place>,
    /// Holds the journal where it is, while a checkpoint is made.
    guard: Connection,
    mark: Mark,
    /// The number of the last commit that has not failed: `mark` has that of one that may not be in the journal.
    committed: i64,
    /// Pages of the journal after the last commit, and with how many of them a checkpoint is due.
    pages: i64,
    due: i64,
    /// True if the file has all commits: then the next one begins a journal.
    is_whole: bool,
    /// True if the file must be whole before the next save.
    must_be_whole: bool,
    /// True once the file has a number that no copy has which was made before it was opened.
    is_own: bool,
}

impl Store {
    /// Opens the file at `path`, and locks it; makes it if there is none. Where it cannot be written it can still be read. Fails
    /// if another process has it, or if it is anything but a store.
    pub fn open(path: &Path) -> Result<Self> {
        match open::again(path, || Self::of(open::open(path)?)) {
            Err(StoreError::ReadOnly) if has_journal(path) => Err(StoreError::JournalLeft),
            Err(StoreError::ReadOnly) if path.is_file() => Self::open_to_read(Source::File(path.to_owned())),
            opened => opened,
        }
    }

    /// Opens the bytes of a file, to be read.
    pub fn open_bytes(bytes: Arc<[u8]>) -> Result<Self> {
        Self::open_to_read(Source::Bytes(bytes))
    }

    fn open_to_read(source: Source) -> Result<Self> {
        let connection = open_to_read(&source)?;
        match open::lacks(&connection)? {
            Some(StoreError::NoJournal) => Err(StoreError::NoJournal),
            lost => Ok(Self { open: None, readers: Readers::of(source), set_aside: None, is_lost: lost.is_some() }),
        }
    }

    pub(crate) fn of(opened: Opened) -> Result<Self> {
        let Opened { connection, guard, place, mark, has_journal, set_aside, is_lost } = opened;
        let (writer, source) = (Writer::new(connection), Source::Place(Arc::clone(&place)));
        let (committed, is_whole) = (mark.last, !has_journal);
        let (must_be_whole, is_own, pages, due) = (has_journal, false, 0, CHECKPOINT_FROM);
        let mut open = Open { writer, place, guard, mark, committed, pages, due, is_whole, must_be_whole, is_own };
        if has_journal {
            // If it fails, as on a full disk, there is something to be read all the same.
            let _ = open.make_whole();
        }
        Ok(Self { open: Some(open), readers: Readers::of(source), set_aside, is_lost })
    }

    /// Returns what was lost before the file was opened, though it is whole. The next opening does not tell of it again.
    pub fn lost(&self) -> Option<StoreError> {
        if let Some(Open { place, is_whole: true, .. }) = self.open.as_ref().filter(|_| self.is_lost) {
            let _ = place.writing(|| place.set_version(VERSION));
        }
        self.is_lost.then_some(StoreError::JournalLost)
    }

    /// Returns where a journal is now that belonged to another file, or is damaged, once.
    pub fn set_aside(&mut self) -> Option<PathBuf> {
        self.set_aside.take()
    }

    /// Returns what opens readers beside this, on any thread. Drop all of both before the store is closed.
    pub fn readers(&self) -> Readers {
        self.readers.clone()
    }

    /// Opens a reader.
    pub fn reader(&self) -> Result<Reader> {
        self.readers.open()
    }

    fn writing(&mut self) -> Result<&mut Open> {
        if self.open.is_none() {
            self.open_again()?;
        }
        self.open.as_mut().ok_or(StoreError::ReadOnly)
    }

    /// Opens the file again where [`Self::erase_all`] could not: it stayed locked. Each change tries it, too.
    pub fn open_again(&mut self) -> Result<()> {
        let Source::Closed(place) = self.readers.source() else { return Ok(()) };
        let mut opened = open_at(Arc::clone(&place), None).and_then(Self::of)?;
        self.readers.set(Source::Place(place));
        (self.open, self.set_aside, self.is_lost) = (opened.open.take(), opened.set_aside.take(), opened.is_lost);
        Ok(())
    }

    /// Begins a save. What is changed belongs to it until [`Self::commit`] or [`Self::roll_back`].
    pub fn begin(&mut self) -> Result<()> {
        let open = self.writing()?;
        open.place.check_journal()?;
        if open.must_be_whole {
            // Another copy of the journal may go on in another way.
            open.checkpoint()?;
        }
        open.make_own()?;
        Ok(open.writer.connection.prepare_cached("BEGIN IMMEDIATE")?.execute(()).map(|_| ())?)
    }

    /// Saves the value of a key.
    pub fn put(&mut self, key: &[u8], value: &Packed) -> Result<()> {
        self.writing()?.writer.put(key, value.borrowed())
    }

    /// Erases a key, if it is there.
    pub fn erase(&mut self, key: &[u8]) -> Result<()> {
        self.writing()?.writer.erase(key).map(drop)
    }

    /// Erases some of the keys from `from` to before `to`, or to the last. Returns false when none are left.
    pub fn erase_range(&mut self, from: &[u8], to: Option<&[u8]>) -> Result<bool> {
        self.writing()?.writer.erase_range(from, to)
    }

    /// Ends a save. It is on the disk when this returns. If it fails, roll back.
    pub fn commit(&mut self) -> Result<()> {
        self.writing()?.commit()
    }

    /// Ends a save as if it had not begun.
    pub fn roll_back(&mut self) {
        if let Some(open) = &mut self.open {
            open.roll_back();
        }
    }

    /// Puts a new file without keys in the place of this one, damaged or not. No reader is open. See [`Self::set_aside`].
    pub fn erase_all(&mut self) -> Result<()> {
        let old = Arc::clone(&self.writing()?.place);
        old.check()?;
        // Of the source, of what is open, and this one.
        if Arc::strong_count(&old) > 3 {
            return Err(StoreError::Busy);
        }
        let replaced = in_folder(&old.path, || {
            let new = beside(&old.path, NEW);
            let mut place = new_place(&new)?;
            // Closed, as Windows replaces no open file. The journal stays until the new file is there.
            (self.open, self.is_lost) = (None, false);
            self.readers.set(Source::Closed(Arc::clone(&old)));
            fs::rename(&new, &old.path).inspect_err(|_| _ = fs::remove_file(&new))?;
            old.remove_journal();
            place.succeed(&old);
            self.readers.set(Source::Closed(Arc::new(place)));
            Ok(())
        });
        drop(old);
        // What comes next tries again. All is erased in any case, or nothing.
        let _ = self.open_again();
        replaced
    }

    /// True, once, if [`Self::checkpoint`] has enough to do.
    pub fn take_checkpoint_due(&mut self) -> bool {
        let Some(open) = &mut self.open else { return false };
        let is_due = !open.is_whole && open.pages >= open.due;
        open.due = if is_due { open.pages + CHECKPOINT_FROM } else { open.due };
        is_due
    }

    /// Puts the journal into the file. If that fails, the journal stays.
    pub fn checkpoint(&mut self) {
        let _ = self.writing().and_then(Open::checkpoint);
    }

    /// Returns the number of free pages, which the file has for later saves.
    pub fn free_pages(&mut self) -> Result<i64> {
        let open = self.writing()?;
        Ok(open.writer.connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
    }

    /// Gives some free pages back to the system. Returns how many are left; when there are none, or none can be given back, the
    /// file has its new length.
    pub fn shrink(&mut self) -> Result<i64> {
        let before = self.free_pages()?;
        if before > 0 {
            let mut shrunk = self.shrink_some();
            if let Err(StoreError::Full) = shrunk {
                // The journal has what was moved before: in the file that takes no room.
                self.checkpoint();
                shrunk = self.shrink_some();
            }
            shrunk?;
        }
        let left = self.free_pages()?;
        if left > 0 && left < before {
            // The free pages are given back on the way: all that is moved may be more than the disk has room for.
            if self.take_checkpoint_due() {
                self.checkpoint();
            }
            return Ok(left);
        }
        match self.writing()?.checkpoint() {
            // A copy is made of an older state. The file becomes shorter with a later checkpoint, or when it is closed.
            Ok(()) | Err(StoreError::Busy) => Ok(0),
            Err(error) => Err(error),
        }
    }

    fn shrink_some(&mut self) -> Result<()> {
        self.begin()?;
        let shrunk = self.writing().and_then(|open| open.writer.shrink(SHRUNK)).and_then(|()| self.commit());
        shrunk.inspect_err(|_| self.roll_back())
    }

    /// Closes the file, with the journal in it. Fails if the journal stays, and says why. No reader is open.
    pub fn close(mut self) -> Result<()> {
        self.open.take().map_or(Ok(()), Open::close)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.open.take().map(Open::close);
    }
}

impl Open {
    fn commit(&mut self) -> Result<()> {
        self.writer.write_fence()?;
        self.place.check()?;
        self.commit_mark(false)
    }

    fn commit_mark(&mut self, is_whole: bool) -> Result<()> {
        let other = self.mark;
        let mark = match (is_whole, self.is_whole) {
            (true, _) => Mark { last: other.last | 1, is_whole, ..other },
            (false, true) => Mark::after(other.last)?,
            (false, false) => Mark { last: (other.last | 1) + 1, is_whole, ..other },
        };
        if !self.is_whole {
            // If it fails it may be in the journal all the same: no other has its number.
            self.mark.last = mark.last;
        }
        let connection = &self.writer.connection;
        mark.write(connection, &other)?;
        let committed = connection.prepare_cached("COMMIT")?.execute(());
        self.pages = frames(connection)?;
        // Where nobody can look, the journal is what it was.
        let _ = self.place.note_journal(self.pages);
        committed?;
        let begins = self.is_whole && !is_whole;
        (self.mark, self.committed, self.is_whole) = (mark, mark.last, false);
        if begins {
            self.due = CHECKPOINT_FROM;
            // If it fails, nobody will know if the journal is missing. Not flushed: who loses power keeps the journal.
            let _ = self.place.writing(|| self.place.set_version(WITH_JOURNAL));
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.place.check()?;
        self.place.check_journal()?;
        self.make_whole()
    }

    /// Gives the file another number, before the first journal that stands on it. Else that would be the journal of a template as
    /// well, or of a backup, of which the file is a copy.
    fn make_own(&mut self) -> Result<()> {
        if self.is_whole && !self.is_own {
            self.place.check()?;
            // The number of a journal, too: whatever follows another one's is older than the file.
            let mark = Mark::whole(self.mark.last)?;
            self.place.writing(|| mark.put(&self.place))??;
            (self.mark, self.committed, self.is_own) = (mark, mark.last, true);
        }
        Ok(())
    }

    /// Puts the journal into the file, which then is one with a part of the journal. Only when all of it is there, a last commit says
    /// so, and is put into the file as well.
    fn make_whole(&mut self) -> Result<()> {
        if self.is_whole {
            return Ok(());
        }
        // SQLite begins a journal anew once all of it is in the file. But what comes now belongs to this one: so it is held.
        if self.guard.is_autocommit() {
            self.guard.execute_batch("BEGIN; SELECT last FROM mark")?;
        }
        // The journal must have this number, or a later one.
        let mark = Mark { last: self.committed, ..self.mark };
        let announced = self.place.writing(|| mark.announce(&self.place)).flatten();
        let put = announced.and_then(|()| self.put()).and_then(|()| {
            let said = self.writer.connection.execute_batch("BEGIN IMMEDIATE").map_err(StoreError::from);
            let said = said.and_then(|()| self.commit_mark(true));
            if said.is_err() {
                self.roll_back();
                self.must_be_whole = true;
            }
            said
        });
        if !self.must_be_whole || put.is_ok() {
            self.guard.execute_batch("COMMIT")?;
        }
        put.and_then(|()| self.put())?;
        (self.is_whole, self.must_be_whole) = (true, false);
        Ok(())
    }

    /// Fails if readers hold an older state for long: a load does not, a copy does.
    fn put(&self) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            let len = self.place.len()?;
            // If it fails, as on a full disk, what it has added is needed by nobody: all of it counts as not put.
            let put = || checkpoint(&self.writer.connection, "PASSIVE").inspect_err(|_| _ = self.place.cut(len));
            let (all, done) = self.place.writing(put)??;
            // Both are -1 where another program does the same.
            if all == done && done >= 0 {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(StoreError::Busy);
            }
            sleep(Duration::from_millis(1));
        }
    }

    fn roll_back(&mut self) {
        self.writer.fence = None;
        if !self.writer.connection.is_autocommit() {
            // SQLite rolls back a commit that failed by itself.
            let _ = self.writer.connection.execute_batch("ROLLBACK");
        }
        // The journal has what was too much for the memory, in no commit, and may have begun anew for that.
        let _ = journal::cut(&self.writer.connection, &self.place);
        let _ = self.place.note_journal(frames(&self.writer.connection).unwrap_or(0));
    }

    fn close(mut self) -> Result<()> {
        if !self.writer.connection.is_autocommit() {
            self.roll_back();
        }
        // Also into a file that was renamed, but not into one that is another now, or gone.
        let may_be_written = || self.place.may_be_written() && self.place.check_journal().is_ok();
        let put = if self.is_whole || may_be_written() { self.make_whole() } else { Err(StoreError::Moved) };
        let Self { writer, guard, place, .. } = self;
        // Before the lock goes.
        drop((writer, guard));
        match put {
            Err(StoreError::Moved) => Err(StoreError::Moved),
            Err(error) => Err(StoreError::JournalKept(error.to_string())),
            Ok(()) => {
                place.remove_journal();
                Ok(())
            }
        }
    }
}
