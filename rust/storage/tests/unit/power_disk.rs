//! A model of a disk that `power` cuts off: what of its unflushed changes is there afterwards.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::disk::tests::Record;

#[path = "../../../codec/tests/codec/support/random.rs"]
#[allow(dead_code)] // The codec's tests use more of it.
mod random;

pub use self::random::Random;

pub fn coin(random: &mut Random) -> bool {
    random.below(2) == 0
}

/// A change of a file's bytes that is not flushed.
#[derive(Clone)]
enum Edit {
    Write(usize, Vec<u8>),
    SetLen(usize),
}

impl Edit {
    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Self::Write(at, bytes) => put(to, *at, bytes),
            Self::SetLen(len) => to.resize(*len, 0),
        }
    }
}

fn put(to: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    to.resize(to.len().max(at + bytes.len()), 0);
    to[at..at + bytes.len()].copy_from_slice(bytes);
}

pub type Names = BTreeMap<PathBuf, usize>;

/// Names that change together: the file that each has then, if any.
type Renaming = Vec<(PathBuf, Option<usize>)>;

fn rename(names: &mut Names, renaming: &Renaming) {
    for (name, file) in renaming {
        match file {
            Some(file) => names.insert(name.clone(), *file),
            None => names.remove(name),
        };
    }
}

/// A disk: what is on it for good, and what is not flushed.
#[derive(Default)]
pub struct Disk {
    pub files: BTreeMap<usize, Vec<u8>>,
    pub names: Names,
    edits: BTreeMap<usize, Vec<Edit>>,
    renamings: Vec<Renaming>,
}

impl Disk {
    pub fn apply(&mut self, record: &Record) {
        match record {
            Record::Create(file, path) => {
                self.files.insert(*file, Vec::new());
                self.renamings.extend(path.iter().map(|path| vec![(path.clone(), Some(*file))]));
            }
            Record::Write { file, at, bytes } => self.edit(*file, Edit::Write(*at as usize, bytes.clone())),
            Record::SetLen(file, len) => self.edit(*file, Edit::SetLen(*len as usize)),
            Record::SetPermissions => {}
            Record::Flush(file) => {
                let bytes = self.files.get_mut(file).expect("it was created");
                self.edits.remove(file).iter().flatten().for_each(|edit| edit.apply(bytes));
            }
            Record::Link(file, path) => self.renamings.push(vec![(path.clone(), Some(*file))]),
            Record::HardLink(path, to) => self.renamings.push(vec![(to.clone(), Some(self.named(path)))]),
            Record::Rename(from, to) => {
                self.renamings.push(vec![(to.clone(), Some(self.named(from))), (from.clone(), None)]);
            }
            Record::Remove(path) => self.renamings.push(vec![(path.clone(), None)]),
            Record::FlushFolder => self.renamings.drain(..).for_each(|renaming| rename(&mut self.names, &renaming)),
        }
    }

    /// Returns the file that has this name now.
    fn named(&self, path: &PathBuf) -> usize {
        let mut names = self.names.clone();
        self.renamings.iter().for_each(|renaming| rename(&mut names, renaming));
        names[path]
    }

    fn edit(&mut self, file: usize, edit: Edit) {
        self.edits.entry(file).or_default().push(edit);
    }

    /// Returns the names and files that a power cut can leave. On an ordered disk, changes of names get there in order,
    /// and so do those of one file; but a name can be there before the file, and a length before the bytes, which are
    /// zeros then. On any other, all that is not flushed gets there in any order.
    pub fn cut(&self, is_ordered: bool, random: &mut Random) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut names = self.names.clone();
        let (count, all) = (random.below(self.renamings.len() + 1), self.renamings.iter().enumerate());
        all.filter(|(index, _)| if is_ordered { *index < count } else { coin(random) })
            .for_each(|(_, renaming)| rename(&mut names, renaming));
        names.into_iter().map(|(name, file)| (name, self.cut_file(file, is_ordered, random))).collect()
    }

    fn cut_file(&self, file: usize, is_ordered: bool, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.files[&file].clone();
        let Some(edits) = self.edits.get(&file) else { return bytes };
        let mut whole = bytes.clone();
        edits.iter().for_each(|edit| edit.apply(&mut whole));
        let block = [512, 4096][random.below(2)];
        let (count, chance) = (random.below(edits.len() + 1), random.below(5));
        for (index, edit) in edits.iter().enumerate() {
            match edit {
                edit if is_ordered && index < count => edit.apply(&mut bytes),
                Edit::Write(at, written) if is_ordered && index == count => {
                    let end = (*at + random.below(written.len() + 1)) / block * block;
                    put(&mut bytes, *at, &written[..end.saturating_sub(*at)]);
                }
                _ if is_ordered => {}
                Edit::Write(at, written) => {
                    let mut from = 0;
                    while from < written.len() {
                        let end = ((*at + from) / block * block + block - *at).min(written.len());
                        if random.below(4) < chance {
                            put(&mut bytes, *at + from, &written[from..end]);
                        }
                        from = end;
                    }
                }
                Edit::SetLen(len) => {
                    if coin(random) {
                        bytes.resize(*len, 0);
                    }
                }
            }
        }
        if whole.len() > bytes.len() && coin(random) {
            bytes.resize(whole.len(), 0);
        }
        bytes
    }
}
