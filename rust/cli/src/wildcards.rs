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
    let (pattern, name) = (chars(pattern), chars(name));
    // Whether the pattern so far matches the first characters of the name, for each number of them.
    let mut fits = vec![false; name.len() + 1];
    fits[0] = true;
    for wanted in pattern {
        let first_fits = fits[0] && wanted == '*';
        if wanted == '*' {
            (0..name.len()).for_each(|len| fits[len + 1] |= fits[len]);
        } else {
            let is_next = |len: usize| wanted == '?' || wanted == name[len];
            (0..name.len()).rev().for_each(|len| fits[len + 1] = fits[len] && is_next(len));
        }
        fits[0] = first_fits;
    }
    fits[name.len()]
}

#[cfg(test)]
#[path = "../tests/unit/wildcards.rs"]
mod tests;
