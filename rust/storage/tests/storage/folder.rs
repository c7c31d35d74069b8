//! A folder for one test, on the disk on which the tests are built, and gone at its end. The unit tests use it as well,
//! which are not told of that disk.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Folder(PathBuf);

static LAST: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    pub fn new() -> Self {
        // Who runs the tests may be another than who has built them.
        let built_at = option_env!("CARGO_TARGET_TMPDIR").map(PathBuf::from);
        let made = built_at.into_iter().chain([std::env::temp_dir()]).find_map(|parent| {
            fs::create_dir_all(&parent).ok()?;
            loop {
                let number = LAST.fetch_add(1, Ordering::Relaxed);
                let path = parent.join(format!("varbatch-{}-{number}", std::process::id()));
                match fs::create_dir(&path) {
                    Ok(()) => break Some(path),
                    // Of another system that runs here, where a process has the same id.
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(_) => break None,
                }
            }
        });
        Self(made.expect("a folder for temporary files"))
    }

    /// Also gives the path of a file in it, which is not there yet.
    pub fn with(name: &str) -> (Self, PathBuf) {
        let folder = Self::new();
        let path = folder.join(name);
        (folder, path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Of all that is in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
