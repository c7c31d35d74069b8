//! File names with `*` and `?`, which the shells of Windows leave to programs. No file can have such a name there.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files that each path stands for, in the order of their names. A path that stands for none is kept: opening
/// it fails, and says so.
pub fn expand(paths: &[PathBuf]) -> Vec<PathBuf> {
    let of = |path: &PathBuf| files(path).filter(|files| !files.is_empty()).unwrap_or_else(|| vec![path.clone()]);
    paths.iter().flat_map(of).collect()
}

/// Returns the files that match a path whose last part has wildcards.
fn files(path: &Path) -> Option<Vec<PathBuf>> {
    let pattern = path.file_name()?.to_str().filter(|name| name.contains(['*', '?']))?;
    let folder = path.parent()?;
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut names: Vec<_> = fs::read_dir(listed)
        .ok()?
        .flatten()
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name())
        .filter(|name| name.to_str().is_some_and(|name| matches(pattern, name)))
        .collect();
    names.sort();
    Some(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Returns true if `*` and `?` in the pattern can stand for parts of the name so that both are the same, whatever the case
/// of letters.
fn matches(pattern: &str, name: &str) -> bool {
    let chars = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let name = chars(name);
    // The numbers of first characters of the name that the pattern so far matches, in ascending order.
    let mut lens = vec![0];
    for wanted in chars(pattern) {
        let is_next = |len: usize| name.get(len).is_some_and(|&char| wanted == '?' || wanted == char);
        lens = match (wanted, lens.first()) {
            ('*', Some(&first)) => (first..=name.len()).collect(),
            _ => lens.into_iter().filter(|&len| is_next(len)).map(|len| len + 1).collect(),
        };
    }
    lens.last() == Some(&name.len())
}

#[cfg(test)]
#[path = "../tests/unit/wildcards.rs"]
mod tests;
