//! A file that is being written and will replace another one when it is complete: dropped before, nothing of it
//! remains. On Linux, if the file system supports that, it has no name until then, so that not even a killed process
//! leaves anything of it. Elsewhere it has one of the names of [`beside`](crate::beside). Some file systems, such as those
//! of containers, make files without names and then refuse to link them: then a copy has a name.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::sync::Mutex;

use crate::beside::{self, Beside};
use crate::disk;
use crate::known::{self, BACKUP, Checked, Contents, Fate, Seen, with_suffix};
use crate::open::{is_exhausted, refuse_special, target};
use crate::order::{Ticket, folder_of};
use crate::stores::{AS_BACKUP, THERE};
#[cfg(windows)]
pub(super) use crate::windows::retry;
use varbatch_workers::Threads;

/// Folders in which a file without a name could be linked to no name, at most [`MAX_UNLINKED`].
#[cfg(target_os = "linux")]
static UNLINKED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

#[cfg(target_os = "linux")]
const MAX_UNLINKED: usize = 1024;

/// A file that will replace another one, at [`Self::commit`].
#[derive(Debug)]
pub struct Replacement {
    pub file: File,
    /// The name that it has before its final one, if any.
    beside: Option<Beside>,
    /// The path of the file to replace, with links resolved.
    pub path: PathBuf,
    /// Open from the start: a file that is written must not wait for room among the open files before it takes its place.
    pub folder: disk::Folder,
    old: Option<File>,
    /// What is known of the old file.
    checked: Option<Checked>,
}

/// The outcome of [`Flushed::commit`](crate::Flushed::commit).
#[derive(Debug)]
pub enum Committed {
    /// The new file is at its path.
    InPlace {
        /// The old one, nameless: dropping it frees its blocks, in 50 ms for 256 MiB.
        old: Option<File>,
        /// Where the old one is now, if it was not whole or could not be loaded.
        aside: Option<PathBuf>,
    },
    /// The new file was dropped, as a later save is at its path.
    Overtaken,
}

impl Replacement {
    /// Makes a file that will be at `path`, or a link's target, with the permissions and owner of the old one.
    pub fn new(path: &Path) -> io::Result<Self> {
        let given = path;
        let path = target(given)?;
        known::resolve(given, &path);
        let old = replaceable(&path)?;
        let folder = disk::Folder::open(folder_of(&path))?;
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed(folder_of(&path), old.as_ref()) {
            return Ok(Self { file, beside: None, path, folder, old, checked: None });
        }
        Self::named(path, folder, old)
    }

    /// Makes a file that has another name until it is at `path`.
    fn named(path: PathBuf, folder: disk::Folder, old: Option<File>) -> io::Result<Self> {
        let (file, beside) = beside::create(folder_of(&path))?;
        let this = Self { file, beside: Some(beside), path, folder, old, checked: None };
        this.old.iter().try_for_each(|old| keep_permissions(old, &this.file))?;
        Ok(this)
    }

    /// Flushes the file, and looks at the old one, which is stored as `contents` says.
    pub fn flush(&mut self, contents: Option<&Contents>, keeps_backup: bool, threads: &Threads) -> io::Result<()> {
        disk::flush(&self.file)?;
        let len = self.file.metadata()?.len();
        self.checked = Some(Checked::new(&self.path, contents, keeps_backup, len, threads));
        Ok(())
    }

    /// Copies all of a file, which gets the permissions of that, and waits until it is on the disk.
    fn copy(&mut self, mut from: &File) -> io::Result<()> {
        io::Seek::rewind(&mut from)?;
        io::copy(&mut from, self)?;
        keep_permissions(from, &self.file)?;
        disk::flush(&self.file)
    }

