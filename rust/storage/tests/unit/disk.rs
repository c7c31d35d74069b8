//! Guards: a failure of the disk that is not told, or after which the old file is not there. The recorder of changes is
//! here too, which `power` replays.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Change;
use crate::beside::tests::Folder;
use crate::compressed::Compression;
use crate::{AppendError, Contents, Saver, Seen, Ticket};
use varbatch_codec::{Cursor, Dialect, Plan, Value, Writer};
use varbatch_workers::Threads;

/// A change that was made. A file has the number by which the recorder knows it.
#[derive(Clone, Debug)]
pub enum Record {
    Create(usize, Option<PathBuf>),
    Write { file: usize, at: u64, bytes: Vec<u8> },
    SetLen(usize, u64),
    SetPermissions,
    Flush(usize),
    Link(usize, PathBuf),
    HardLink(PathBuf, PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    FlushFolder,
}

/// Says with which error of the system a change fails, if it does.
type Fails = Box<dyn FnMut(&Change<'_>) -> Option<i32>>;

/// Records the changes that this thread makes. Nothing is really flushed meanwhile.
#[derive(Default)]
pub struct Recorder {
    pub log: Vec<Record>,
    numbers: BTreeMap<u64, usize>,
    last: usize,
    fails: Option<Fails>,
}

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

impl Recorder {
    pub fn failing(fails: impl FnMut(&Change<'_>) -> Option<i32> + 'static) -> Self {
        Self { fails: Some(Box::new(fails)), ..Self::default() }
    }

    /// Records what `act` does. Returns its outcome and the record.
    pub fn during<T>(self, act: impl FnOnce() -> T) -> (T, Vec<Record>) {
        RECORDER.set(Some(self));
        let outcome = act();
        (outcome, RECORDER.take().expect("set above").log)
    }

    /// Returns how many changes were recorded so far.
    pub fn now() -> usize {
        RECORDER.with_borrow(|recorder| recorder.as_ref().map_or(0, |recorder| recorder.log.len()))
    }

    /// Numbers a file that is new, or was there before.
    pub fn number_new(&mut self, file: &File) -> usize {
        self.last += 1;
        self.numbers.insert(inode(file), self.last);
        self.last
    }

    fn number(&self, file: &File) -> usize {
        // The number of a file without one is never used: then nobody replays the record.
        self.numbers.get(&inode(file)).copied().unwrap_or(0)
    }

    fn record(&mut self, change: &Change<'_>, at: u64) -> Record {
        match *change {
            Change::Create(file, path) => Record::Create(self.number_new(file), path.map(Path::to_owned)),
            Change::Write(file, slices) => {
                let bytes = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
                Record::Write { file: self.number(file), at, bytes }
            }
            Change::SetLen(file, len) => Record::SetLen(self.number(file), len),
            Change::SetPermissions => Record::SetPermissions,
            Change::Flush(file) => Record::Flush(self.number(file)),
            #[cfg(target_os = "linux")]
            Change::Link(file, path) => Record::Link(self.number(file), path.to_owned()),
            Change::HardLink(path, to) => Record::HardLink(path.to_owned(), to.to_owned()),
            Change::Rename(from, to) => Record::Rename(from.to_owned(), to.to_owned()),
            Change::Remove(path) => Record::Remove(path.to_owned()),
            Change::FlushFolder => Record::FlushFolder,
        }
    }
}

#[cfg(unix)]
fn inode(file: &File) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&file.metadata().expect("a file"))
}

/// There only failures are tested.
#[cfg(not(unix))]
fn inode(_: &File) -> u64 {
    0
}

pub fn make<T: Default>(change: Change<'_>, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let Some(mut recorder) = RECORDER.take() else { return act() };
    let at = if let Change::Write(mut file, _) = change { file.stream_position().expect("a file") } else { 0 };
    let made = match recorder.fails.as_mut().and_then(|fails| fails(&change)) {
        Some(code) => Err(io::Error::from_raw_os_error(code)),
        None if matches!(change, Change::Flush(_) | Change::FlushFolder) => Ok(T::default()),
        None => act(),
    };
    if made.is_ok() {
        let record = recorder.record(&change, at);
        if let (Record::Write { bytes, .. }, &Change::Write(mut file, _)) = (&record, &change) {
            assert_eq!(file.stream_position().expect("a file"), at + bytes.len() as u64, "written in part");
        }
        recorder.log.push(record);
    }
    RECORDER.set(Some(recorder));
    made
}

/// The bytes of the record with this number, which no other record has. Some end with zeros.
pub fn record(number: u64) -> Vec<u8> {
    let (lens, fill) = ([0, 40, 700, 3000, 9000], if number.is_multiple_of(3) { 0 } else { number as u8 | 1 });
    let bytes =
        [&number.to_le_bytes()[..], &vec![fill; lens[number as usize % 5] + 4 * (number as usize % 7)]].concat();
    let int = Value::Int((number << 33) as i64);
    let value = if number.is_multiple_of(2) { int } else { Value::PackedByteArray(bytes) };
    value.encode_frame().expect("encodes")
}

/// These bytes as a plan that is written in steps.
pub fn plan(bytes: &[u8]) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    writer.encoded(bytes, varbatch_codec::Borrowed).expect("a value is due");
    writer.into_plan()
}

