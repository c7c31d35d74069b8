//! Guards: a process that is killed during the first save leaves an empty store or a whole one; one that may write no more
//! leaves the last commit; two never have one file; and a file that cannot be written can still be read, unless a journal is
//! left that says more.
//!
//! The processes are this program once more: see [`child`].

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use varbatch_store::{Packed, Store, StoreError};

use crate::file::{keys, load, save};
use crate::folder::Folder;
#[cfg(target_os = "linux")]
use crate::growth;
use crate::random::Random;

/// What a child is to do, and with which file, in its environment.
const TASK: &str = "VARBATCH_CHILD_TASK";
const PATH: &str = "VARBATCH_CHILD_PATH";

/// How often a child is killed during the first save, unless that takes too long.
const KILLS: usize = 100;
const MOST_TIME: Duration = Duration::from_secs(3);

/// Keys of the first save, and of each that fills the disk.
const KEYS: u8 = 40;

const ENOUGH: Duration = Duration::from_secs(20);

/// Saves a generation: each key has as many bytes as the generation decides.
fn save_generation(store: &mut Store, generation: u8) -> Result<(), StoreError> {
    store.begin()?;
    for key in 0..KEYS {
        let value = vec![generation; 1000 + usize::from(key) * usize::from(generation)];
        store.put(&[key; 4], &Packed::new(&[key; 4], value, false))?;
    }
    store.commit()
}

/// Which generation a store holds, if all of it is of one: 0 if it is empty.
fn generation_in(store: &mut Store) -> u8 {
    let Some(first) = load(store, &[0; 4]) else {
        assert_eq!(keys(store).unwrap().len(), 0);
        return 0;
    };
    assert_eq!(keys(store).unwrap().len(), usize::from(KEYS));
    for key in 0..KEYS {
        let len = 1000 + usize::from(key) * usize::from(first[0]);
        assert!(load(store, &[key; 4]).unwrap() == vec![first[0]; len], "key {key} of generation {}", first[0]);
    }
    first[0]
}

pub fn say(text: &str) {
    println!("{text}");
    stdout().flush().unwrap();
}

