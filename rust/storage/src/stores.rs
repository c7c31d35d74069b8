//! Stores in the way of saves.

use std::io::{self, Read};
use std::path::Path;

use crate::guess::SQLITE;
use crate::open::{is_exhausted, open};

/// Where an SQLite file has the id of who made it, and that of stores.
const ID_AT: usize = 68;
const STORE_ID: &[u8] = b"VBst";

/// The ends of the names that a store needs beside it.
const BESIDE_STORES: [&str; 6] = ["-wal", "-shm", "-journal", "-lock", "-varbatch-new", "-varbatch-copy"];

/// Where a store is in the way.
pub(crate) const THERE: &str = "is there";
pub(crate) const AS_BACKUP: &str = "has the name of the backup";

/// Fails if a store is at `path`, which is `what` in the text, or too many files are open to look. It is more than this file: a
/// journal beside it belongs to it, by its name. So this fails at that name, too.
pub(crate) fn refuse_store(path: &Path, what: &str) -> io::Result<()> {
    let refused = |text| Err(io::Error::new(io::ErrorKind::InvalidData, text));
    if is_store(path)? {
        return refused(format!("a store {what}, and stays as it is"));
    }
    let path = path.to_str().unwrap_or_default();
    for store in BESIDE_STORES.iter().filter_map(|end| path.strip_suffix(end)) {
        if is_store(store.as_ref())? {
            return refused("the store beside it needs a file of that name".to_owned());
        }
    }
    Ok(())
}

fn is_store(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    match open(path).and_then(|(file, _)| file.take((ID_AT + STORE_ID.len()) as u64).read_to_end(&mut head)) {
        Err(error) if is_exhausted(&error) => Err(error),
        // There may be none, or who may write it may not read it.
        _ => Ok(head.starts_with(SQLITE) && head[ID_AT.min(head.len())..] == *STORE_ID),
    }
}