/// Writes a plan, at most `max` bytes at a time, and flushes some of the steps as a task does.
pub fn write(saver: &mut Saver, bytes: &[u8], max: usize) -> io::Result<()> {
    let (plan, mut cursor, mut step) = (plan(bytes), Cursor::new(), 0);
    while saver.write(&plan, &mut cursor, max, &Threads::alone())? > 0 {
        step += 1;
        if step % 3 == 0 {
            saver.flush_written()?;
        }
    }
    Ok(())
}

pub fn save(path: &Path, bytes: &[u8], how: Option<Compression>, max: usize, keeps_backup: bool) -> io::Result<()> {
    let mut saver = Saver::create(path, how.map(|how| (how, bytes.len() as u64)))?;
    if keeps_backup {
        saver.stores(Contents { key: None, offset: 0, dialect: Some(Dialect::GODOT_4) }, true)?;
    }
    write(&mut saver, bytes, max)?;
    saver.flush(&Threads::alone())?.commit(&Ticket::take_for(path)).map(drop)
}

pub fn append(path: &Path, bytes: &[u8], max: usize) -> Result<(), AppendError> {
    let called = Ticket::take_for(path);
    let mut saver = Saver::append(path, &called, Dialect::GODOT_4)?.expect("nobody saves");
    write(&mut saver, bytes, max)?;
    saver.flush(&Threads::alone())?.commit(&called)?;
    Ok(())
}

/// One of the ways to write a file: a plain one, a compressed one, a plain one that has a name meanwhile, or an append.
/// The error as text.
fn written(path: &Path, way: usize, bytes: &[u8]) -> Result<(), String> {
    match way {
        0 | 2 => save(path, bytes, None, 1000, false),
        1 => save(path, bytes, Some(Compression::Zstd), 1000, false),
        _ => append(path, bytes, 1000).map_err(|error| match &error {
            AppendError::System(error) => io::Error::new(error.kind(), error.to_string()),
            other => panic!("{other}"),
        }),
    }
    .map_err(|error| error.to_string())
}

#[cfg(unix)]
pub const EIO: i32 = rustix::io::Errno::IO.raw_os_error();
/// "The disk is full."
#[cfg(windows)]
pub const EIO: i32 = 112;

const APPEND: usize = 3;

/// The failure of a change where the system cannot make files without names, as for the way that needs one.
fn unnamed(change: &Change<'_>, way: usize) -> Option<i32> {
    (way == 2 && matches!(change, Change::Create(_, None))).then_some(UNSUPPORTED)
}

#[cfg(target_os = "linux")]
pub const UNSUPPORTED: i32 = rustix::io::Errno::OPNOTSUPP.raw_os_error();
#[cfg(not(target_os = "linux"))]
pub const UNSUPPORTED: i32 = 0;