/// What the others rest on. They run it in a process of its own, with something to do.
#[test]
fn child() {
    let (Ok(task), Some(path)) = (env::var(TASK), env::var_os(PATH)) else { return };
    let path = Path::new(&path);
    #[cfg(target_os = "linux")]
    match &*task {
        "saves a long value" => return say(&format!("took {}", growth::save_a_long_value(path))),
        "loads a long value" => return say(&format!("took {}", growth::load_a_long_value(path))),
        _ => {}
    }
    if task == "damages files" {
        return crate::damage::damage_files();
    }
    if task == "writes with SQLite" {
        let file = rusqlite::Connection::open(path).unwrap();
        return say(&format!("wrote {:?}", file.execute("DELETE FROM entry", ()).map_err(|error| error.to_string())));
    }
    if task == "copies" {
        return crate::names::copy_often(path);
    }
    #[cfg(unix)]
    match &*task {
        "saves too much for a small disk" => return crate::full_disk::save_too_much(path, false),
        "saves too much and dies" => return crate::full_disk::save_too_much(path, true),
        "puts too much into the file on a small disk" => return crate::full_disk::checkpoint_too_much(path),
        "has few handles" => return crate::handles::use_few_handles(path),
        "renames" => return crate::names::rename_one(path),
        "shrinks on a small disk" => return crate::full_disk::shrink_with_little_room(path),
        _ => {}
    }
    let opened = Store::open(path);
    match &*task {
        "first save" => {
            say("begins");
            save_generation(&mut opened.unwrap(), 200).unwrap();
            say("done");
            sleep(ENOUGH);
        }
        "holds it" => {
            let mut store = opened.unwrap();
            // The second is in a journal.
            save_generation(&mut store, 1).unwrap();
            save_generation(&mut store, 2).unwrap();
            assert!(matches!(Store::open(path), Err(StoreError::Busy)));
            // As a game that copies it. On Unix that takes SQLite's lock away.
            assert!(!cfg!(unix) || fs::read(path).is_ok());
            say("done");
            while !path.with_extension("go").exists() {
                sleep(Duration::from_millis(1));
            }
            save_generation(&mut store, 3).unwrap();
            say("again");
            sleep(ENOUGH);
        }
        "fills the disk" => {
            let mut store = opened.unwrap();
            let mut last = 0;
            let error = (1..=255).find_map(|generation| {
                let error = save_generation(&mut store, generation).err();
                last = if error.is_none() { generation } else { last };
                error
            });
            store.roll_back();
            assert_eq!(generation_in(&mut store), last, "at once");
            assert!(save_generation(&mut store, 255).is_err(), "still full");
            store.roll_back();
            drop(store);
            assert_eq!(generation_in(&mut Store::open(path).unwrap()), last, "opened again");
            say(&format!("last {last} {}", error.expect("it never was full")));
        }
        "closes on a full disk" => {
            let mut store = opened.unwrap();
            save(&mut store, &[(b"key!", &[2; 600_000])]);
            let error = store.close().unwrap_err();
            assert!(matches!(error, StoreError::JournalKept(_)), "{error}");
            let mut store = Store::open(path).unwrap();
            assert!(load(&store, b"key!").unwrap() == [2; 600_000], "it is read all the same");
            assert!(save_generation(&mut store, 1).is_err(), "and not written");
            assert!(matches!(store.close(), Err(StoreError::JournalKept(_))));
            say("last");
        }
        #[cfg(unix)]
        "fills the journal" => crate::full_disk::fill_journal(opened.unwrap(), path),
        "saves too much first" => {
            let mut store = opened.unwrap();
            let value = Packed::new(b"key!", vec![7; 20 << 20], false);
            store.begin().unwrap();
            let error = store.put(b"key!", &value).and_then(|()| store.commit()).unwrap_err();
            store.roll_back();
            assert_eq!(generation_in(&mut store), 0);
            save_generation(&mut store, 1).unwrap();
            say(&format!("first {error}"));
        }
        "reads" => match opened {
            Ok(mut store) => {
                let generation = generation_in(&mut store);
                say(&format!("found {generation} {}", save_generation(&mut store, 9).unwrap_err()));
            }
            Err(error) => say(&format!("refused {error}")),
        },
        _ => panic!("no task {task}"),
    }
}