    /// See [`Flushed::commit`](crate::Flushed::commit).
    pub fn commit(&mut self, called: &Ticket) -> io::Result<Committed> {
        let Self { file, beside, path, folder, old, checked } = self;
        let mut aside = None;
        let is_in_place = retry(path, || {
            called.put_in_place(path, || {
                if let Some(checked) = checked {
                    aside = keep(path, old.as_ref(), checked)?;
                }
                let mut put = || {
                    // The new file is not there before the name of the old one, in whichever order the disk has them.
                    aside.iter().try_for_each(|_| {
                        folder.flush(folder_of(path)).map_err(|error| not_kept(Fate::Aside, error))
                    })?;
                    // A save that looks there at once must know it.
                    Seen::of(&file.metadata()?)
                        .note_whole(checked.as_ref().and_then(|checked| checked.contents.clone()));
                    put_at(file, beside, path)
                };
                put().inspect_err(|_| aside.iter().for_each(|aside| _ = disk::remove(aside)))?;
                Seen::of(&file.metadata()?).note(path, true);
                Ok(())
            })
        })?;
        // Windows flushes no folder. Also for a later save, which may just have been put there.
        let flushed = if cfg!(windows) { disk::flush(file) } else { folder.flush(folder_of(path)) };
        flushed.map_err(|error| {
            let text = format!("the file is in place, but may not be there after a power cut: {error}");
            io::Error::new(error.kind(), text)
        })?;
        Ok(if is_in_place { Committed::InPlace { old: old.take(), aside } } else { Committed::Overtaken })
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // While the file is open, so that the name is still its own.
            let _ = disk::remove(&beside.path);
        }
    }
}

impl io::Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        disk::write(&self.file, &[io::IoSlice::new(bytes)])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Seek for Replacement {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        (&self.file).seek(to)
    }
}

/// Keeps the file at `path` under another name too, as its fate is. Returns the name if it is set aside.
fn keep(path: &Path, old: Option<&File>, checked: &mut Checked) -> io::Result<Option<PathBuf>> {
    let fate = match Seen::at(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        seen => {
            let seen = seen?;
            // One may have been made there since.
            checked.refuse_store(path, THERE)?;
            checked.fate(path, seen, path)?
        }
    };
    if fate == Fate::Replaced {
        return Ok(None);
    }
    #[cfg(windows)]
    crate::windows::refuse_open(path)?;
    let mut is_aside = false;
    let kept = name_twice(path, old, |seen, at| {
        let fate = checked.fate(path, seen, at)?;
        is_aside = fate == Fate::Aside;
        match fate {
            Fate::Replaced => Ok(None),
            Fate::Backup => {
                let backup = with_suffix(path, BACKUP);
                checked.refuse_store(&backup, AS_BACKUP).map(|()| Some(backup))
            }
            Fate::Aside => known::aside_of(path, seen).map(Some),
        }
    });
    kept.map(|name| name.filter(|_| is_aside)).map_err(|error| not_kept(fate, error))
}

/// The error of an old file that cannot be kept as its fate is.
fn not_kept(fate: Fate, error: io::Error) -> io::Error {
    #[cfg(windows)]
    let is_in_use = crate::windows::may_be_in_use(&error);
    #[cfg(not(windows))]
    let is_in_use = false;
    // As it is, so that it is tried again.
    if is_in_use || is_exhausted(&error) {
        return error;
    }
    let what =
        if fate == Fate::Backup { "kept as a backup" } else { "set aside, and it was damaged or could not be loaded" };
    let text = format!("the old file cannot be {what}: {}", crate::words::words(&error));
    io::Error::new(error.kind(), text)
}

/// Gives the file at `path`, if any, the name too that `choose` returns for what it is and where it can be read. Neither it nor
/// a file that was there is without its name meanwhile. Returns that name.
fn name_twice(
    path: &Path,
    old: Option<&File>,
    choose: impl FnOnce(Seen, &Path) -> io::Result<Option<PathBuf>>,
) -> io::Result<Option<PathBuf>> {
    let open = || match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    };
    // Another process may have put another file there.
    let is_old = old.is_some_and(|old| beside::is_at(old, path));
    let now = if is_old { None } else { open()? };
    let Some(file) = now.as_ref().or(old.filter(|_| is_old)) else { return Ok(None) };
    // Locked, so that no other process takes the name between for a leftover.
    let beside = if beside::claim(file, path) { beside::hard_link(path).ok() } else { None };
    if let Some(beside) = beside {
        if beside::is_at(file, &beside.path) {
            let named = choose(Seen::of(&file.metadata()?), &beside.path)
                .and_then(|name| name.iter().try_for_each(|name| disk::rename(&beside.path, name)).map(|()| name));
            // Where it had that name already, nothing was renamed. Else another process may have taken the free name since.
            let is_gone = |name: &PathBuf| Seen::at(&beside.path).ok() != Seen::at(name).ok();
            if !named.as_ref().is_ok_and(|name| name.as_ref().is_some_and(is_gone)) {
                let _ = disk::remove(&beside.path);
            }
            return named;
        }
        beside::remove_leftover(&beside.path);
    }
    // Android and some file systems have no second names, and a file that another process has locked must not have one.
    let Some(file) = open()? else { return Ok(None) };
    let mut copy = Replacement::named(path.to_owned(), disk::Folder::default(), None)?;
    copy.copy(&file)?;
    let at = copy.beside.as_ref().map_or(path, |beside| &beside.path);
    let name = choose(Seen::of(&file.metadata()?), at)?;
    name.iter().try_for_each(|name| put_at(&mut copy.file, &mut copy.beside, name))?;
    Ok(name)
}

