//! What a translation could not keep.

use std::fmt;

use crate::path::Path;

/// What was lost, so often, and where first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What.
    pub what: Lost,
    /// How often.
    pub count: usize,
    /// Where the first was, in bytes of what was read.
    pub at: usize,
    /// In which part of its value.
    pub path: Path,
}

/// What another engine keeps less of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// An object is null now, as the other engine has no such class.
    Object,
    /// An object has no script any more.
    Script,
    /// A container takes anything now.
    ElementType,
    /// The metadata of an object are there, but the other engine does not look at them.
    Metadata,
    /// A RID has no id any more.
    Rid,
    /// Text had what is no character: U+FFFD is in its place.
    Character,
    /// Components of 64 bits were rounded to 32.
    Precision,
    /// The NodePath "/" is empty now.
    RootPath,
    /// Bytes behind a value, which no engine reads, were left out. Many of them are a sign of another dialect.
    Rest,
}

/// All that was lost: a [`Loss`] for each kind of it.
#[derive(Clone, Debug, Default)]
pub struct Losses(Vec<Loss>);

impl Losses {
    /// Each kind once, in order of the first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Loss> {
        self.0.iter()
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what was lost behind all this.
    pub fn append(&mut self, later: Self) {
        for loss in later.0 {
            match self.0.iter_mut().find(|known| known.what == loss.what) {
                Some(known) => known.count += loss.count,
                None => self.0.push(loss),
            }
        }
    }

    pub(super) fn add(&mut self, what: Lost, place: impl FnOnce() -> (usize, Path)) {
        match self.0.iter_mut().find(|known| known.what == what) {
            Some(known) => known.count += 1,
            None => {
                let (at, path) = place();
                self.0.push(Loss { what, count: 1, at, path });
            }
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, count, at, path } = self;
        let (one, many) = match what {
            Lost::Object => {
                ("object of a class that is gone became null", "objects of classes that are gone became null")
            }
            Lost::Script => ("script of an object was left out", "scripts of objects were left out"),
            Lost::ElementType => ("typed container became untyped", "typed containers became untyped"),
            Lost::Metadata => ("object has metadata that are ignored", "objects have metadata that are ignored"),
            Lost::Rid => ("RID lost its id", "RIDs lost their ids"),
            Lost::Character => {
                ("text has U+FFFD for what is no character", "texts have U+FFFD for what is no character")
            }
            Lost::Precision => ("value was rounded to 32 bits", "values were rounded to 32 bits"),
            Lost::Rest => (
                "value was followed by bytes that are none of its",
                "values were followed by bytes that are none of theirs",
            ),
            Lost::RootPath => ("NodePath \"/\" became empty", "NodePaths \"/\" became empty"),
        };
        match count {
            1 => write!(f, "1 {one}, at byte {at}{path}"),
            _ => write!(f, "{count} {many}, the first at byte {at}{path}"),
        }
    }
}