/// Calls `check` for each way, with an old file and without.
fn each(mut check: impl FnMut(&Folder, &Path, usize, Option<&[u8]>)) {
    let old = record(1);
    for way in 0..=APPEND {
        for old in [None, Some(&*old)] {
            let (folder, path) = Folder::with("save");
            old.iter().for_each(|old| fs::write(&path, old).expect("writes"));
            check(&folder, &path, way, old);
        }
    }
}

#[test]
fn each_failure_of_the_disk_is_told_and_leaves_the_old_file_alone() {
    each(|folder, path, way, old| {
        let (made, failed) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(false)));
        for index in 0.. {
            made.set(0);
            failed.set(false);
            let (count, hit) = (made.clone(), failed.clone());
            let fails = move |change: &Change<'_>| {
                if let Some(code) = unnamed(change, way) {
                    return Some(code);
                }
                let fails = count.replace(count.get() + 1) == index
                    && matches!(change, Change::Write(..) | Change::SetLen(..) | Change::Flush(_) | Change::Rename(..));
                hit.set(hit.get() || fails);
                fails.then_some(EIO)
            };
            let done = Recorder::failing(fails).during(|| written(path, way, &record(3))).0;
            assert_eq!(done.is_err(), failed.get(), "way {way}, change {index}: {done:?}");
            if done.is_ok() {
                let _ = fs::remove_file(path);
                old.iter().for_each(|old| fs::write(path, old).expect("writes"));
            }
            assert_eq!(fs::read(path).ok().as_deref(), old, "way {way}, change {index}");
            assert_eq!(folder.names().len(), usize::from(old.is_some()), "{:?}", folder.names());
            if index >= made.get() {
                assert!(index > 3, "{index} changes");
                break;
            }
        }
    });
}

/// Both ways to make a backup or to set a file aside, where each change fails in turn. Only the last one may leave the old
/// file as its backup.
#[test]
fn each_failure_of_a_backup_leaves_the_old_file_and_a_whole_backup() {
    let (older, old, new) = (record(1), record(3), record(5));
    for (copies, is_aside) in [(false, false), (true, false), (false, true), (true, true)] {
        for index in 0.. {
            let (folder, path) = Folder::with("save");
            let backup = folder.join("save.bak");
            fs::write(&path, &old).expect("writes");
            fs::write(&backup, &older).expect("writes");
            if is_aside {
                Seen::at(&path).expect("a file").note(&path, false);
            }
            let mut count = 0;
            let fails = move |change: &Change<'_>| {
                if copies && matches!(change, Change::HardLink(..)) {
                    return Some(UNSUPPORTED);
                }
                let is_it = count == index
                    && !matches!(
                        change,
                        Change::Create(..) | Change::HardLink(..) | Change::FlushFolder | Change::Remove(_)
                    );
                count += 1;
                is_it.then_some(EIO)
            };
            let (done, log) = Recorder::failing(fails).during(|| save(&path, &new, None, 1000, true));
            let (file, kept) = (fs::read(&path).expect("a file"), fs::read(&backup).expect("a backup"));
            let mut names = folder.names();
            match done {
                Ok(()) if is_aside => {
                    let aside = fs::read(folder.join("save.set-aside")).expect("the old file");
                    assert_eq!((&file, &kept, &aside), (&new, &older, &old), "change {index}");
                    assert_eq!(names.pop().as_deref(), Some("save.set-aside"));
                }
                Ok(()) => assert_eq!((&file, &kept), (&new, &old), "change {index}"),
                Err(_) => assert!(file == old && (kept == older || kept == old && !is_aside), "change {index}"),
            }
            assert_eq!(names, ["save", "save.bak"], "change {index}");
            if index > log.len() {
                break;
            }
        }
    }
}

/// Then the next append cuts it off.
#[test]
fn an_append_that_cannot_be_undone_is_not_there_twice() {
    let (_folder, path) = Folder::with("log");
    append(&path, &record(1), 1000).expect("appends");
    let fails = |change: &Change<'_>| matches!(change, Change::Flush(_) | Change::SetLen(..)).then_some(EIO);
    let (done, _) = Recorder::failing(fails).during(|| append(&path, &record(2), 1000));
    done.expect_err("nothing is flushed");
    append(&path, &record(2), 1000).expect("appends");
    assert_eq!(fs::read(&path).expect("a file"), [record(1), record(2)].concat());
}

