//! Journals as files: whether one is there, how much of it SQLite plays, and the names under which others are set aside.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::format::{FRAME, HEAD, end_of};
use crate::place::{Place, beside, in_folder, is_filled};
use crate::{Result, StoreError};

/// Puts the journal into the file with `PASSIVE`, and nothing with `NOOP`. Returns how many pages it has, and how many of them
/// are in the file now.
pub(crate) fn checkpoint(connection: &Connection, mode: &str) -> Result<(i64, i64)> {
    let mut run = connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?;
    Ok(run.query_row((), |row| Ok((row.get(1)?, row.get(2)?)))?)
}

/// Returns how many pages the journal has.
pub(crate) fn frames(connection: &Connection) -> Result<i64> {
    Ok(checkpoint(connection, "NOOP")?.0)
}

pub(crate) fn set_journal(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(()))
}

/// Cuts off what lies behind the last commit: pages of a save that failed, was cancelled or was killed. SQLite would write over
/// them some day, but the disk may be full of them. It does the same itself where a journal begins anew: nobody reads these pages.
pub(crate) fn cut(connection: &Connection, place: &Place) -> Result<()> {
    let version = || connection.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0));
    let before = version()?;
    let pages = frames(connection)?;
    // Another program neither writes a commit meanwhile, nor has written one since the pages were counted.
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let cut = match version() {
        Ok(now) if now == before && pages >= 0 => place.cut_journal(pages),
        _ => Err(StoreError::Busy),
    };
    connection.execute_batch("ROLLBACK")?;
    cut
}

/// True if a game that was killed has left what the file lacks.
pub(crate) fn has_journal(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    ["-wal", "-journal"].iter().any(|end| is_filled(&beside(&path, end)))
}

/// True if a file begins as a journal of SQLite, with the checksum of that.
pub(crate) fn has_head(journal: &Path) -> Result<bool> {
    let mut head = Vec::new();
    File::open(journal)?.take(HEAD as u64).read_to_end(&mut head)?;
    let Some((words, sums)) = head.as_chunks::<4>().0.split_at_checked(6) else { return Ok(false) };
    let is_big_endian = words[0][3] & 1 == 1;
    let number = |word: [u8; 4]| if is_big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) };
    let (mut a, mut b) = (0_u32, 0_u32);
    for [first, second] in words.as_chunks().0 {
        a = a.wrapping_add(number(*first)).wrapping_add(b);
        b = b.wrapping_add(number(*second)).wrapping_add(a);
    }
    Ok(sums == [a.to_be_bytes(), b.to_be_bytes()])
}

/// The name under which a journal is kept that belongs to another file.
#[must_use]
pub fn set_aside_name(journal: &Path, number: u32) -> PathBuf {
    beside(journal, &format!("-set-aside-{number}"))
}

/// Returns how many commits are behind the pages of a journal that SQLite plays: it takes the first page that is damaged for the
/// torn end. But only the last commit can be torn, as each is on the disk before the next one begins.
pub(crate) fn commits_behind(journal: &Path, pages: i64) -> Result<usize> {
    let mut file = File::open(journal)?;
    let mut head = [0; HEAD];
    file.read_exact(&mut head)?;
    let page_len = u64::from(u32::from_be_bytes([head[8], head[9], head[10], head[11]]));
    let frame_len = FRAME as u64 + page_len;
    let mut at = end_of(pages, page_len);
    let (mut frame, mut count) = ([0; FRAME], 0);
    while at + frame_len <= file.metadata()?.len() {
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut frame)?;
        // Of the same journal, and the last page of a commit.
        count += usize::from(frame[8..16] == head[16..24] && frame[4..8] != [0; 4]);
        at += frame_len;
    }
    Ok(count)
}

pub(crate) fn copy_aside(journal: &Path) -> Result<PathBuf> {
    let aside = free_aside(journal)?;
    fs::copy(journal, &aside)?;
    Ok(aside)
}

fn free_aside(journal: &Path) -> Result<PathBuf> {
    let free = (1..10_000).map(|number| set_aside_name(journal, number)).find(|path| path.symlink_metadata().is_err());
    free.ok_or(StoreError::Busy)
}

pub(crate) fn rename_aside(journal: &Path) -> Result<PathBuf> {
    let aside = free_aside(journal)?;
    in_folder(journal, || Ok(fs::rename(journal, &aside)?)).map(|()| aside)
}