/// Starts [`child`] in a process of its own.
pub fn start(command: &mut Command, task: &str, path: &Path) -> Child {
    let name = concat!(module_path!(), "::child").split_once("::").unwrap().1;
    command.args([name, "--exact", "--nocapture"]).env(TASK, task).env(PATH, path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Runs [`child`] to its end, which must be a good one.
pub fn run(task: &str, path: &Path) {
    let output = start(&mut this_program(), task, path).wait_with_output().unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{task}");
}

pub fn this_program() -> Command {
    Command::new(env::current_exe().unwrap())
}

/// The same program, where no file may be any longer than 1 or 2 MiB: blocks of 512 bytes or of 1024.
#[cfg(unix)]
pub fn limited_program() -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"trap "" XFSZ && ulimit -f 2048 && exec "$0" "$@""#]).arg(env::current_exe().unwrap());
    shell
}

/// Waits for a line that begins so. Returns the rest of it.
pub fn wait_for(child: &mut Child, start: &str) -> String {
    let mut out = BufReader::new(child.stdout.as_mut().unwrap());
    let mut line = String::new();
    while out.read_line(&mut line).unwrap() > 0 {
        // The harness prints a name before the first one.
        if let Some((_, rest)) = line.trim_end().split_once(start) {
            return rest.to_owned();
        }
        line.clear();
    }
    panic!("it ended before it said {start}");
}

#[test]
fn a_kill_during_the_first_save_leaves_all_of_it_or_nothing() {
    let (folder, path) = Folder::with("store");
    let (mut random, begin) = (Random::new(3), Instant::now());
    let (mut kills, mut empty, mut journals) = (0, 0, 0);
    while kills < KILLS && (begin.elapsed() < MOST_TIME || empty == 0 || empty == kills) {
        kills += 1;
        let mut child = start(&mut this_program(), "first save", &path);
        wait_for(&mut child, "begins");
        sleep(Duration::from_micros(random.below(12_000) as u64));
        child.kill().unwrap();
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        let is_done = said.contains("done");
        journals += usize::from(fs::metadata(folder.join("store-wal")).is_ok_and(|file| file.len() > 0));
        let mut store = Store::open(&path).unwrap();
        let generation = generation_in(&mut store);
        assert!(generation == 200 || generation == 0 && !is_done, "{generation}, done: {is_done}");
        empty += usize::from(generation == 0);
        // It is a store as any other.
        save_generation(&mut store, 7).unwrap();
        drop(store);
        assert_eq!(generation_in(&mut Store::open(&path).unwrap()), 7);
        assert_eq!(folder.names(), ["store"]);
        fs::remove_file(&path).unwrap();
    }
    println!("{kills} kills: {empty} left an empty store, {journals} a journal");
    assert!(empty > 0 && empty < kills, "too few to say anything: {empty} of {kills}");
}

#[test]
fn another_process_is_told_that_the_file_is_open() {
    let (folder, path) = Folder::with("store");
    let mut child = start(&mut this_program(), "holds it", &path);
    wait_for(&mut child, "done");
    let begin = Instant::now();
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    // Who was told has taken nothing from the other.
    fs::write(folder.join("store.go"), "").unwrap();
    wait_for(&mut child, "again");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(generation_in(&mut Store::open(&path).unwrap()), 3);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_last_commit_and_saving_goes_on_when_there_is_room() {
    let (folder, path) = Folder::with("store");
    let mut child = start(&mut limited_program(), "fills the disk", &path);
    let said = wait_for(&mut child, "last ");
    assert!(child.wait().unwrap().success());
    let (last, error) = said.split_once(' ').unwrap();
    assert!(error.contains("the disk is full") || error.contains("disk I/O error"), "{error}");
    let mut store = Store::open(&path).unwrap();
    assert_eq!(generation_in(&mut store).to_string(), last);
    for generation in [250, 3] {
        save_generation(&mut store, generation).unwrap();
        assert_eq!(generation_in(&mut store), generation);
    }
    drop(store);
    assert_eq!(folder.names(), ["store"]);
}

#[cfg(unix)]
#[test]
fn a_first_save_that_is_too_much_for_the_disk_leaves_an_empty_store() {
    let (folder, path) = Folder::with("store");
    let mut child = start(&mut limited_program(), "saves too much first", &path);
    wait_for(&mut child, "first ");
    assert!(child.wait().unwrap().success());
    assert_eq!(generation_in(&mut Store::open(&path).unwrap()), 1);
    assert_eq!(folder.names(), ["store"]);
}

/// Runs [`child`] as one who may not do all with a store, and returns what that one says. `None` where nobody can be kept from
/// it.
#[cfg(unix)]
pub fn restricted(folder: &Folder, path: &Path, task: &str, file_bits: u32, folder_bits: u32) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let bits = |path: &Path, bits| fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
    let mut program = this_program();
    bits(path, file_bits);
    bits(folder.path(), folder_bits);
    // Root writes all the same; nobody does not, if nobody may read this program.
    if fs::OpenOptions::new().append(true).open(path).is_ok() {
        program.uid(65534).gid(65534);
    }
    let name = concat!(module_path!(), "::child").split_once("::").unwrap().1;
    program.args([name, "--exact", "--nocapture"]).env(TASK, task).env(PATH, path);
    let said = program.stderr(Stdio::null()).output().ok().map(|output| String::from_utf8(output.stdout).unwrap());
    bits(folder.path(), 0o755);
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o644));
    said
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_read_unless_a_journal_is_left() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save_generation(&mut store, 5).unwrap();
    save(&mut store, &[]);
    drop(store);
    let readable = fs::read(&path).unwrap();
    let Some(said) = restricted(&folder, &path, "reads", 0o444, 0o555) else {
        return println!("skipped: root cannot run this program as another");
    };
    assert!(said.contains("found 5 it can only be read"), "{said}");
    let said = restricted(&folder, &path, "reads", 0o444, 0o777).unwrap();
    assert!(said.contains("found 5 it can only be read"), "{said}");
    assert!(fs::read(&path).unwrap() == readable);
    assert_eq!(folder.names(), ["store"]);
    // As a kill leaves it.
    let mut store = Store::open(&path).unwrap();
    save_generation(&mut store, 6).unwrap();
    let (file, journal) = (fs::read(&path).unwrap(), fs::read(folder.join("store-wal")).unwrap());
    drop(store);
    fs::write(&path, file).unwrap();
    fs::write(folder.join("store-wal"), journal).unwrap();
    let said = restricted(&folder, &path, "reads", 0o444, 0o555).unwrap();
    assert!(said.contains("refused a killed game left a journal"), "{said}");
    assert_eq!(generation_in(&mut Store::open(&path).unwrap()), 6);
}

