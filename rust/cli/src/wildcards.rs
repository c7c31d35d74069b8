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
    let (mut at, mut in_name) = (0, 0);
    // The last `*`, and where what follows it is tried in the name.
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                at += 1;
                star = Some((at, in_name));
            }
            Some(&wanted) if wanted == '?' || wanted == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((after, tried)) = star else { return false };
                (at, in_name) = (after, tried + 1);
                star = Some((after, tried + 1));
            }
        }
    }
    pattern[at..].iter().all(|&wanted| wanted == '*')
}

#[cfg(test)]
#[path = "../tests/unit/wildcards.rs"]
mod tests;
