//! The mark of a file, which ties a journal to it.

use rusqlite::Connection;

use crate::format::{PARTIAL, VERSION};
use crate::place::Place;
use crate::{Result, StoreError};

pub(crate) const NO_MARK: StoreError = StoreError::Damaged("its mark cannot be read");

/// Ties a journal to its file. All numbers have 8 bytes in the file, so that a commit changes a single sector of this page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The number of the last commit. The first one in a journal is random, the next ones go up by two. One that says that the
    /// file is whole has the odd number behind that: another copy of the journal may go on with a save.
    pub(crate) last: i64,
    /// The last one that the file had when the journal began.
    pub(crate) base: i64,
    /// The first one in the journal.
    pub(crate) journal: i64,
    /// True if the file has all commits up to this one, once it has this mark.
    pub(crate) is_whole: bool,
}

impl Mark {
    /// The mark of the first commit in a journal. Its file is whole.
    pub(crate) fn after(base: i64) -> Result<Self> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| StoreError::System(error.to_string()))?;
        let first = i64::from_le_bytes(bytes) >> 2 & !(1 << 63 | 1) | 1 << 61;
        Ok(Self { last: first, base, journal: first, is_whole: false })
    }

    pub(crate) fn read(connection: &Connection) -> Result<Self> {
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let is_whole = version != PARTIAL;
        Ok(connection.query_row("SELECT last, base, journal FROM mark", (), |row| {
            Ok(Self::of([row.get(0)?, row.get(1)?, row.get(2)?], is_whole))
        })?)
    }

    /// Writes it in the place of another one.
    pub(crate) fn write(&self, connection: &Connection, other: &Self) -> Result<()> {
        if self.is_whole != other.is_whole {
            connection.pragma_update(None, "user_version", if self.is_whole { VERSION } else { PARTIAL })?;
        }
        let mut update = connection.prepare_cached("UPDATE mark SET last = ?1, base = ?2, journal = ?3")?;
        if update.execute((self.last, self.base, self.journal))? == 1 { Ok(()) } else { Err(NO_MARK) }
    }

    /// Reads the mark of a file without its journal: SQLite refuses a file into which half a journal was put.
    pub(crate) fn in_file(place: &Place, is_whole: bool) -> Result<Self> {
        let (_, numbers) = place.read(place.mark()).ok().and_then(numbers_of).ok_or(NO_MARK)?;
        Ok(Self::of(numbers, is_whole))
    }

    /// A file whose mark was announced is not whole, even where its version does not say so yet.
    fn of([last, base, journal]: [i64; 3], is_whole: bool) -> Self {
        Self { last, base, journal, is_whole: is_whole && last & 1 == 1 }
    }

    /// The mark of a whole file with a number of its own.
    pub(crate) fn whole(base: i64) -> Result<Self> {
        let mark = Self::after(base)?;
        Ok(Self { last: mark.last | 1, is_whole: true, ..mark })
    }

    /// Writes it where [`Self::in_file`] reads it, before a part of its journal gets into the file. Nobody else reads or writes
    /// these bytes meanwhile: both pages are in the journal, with the same in them.
    pub(crate) fn announce(&self, place: &Place) -> Result<()> {
        self.put(place)?;
        // In this order: before, it is not known which part of which journal the file has.
        place.set_version(PARTIAL)?;
        Ok(place.flush()?)
    }

    /// Writes it where [`Self::in_file`] reads it, and where no journal has another one. It is on the disk when this returns.
    pub(crate) fn put(&self, place: &Place) -> Result<()> {
        let (at, _) = place.read(place.mark()).ok().and_then(numbers_of).ok_or(NO_MARK)?;
        let numbers = [self.last, self.base, self.journal].map(i64::to_be_bytes);
        place.write(place.mark().start + at as u64, numbers.as_flattened())?;
        Ok(place.flush()?)
    }

    /// True if a journal with this mark belongs to the file with that mark: it began with that file, or the file has a part of
    /// it, and no commits that it lacks.
    pub(crate) fn follows(&self, file: &Self) -> bool {
        self.base == file.last || self.journal == file.journal && self.last >= file.last
    }
}

/// Returns the numbers in the page of the mark, and where they are: a leaf with one cell, a row with three integers of 8 bytes.
fn numbers_of(page: Vec<u8>) -> Option<(usize, [i64; 3])> {
    let at = usize::from(u16::from_be_bytes(*page.get(8..)?.first_chunk()?));
    let (start, numbers) = page.get(at..)?.split_first_chunk::<6>()?;
    let number = |index: usize| numbers.get(index * 8..)?.first_chunk().copied().map(i64::from_be_bytes);
    let is_mark = page.starts_with(&[13]) && page[3..5] == [0, 1] && *start == [28, 1, 4, 6, 6, 6];
    is_mark.then_some((at + 6, [number(0)?, number(1)?, number(2)?]))
}