/// Gives a file the name `path`, in the same folder. If that fails, the old file is still there, and it can be tried again.
fn put_at(file: &mut File, beside: &mut Option<Beside>, path: &Path) -> io::Result<()> {
    let _ = file;
    #[cfg(target_os = "linux")]
    if beside.is_none() {
        // Linking replaces nothing: only a new file gets its name at once.
        if disk::link(file, path).is_ok() {
            return Ok(());
        }
        *beside = match beside::link(file, folder_of(path)) {
            Ok(beside) => Some(beside),
            Err(_) => {
                let mut copy = Replacement::named(path.to_owned(), disk::Folder::default(), None)?;
                copy.copy(file)?;
                let mut unlinked = varbatch_workers::lock(&UNLINKED);
                if unlinked.len() == MAX_UNLINKED {
                    unlinked.clear();
                }
                unlinked.insert(folder_of(path).to_owned());
                std::mem::swap(file, &mut copy.file);
                copy.beside.take()
            }
        };
    }
    if let Some(named) = beside {
        disk::rename(&named.path, path)?;
        // Another process may take the name now.
        *beside = None;
    }
    Ok(())
}

/// Makes a file without a name, with the permissions of an old one, if the system and the file system can do that.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, old: Option<&File>) -> Option<File> {
    if varbatch_workers::lock(&UNLINKED).contains(folder) {
        return None;
    }
    // What else is wrong keeps a file with a name from being made, too.
    let file = disk::create_unnamed(folder).ok()?;
    old.is_none_or(|old| keep_permissions(old, &file).is_ok()).then_some(file)
}

/// Returns the file at `path`, if there is one. Fails if it cannot be written to, though a rename would replace it.
fn replaceable(path: &Path) -> io::Result<Option<File>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    // Opening a pipe would wait for a reader.
    refuse_special(&metadata)?;
    if Seen::of(&metadata).is_whole(path) == Some(false) {
        known::refuse_long(path)?;
    }
    match OpenOptions::new().write(true).open(path) {
        // Nobody may have it open there when it is replaced. A file that can be written has no permissions to keep.
        Ok(_) if cfg!(windows) => Ok(None),
        #[cfg(windows)]
        Err(error) if crate::windows::is_in_use(&error) => Ok(None),
        // Removed meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}

/// Gives a new file the permissions of an old one, and its owner if that is allowed. Where permissions cannot be changed, it
/// may keep its own, unless they allow more.
fn keep_permissions(old: &File, new: &File) -> io::Result<()> {
    let metadata = old.metadata()?;
    #[cfg(unix)]
    let may_keep = {
        use std::os::unix::fs::{MetadataExt, fchown};
        let of_new = new.metadata()?;
        if (metadata.uid(), metadata.gid()) != (of_new.uid(), of_new.gid()) {
            // Only root may give a file away.
            let _ = fchown(new, Some(metadata.uid()), Some(metadata.gid()));
        }
        of_new.mode() & !metadata.mode() == 0
    };
    #[cfg(not(unix))]
    let may_keep = false;
    let kept = disk::set_permissions(new, metadata.permissions());
    if may_keep { Ok(()) } else { kept }
}

/// Elsewhere it does not matter who has the old file open.
#[cfg(not(windows))]
pub(super) fn retry<T>(_: &Path, attempt: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    attempt()
}
