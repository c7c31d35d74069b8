//! Translates values of one engine into those of another: a [`Reader`](crate::Reader) of one dialect drives a
//! [`Writer`](crate::Writer) of another. No value is built. A part that the other engine has no type for is an error;
//! one that it can only keep partly is written as far as possible, and reported as a [`Loss`].

mod classes;
#[cfg(feature = "internals")]
mod run;
mod translation;
mod whole;

use std::fmt;

#[cfg(feature = "internals")]
pub use self::run::{RUN_LEN, TranslatedRun};
pub use self::translation::Translation;
use crate::path::Path;

/// One kind of loss, with its count and its first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The kind.
    pub what: Lost,
    /// How often it occurred.
    pub count: usize,
    /// The offset of the first occurrence, in bytes of the input.
    pub at: usize,
    /// The path of the first occurrence in its value.
    pub path: Path,
}

/// The kinds of loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// An object became null, as the other engine has no such class.
    Object,
    /// An object lost its script.
    Script,
    /// A typed container became untyped.
    ElementType,
    /// The metadata of an object is kept, but the other engine ignores it.
    Metadata,
    /// A RID lost its id.
    Rid,
    /// Text had invalid characters, which became U+FFFD.
    Character,
    /// Components of 64 bits were rounded to 32.
    Precision,
    /// Components of 64 bits were too large for 32, and became infinite.
    Range,
    /// The NodePath "/" became empty.
    RootPath,
    /// Pandemonium misreads what it writes for this value: a Vector4 or Vector4i that is not the last one, a Projection
    /// with less than 184 bytes after it, a PackedVector4Array in which a w is not the z.
    Misread,
    /// The key of a Dictionary is for the other engine the same as an earlier one, whose value is lost.
    Key,
    /// Bytes after a value, which no engine reads, were dropped. Many such losses are a sign of another dialect.
    Rest,
}

/// All losses: one [`Loss`] for each kind.
#[derive(Clone, Debug, Default)]
pub struct Losses(Vec<Loss>);

impl Losses {
    /// Iterates over the losses: each kind once, in the order of first occurrence.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Loss> {
        self.0.iter()
    }

    /// True if nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends the losses of later bytes.
    pub fn append(&mut self, later: Self) {
        for loss in later.0 {
            match self.0.iter_mut().find(|known| known.what == loss.what) {
                Some(known) => known.count += loss.count,
                None => self.0.push(loss),
            }
        }
    }

    pub(super) fn add(&mut self, what: Lost, at: usize, path: impl FnOnce() -> Path) {
        match self.0.iter_mut().find(|known| known.what == what) {
            Some(known) => {
                known.count += 1;
                if known.at <= at {
                    return;
                }
                (known.at, known.path) = (at, path());
            }
            None => self.0.push(Loss { what, count: 1, at, path: path() }),
        }
        // Some are found later than others that come after them.
        self.0.sort_by_key(|loss| loss.at);
    }
}

/// What is said of one loss and of many, in the order of [`Lost`].
const TEXTS: [(&str, &str); 12] = [
    ("object of a class that is gone became null", "objects of classes that are gone became null"),
    ("script of an object was left out", "scripts of objects were left out"),
    ("typed container became untyped", "typed containers became untyped"),
    ("object has metadata that are ignored", "objects have metadata that are ignored"),
    ("RID lost its id", "RIDs lost their ids"),
    ("text has U+FFFD for what is no character", "texts have U+FFFD for what is no character"),
    ("value was rounded to 32 bits", "values were rounded to 32 bits"),
    ("value is too large for 32 bits and became infinite", "values are too large for 32 bits and became infinite"),
    ("NodePath \"/\" became empty", "NodePaths \"/\" became empty"),
    ("value is written that Pandemonium itself misreads", "values are written that Pandemonium itself misreads"),
    (
        "key is the same as an earlier one, whose value is lost",
        "keys are the same as earlier ones, whose values are lost",
    ),
    ("value was followed by bytes that are none of its", "values were followed by bytes that are none of theirs"),
];

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, count, at, path } = self;
        let (one, many) = TEXTS[*what as usize];
        match count {
            1 => write!(f, "1 {one}, at byte {at}{path}"),
            _ => write!(f, "{count} {many}, the first at byte {at}{path}"),
        }
    }
}
