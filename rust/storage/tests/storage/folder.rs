//! A folder for one test, on the disk on which the tests are built, and gone at its end. The unit tests use it as well,
//! which are not told of that disk.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        // Who runs the tests may be another than who has built them.
        let built_at = option_env!("CARGO_TARGET_TMPDIR").and_then(|path| TempDir::new_in(path).ok());
        Self(built_at.unwrap_or_else(|| TempDir::new().expect("a folder for temporary files")))
    }

    /// Also gives the path of a file in it, which is not there yet.
    pub fn with(name: &str) -> (Self, PathBuf) {
        let folder = Self::new();
        let path = folder.join(name);
        (folder, path)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Of all that is in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).expect("the folder is there");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}