/// Before SQLite looks: what it would do to a journal that is another's.
#[test]
fn another_process_changes_nothing() {
    let (folder, path) = Folder::with("store");
    let mut child = start(&mut this_program(), "holds it", &path);
    wait_for(&mut child, "done");
    for journal in ["store-journal", "store-shm"] {
        fs::write(folder.join(journal), b"another's").unwrap();
    }
    let before: Vec<_> = folder.names().into_iter().map(|name| (fs::read(folder.join(&name)).ok(), name)).collect();
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
    let after: Vec<_> = folder.names().into_iter().map(|name| (fs::read(folder.join(&name)).ok(), name)).collect();
    assert!(before == after);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The value's own bytes aside; and those, with what was read, when it is loaded.
#[cfg(target_os = "linux")]
#[test]
fn a_long_value_takes_little_memory_besides_its_own() {
    let (_folder, path) = Folder::with("store");
    for (task, max) in [("saves a long value", 20 << 20), ("loads a long value", 220 << 20)] {
        let mut child = start(&mut this_program(), task, &path);
        let took: usize = wait_for(&mut child, "took ").parse().unwrap();
        assert!(child.wait().unwrap().success());
        println!("{task}: {} MB", took >> 20);
        assert!(took < max, "{task}: {took}");
    }
}

/// Closing a handle of the file would take SQLite's lock away (Unix). So this process must not open one.
#[cfg(unix)]
#[test]
fn other_programs_are_kept_out_whatever_stores_are_asked_for() {
    let (folder, path) = Folder::with("store");
    let mut store = Store::open(&path).unwrap();
    save_generation(&mut store, 1).unwrap();
    store.checkpoint();
    let reader = store.reader().unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Busy)));
    assert!(matches!(varbatch_store::remove(&path), Err(StoreError::Busy)));
    assert!(matches!(varbatch_store::rename(&path, &folder.join("to")), Err((_, StoreError::Busy))));
    assert!(matches!(varbatch_store::Copy::begin(&path), Err(StoreError::Busy)));
    drop(reader);
    let mut child = start(&mut this_program(), "writes with SQLite", &path);
    let said = wait_for(&mut child, "wrote ");
    assert!(child.wait().unwrap().success());
    assert!(said.contains("locked"), "{said}");
    save_generation(&mut store, 2).unwrap();
    assert_eq!(generation_in(&mut store), 2);
}
