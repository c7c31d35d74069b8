//! Guards: permissions and symbolic links of a file that is replaced, and files that are removed meanwhile, where systems have such things.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use varbatch_storage::Saver;

use crate::file_append::{append, int};
use crate::file_save::{MEBI, assert_holds, assert_refuses, encoded, save};
use crate::folder::Folder;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").mode() & 0o7777
}

/// A save replaces a file, an append goes on in it.
#[test]
fn permissions_are_kept() {
    for is_append in [false, true] {
        let (folder, path) = Folder::with("save");
        let link = folder.join("link");
        symlink("save", &link).expect("links");
        let put = || match is_append {
            true => append(&link, &int(1)).expect("appends"),
            false => save(&link, &int(1), MEBI, None).expect("saves"),
        };
        put();
        File::create(folder.join("other")).expect("a file");
        assert_eq!(mode(&path), mode(&folder.join("other")), "as of any new file");
        let inode = fs::metadata(&path).expect("a file").ino();
        // Who appends must be allowed to read.
        for bits in [0o600, 0o640, 0o664, 0o777, if is_append { 0o600 } else { 0o200 }] {
            fs::set_permissions(&path, PermissionsExt::from_mode(bits)).expect("sets");
            put();
            assert_eq!(mode(&path), bits);
        }
        let metadata = fs::metadata(&path).expect("a file");
        let (is_same, count) = if is_append { (metadata.ino() == inode, 6) } else { (true, 1) };
        assert_eq!((is_same, metadata.len()), (true, count * int(1).len() as u64));
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        assert_eq!(folder.names(), ["link", "other", "save"]);
    }
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced() {
    let folder = Folder::new();
    fs::create_dir(folder.join("sub")).expect("a folder");
    fs::write(folder.join("sub/save"), "old!").expect("writes");
    symlink("sub/save", folder.join("link")).expect("links");
    symlink(folder.join("link"), folder.join("absolute")).expect("links");
    symlink("../absolute", folder.join("sub/back")).expect("links");
    // To nothing yet, in a folder that is itself behind a link.
    symlink("sub", folder.join("folder")).expect("links");
    symlink("folder/later", folder.join("dangling")).expect("links");
    let names = folder.names();
    for (link, to) in [
        ("link", "sub/save"),
        ("absolute", "sub/save"),
        ("sub/back", "sub/save"),
        ("folder/save", "sub/save"),
        ("dangling", "sub/later"),
    ] {
        save(&folder.join(link), &encoded(link.as_bytes()), MEBI, None).expect("saves");
        assert!(fs::symlink_metadata(folder.join(to)).expect("a file").is_file());
        assert_holds(&folder.join(to), link.as_bytes());
        assert_holds(&folder.join(link), link.as_bytes());
        assert_eq!(folder.names(), names);
        assert!(fs::symlink_metadata(folder.join("sub/back")).expect("a link").is_symlink());
    }
    // In a circle, to nowhere, to a folder.
    symlink("two", folder.join("one")).expect("links");
    symlink("one", folder.join("two")).expect("links");
    symlink("none/save", folder.join("nowhere")).expect("links");
    for link in ["one", "two", "nowhere", "folder"] {
        assert_refuses(&folder.join(link), None, &folder);
    }
    let mut names: Vec<_> =
        fs::read_dir(folder.join("sub")).expect("a folder").map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["back", "later", "save"]);
}

#[test]
fn other_names_of_a_file_keep_what_it_held() {
    let folder = Folder::new();
    let (path, hard) = (folder.join("save"), folder.join("hard"));
    fs::write(&path, "old!").expect("writes");
    fs::hard_link(&path, &hard).expect("links");
    save(&path, &encoded(b"new!"), MEBI, None).expect("saves");
    assert_holds(&path, b"new!");
    assert_holds(&hard, b"old!");
}

#[test]
fn a_file_or_folder_that_may_not_be_written_to_is_refused() {
    let folder = Folder::new();
    let (path, sub) = (folder.join("save"), folder.join("sub"));
    fs::write(&path, "old").expect("writes");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).expect("sets");
    fs::create_dir(&sub).expect("a folder");
    fs::set_permissions(&sub, PermissionsExt::from_mode(0o555)).expect("sets");
    // Root may do all.
    if File::options().append(true).open(&path).is_ok() {
        return;
    }
    assert_refuses(&path, Some(ErrorKind::PermissionDenied), &folder);
    append(&path, &int(1)).expect_err("read only");
    assert_holds(&path, b"old");
    assert_eq!(mode(&path), 0o444);
    assert_refuses(&sub.join("save"), Some(ErrorKind::PermissionDenied), &folder);
    assert!(fs::read_dir(&sub).expect("a folder").next().is_none());
}

/// So that nothing is left if the process is killed.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_file_that_is_written_has_no_name_where_the_system_can_do_that() {
    use std::os::unix::fs::OpenOptionsExt;

    use varbatch_storage::{Saver, Ticket};
    use varbatch_workers::Threads;

    use crate::file_save::write;

    const O_TMPFILE: i32 = 0o20_200_000;
    let folder = Folder::new();
    if File::options().write(true).custom_flags(O_TMPFILE).open(folder.path()).is_err() {
        return;
    }
    let path = folder.join("save");
    for names in [&[][..], &["save"]] {
        let mut saver = Saver::create(&path, None).expect("begins");
        write(&mut saver, &encoded(b"new!"), MEBI).expect("writes");
        assert_eq!(folder.names(), names);
        let mut flushed = saver.flush(&Threads::alone()).expect("flushes");
        assert_eq!(folder.names(), names);
        flushed.commit(&Ticket::take_for(&path)).expect("takes the place");
        assert_eq!(folder.names(), ["save"]);
    }
}

/// A game deletes a save while an autosave begins.
#[test]
fn a_file_that_is_removed_meanwhile_is_saved() {
    let (_folder, path) = Folder::with("save");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                fs::write(&path, "old").expect("the file is written");
                fs::remove_file(&path).expect("the file is removed");
            }
        });
        let failed = (0..20_000).find_map(|_| Saver::create(&path, None).err());
        is_over.store(true, Ordering::Relaxed);
        assert!(failed.is_none(), "{failed:?}");
    });
}
