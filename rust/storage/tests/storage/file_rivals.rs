//! Guards: saves of one file by several threads, while others have it open. None fails, and none is lost.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use varbatch_storage::{Saver, Ticket, open};
use varbatch_workers::Threads;

use crate::file_save::{MEBI, assert_holds, encoded, save, write};
use crate::folder::Folder;

const SAVES: u32 = 1000;

/// A file that tells its number, in each of its words.
fn content(number: u32) -> Vec<u8> {
    number.to_le_bytes().repeat(1000 + number as usize % 3000)
}

/// The number of a file, if it is a whole one.
fn number_in(bytes: &[u8]) -> Option<u32> {
    let number = u32::from_le_bytes(bytes.get(..4)?.try_into().expect("four bytes"));
    (content(number) == bytes).then_some(number)
}

/// Returns the number of the file, which must be whole, as `load_vars` reads it.
fn load(path: &Path) -> u32 {
    let (mut file, len) = open(path).expect("there is always a file");
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).expect("reads");
    assert_eq!(len, bytes.len() as u64);
    number_in(&bytes).expect("half of a file")
}

/// Opens the file again and again and expects a whole one.
fn read_until(path: &Path, ended: &AtomicBool) -> usize {
    let (mut count, mut last) = (0, 0);
    while !ended.load(Ordering::Relaxed) {
        let number = load(path);
        assert!(number >= last, "{number} after {last}");
        (count, last) = (count + 1, number);
        // Not every system replaces a file that is always open.
        thread::sleep(Duration::from_millis(1));
    }
    count
}

/// Has the file open for a fourth of the time, as the engine's `FileAccess` does.
fn hold_until(path: &Path, ended: &AtomicBool) -> usize {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 3); // All but deletion.
    let mut count = 0;
    while !ended.load(Ordering::Relaxed) {
        if let Ok(file) = options.open(path) {
            thread::sleep(Duration::from_micros(300));
            drop(file);
            count += 1;
        }
        thread::sleep(Duration::from_millis(1));
    }
    count
}

#[test]
fn saves_of_three_threads_all_succeed_while_others_have_the_file_open() {
    let folder = Folder::new();
    let path = &folder.join("save");
    save(path, &encoded(&content(0)), MEBI, None).expect("saves");
    let (last, ended) = (&Mutex::new(0), &AtomicBool::new(false));
    let (reads, holds) = thread::scope(|scope| {
        let others = [read_until, hold_until].map(|rival| scope.spawn(move || rival(path, ended)));
        let savers = [(); 3].map(|()| {
            scope.spawn(move || {
                loop {
                    // Together, so that the numbers are in the order of the tickets.
                    let (ticket, number) = {
                        let mut last = last.lock().expect("nobody panics");
                        *last += 1;
                        (Ticket::take_for(path), *last)
                    };
                    if number > SAVES {
                        break;
                    }
                    let mut saver = Saver::create(path, None).expect("begins");
                    write(&mut saver, &encoded(&content(number)), MEBI).expect("writes");
                    let mut flushed = saver.flush(&Threads::alone()).expect("flushes");
                    flushed.commit(&ticket).expect("commits");
                    let found = load(path);
                    assert!(found >= number, "{found} is in place after {number} has returned");
                }
            })
        });
        let saved = savers.map(thread::ScopedJoinHandle::join);
        ended.store(true, Ordering::Relaxed);
        let counts = others.map(|other| other.join().expect("no panic"));
        saved.into_iter().for_each(|saved| saved.expect("no panic"));
        counts.into()
    });
    assert!(reads > 0 && holds > 0, "{reads} reads, held {holds} times");
    assert_holds(path, &content(SAVES));
    assert_eq!(folder.names(), ["save"]);
}