/// What is linked may be another file than the one that the save has found.
#[cfg(unix)]
#[test]
fn a_name_between_belongs_to_a_file_that_is_locked() {
    let (folder, path) = Folder::with("save");
    fs::write(&path, record(1)).expect("writes");
    let mut saver = Saver::create(&path, None).expect("begins");
    saver.stores(Contents { key: None, offset: 0, dialect: Some(Dialect::GODOT_4) }, true).expect("a short name");
    write(&mut saver, &record(3), 1000).expect("writes");
    let mut flushed = saver.flush(&Threads::alone()).expect("flushes");
    let other = folder.join("other");
    fs::write(&other, record(2)).expect("writes");
    fs::rename(&other, &path).expect("renames");
    let seen = Rc::new(Cell::new(0));
    let count = seen.clone();
    let fails = move |change: &Change<'_>| {
        if let Change::Rename(from, to) = change
            && to.ends_with("save.bak")
        {
            let is_locked = File::open(from).expect("opens").try_lock().is_err();
            count.set(count.get() + usize::from(is_locked));
        }
        None
    };
    let (done, _) = Recorder::failing(fails).during(|| flushed.commit(&Ticket::take_for(&path)));
    done.expect("commits");
    assert_eq!((seen.get(), fs::read(folder.join("save.bak")).expect("a backup")), (1, record(2)));
}

/// The name of a new file may be lost if its folder cannot be flushed: that is no success.
#[cfg(unix)]
#[test]
fn a_folder_that_fails_to_flush_is_told_and_one_that_cannot_be_flushed_is_not() {
    use rustix::io::Errno;
    let flush = |code: Errno, path: &Path, way: usize| {
        let fails = move |change: &Change<'_>| {
            let is_flush = matches!(change, Change::FlushFolder);
            is_flush.then(|| code.raw_os_error()).or_else(|| unnamed(change, way))
        };
        Recorder::failing(fails).during(|| written(path, way, &record(3))).0
    };
    let damage = [Errno::IO, Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::NOENT, Errno::NFILE];
    each(|folder, path, way, old| {
        for code in damage {
            let error = flush(code, path, way).expect_err("a name that may be lost");
            let (text, file) = (io::Error::from(code).to_string(), fs::read(path).ok());
            if way == APPEND {
                assert_eq!((&error, file.as_deref()), (&text, old), "cut off again");
            } else {
                assert_eq!(error, format!("the file is in place, but may not be there after a power cut: {text}"));
                assert_ne!(file.as_deref(), old);
                fs::remove_file(path).expect("removes");
                old.iter().for_each(|old| fs::write(path, old).expect("writes"));
            }
            assert_eq!(folder.names().len(), usize::from(old.is_some()));
        }
    });
    each(|_, path, way, _| {
        for code in
            [Errno::ACCESS, Errno::PERM, Errno::INVAL, Errno::BADF, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP]
        {
            assert_eq!(flush(code, path, way), Ok(()));
        }
    });
}

/// An earlier call ends well when a later save is at the path: but that may just have been put there, unflushed.
#[test]
fn a_call_that_was_overtaken_ends_when_the_later_save_is_on_the_disk() {
    each(|_, path, way, _| {
        let (early, late) = (Ticket::take_for(path), Ticket::take_for(path));
        let mut saver = Saver::create(path, None).expect("begins");
        write(&mut saver, &record(3), 1000).expect("writes");
        let mut later = Saver::create(path, None).expect("begins").flush(&Threads::alone()).expect("flushes");
        later.commit(&late).expect("commits");
        let ((), log) = Recorder::default().during(|| match way {
            0 | 2 => assert!(saver.is_overtaken(&early).expect("flushes")),
            1 => drop(saver.flush(&Threads::alone()).expect("flushes").commit(&early).expect("overtaken")),
            _ => assert!(Saver::append(path, &early, Dialect::GODOT_4).expect("flushes").is_none()),
        });
        assert!(log.iter().any(|record| matches!(record, Record::FlushFolder)), "{log:?}");
    });
}
