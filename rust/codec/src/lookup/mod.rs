//! Finds the value at a path. Skips all other values by their lengths and counts, without decoding them.
//!
//! A path leads to the same value as in the decoded value. Bytes outside the path are not checked, so the sound parts
//! of a damaged value can still be read.
//!
//! ```
//! use varbatch_codec::Dialect;
//! use varbatch_codec::lookup::{Seek, Target, lookup};
//!
//! // [true, 7], and the index 1, as Godot 4 encodes them.
//! let bytes = [28, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];
//! let index = [2, 0, 0, 0, 1, 0, 0, 0];
//! let found = lookup(&bytes, 0, Dialect::GODOT_4, &[Seek::Key(&index)])?;
//! assert_eq!(found, Target::Value { at: 16, bytes: &bytes[16..] });
//! # Ok::<(), varbatch_codec::lookup::LookupError>(())
//! ```

mod error;
mod key;
mod quick;

use self::error::after;
pub use self::error::{LookupError, LookupErrorKind};
use self::key::{Key, is_same_text};
use self::quick::Quick;
use crate::change::{PatchErrorKind, StepKind};
use crate::describe::Way;
use crate::dialect::{Dialect, Engine};
use crate::error::{CodecError, CodecErrorKind, ValuePart};
use crate::event::{Event, Plain, Text};
use crate::kind::{Kind, Width};
use crate::path::Step;
use crate::reader::Reader;

/// One step of a path.
#[derive(Clone, Copy)]
pub enum Seek<'p> {
    /// Seeks the element with this index, the value of this key, or the property of this name. The step is an encoded
    /// value in the same dialect, as in a [`ChangeStep`](crate::change::ChangeStep): an int, a key, or a String or
    /// StringName.
    Key(&'p [u8]),
    /// Seeks the value of the only entry or property for which `is` returns true.
    Where {
        /// Called for each entry or property.
        is: &'p dyn Fn(Way<'_>) -> bool,
        /// Its name in an error.
        name: &'p str,
    },
    /// Seeks the key of this entry of a Dictionary.
    KeyOf(usize),
}

/// The value, element or text that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'a> {
    /// A value.
    Value {
        /// Its offset, in bytes.
        at: usize,
        /// The value.
        bytes: &'a [u8],
    },
    /// An element without a header, in a packed array or one of Pandemonium's arrays without headers.
    Element {
        /// Its offset, in bytes.
        at: usize,
        /// The element: `count` is 1.
        plain: Plain<'a>,
    },
    /// An element of a PackedStringArray.
    Text {
        /// The offset of its length, in bytes.
        at: usize,
        /// The text.
        text: Text<'a>,
    },
}

/// Follows `path` from the value at the start of `bytes`. Offsets count from `base` bytes before it.
///
/// If a key or a name occurs more than once, the last one counts, as in decoding; before damage, the last one that can
/// be reached. It takes about as long as [`diff`](crate::change::diff()) takes to skip as many equal bytes.
///
/// # Errors
/// If a step leads nowhere, or the value is damaged along the path.
pub fn lookup<'a>(
    bytes: &'a [u8],
    base: usize,
    dialect: Dialect,
    path: &[Seek<'_>],
) -> Result<Target<'a>, LookupError> {
    let mut follower = Follower::new(bytes, base, dialect);
    let mut done = Vec::with_capacity(path.len());
    for (index, seek) in path.iter().enumerate() {
        let end = match follower.step(*seek) {
            Ok((step, end)) => {
                done.push(step);
                end
            }
            Err(failed) => return Err(after(failed, done)),
        };
        let more = path.len() - index - 1;
        match end {
            None => {}
            Some(target) if more == 0 => return Ok(target),
            Some(target) => {
                let kind = match target {
                    Target::Element { plain, .. } => plain.kind,
                    _ => Kind::PackedStringArray,
                };
                return Err(after(PatchErrorKind::TooLong { kind, more }, done));
            }
        }
    }
    match follower.end() {
        Ok(end) => Ok(Target::Value { at: base + follower.at, bytes: &bytes[follower.at..end] }),
        Err(error) => Err(after(error, done)),
    }
}

/// Like [`lookup`] for keys alone, and faster: if a text is the key of several entries, which no engine writes, the first
/// one counts, and what follows it is not looked at. Returns `None` if a step leads nowhere.
///
/// # Errors
/// If the value is damaged along the path.
pub fn find<'a>(
    bytes: &'a [u8],
    base: usize,
    dialect: Dialect,
    path: &[&[u8]],
) -> Result<Option<Target<'a>>, CodecError> {
    let mut follower = Follower::new(bytes, base, dialect);
    let mut skim = follower.reader(0).skim();
    for (index, &step) in path.iter().enumerate() {
        if dialect.engine == Engine::Godot4 {
            match quick::step(bytes, follower.at, step, &mut skim) {
                Quick::To(at) => {
                    follower.at = at;
                    continue;
                }
                Quick::Nowhere => return Ok(None),
                Quick::Unsure => {}
            }
        }
        match follower.step(Seek::Key(step)) {
            Ok((_, None)) => {}
            Ok((_, Some(target))) => return Ok((index + 1 == path.len()).then_some(target)),
            Err(LookupErrorKind::NoStep(_)) => return Ok(None),
            Err(LookupErrorKind::Damaged(error)) => return Err(within(bytes, base, dialect, &path[..index], error)),
        }
    }
    match skim.end_of(follower.at) {
        Ok(end) => Ok(Some(Target::Value { at: base + follower.at, bytes: &bytes[follower.at..end] })),
        Err(error) => Err(within(bytes, base, dialect, path, follower.end().err().unwrap_or(error))),
    }
}

/// Puts `path`, which [`find`] followed, before the path of an error about a part of its target.
#[cold]
pub fn within(bytes: &[u8], base: usize, dialect: Dialect, path: &[&[u8]], error: CodecError) -> CodecError {
    let mut follower = Follower::new(bytes, base, dialect);
    let steps = path.iter().map_while(|step| follower.step(Seek::Key(step)).ok()).map(|(step, _)| step);
    steps.collect::<Vec<_>>().into_iter().rev().fold(error, CodecError::within)
}

/// Returns the type of the elements of a packed array; for an array without headers, `kind` itself.
pub const fn element_kind(kind: Kind) -> Kind {
    match kind {
        Kind::PackedByteArray | Kind::PackedInt32Array | Kind::PackedInt64Array => Kind::Int,
        Kind::PackedFloat32Array | Kind::PackedFloat64Array => Kind::Float,
        Kind::PackedVector2Array => Kind::Vector2,
        Kind::PackedVector3Array => Kind::Vector3,
        Kind::PackedVector4Array => Kind::Vector4,
        Kind::PackedColorArray => Kind::Color,
        kind => kind,
    }
}

/// Follows a path. `at` is the offset of the current value.
struct Follower<'a> {
    bytes: &'a [u8],
    base: usize,
    dialect: Dialect,
    at: usize,
}

/// A step for error paths, and its target, unless that is a value with a header.
type Came<'a> = (Step, Option<Target<'a>>);

impl<'a> Follower<'a> {
    fn new(bytes: &'a [u8], base: usize, dialect: Dialect) -> Self {
        Self { bytes, base, dialect, at: 0 }
    }

    /// Returns a reader of the value that begins at `at`. It trusts counts, as nothing is allocated for them.
    fn reader(&self, at: usize) -> Reader<'a> {
        let bytes = self.bytes.get(at..).unwrap_or_default();
        Reader::new(bytes).with_base(self.base + at).with_dialect(self.dialect).with_objects(true).with_trusted_counts()
    }

    /// Finds where the current value ends.
    fn end(&self) -> Result<usize, CodecError> {
        let mut lookahead = self.reader(self.at).skim();
        Ok(self.at + lookahead.end_of(0)?)
    }

    fn step(&mut self, seek: Seek<'_>) -> Result<Came<'a>, LookupErrorKind> {
        let mut reader = self.reader(self.at);
        let kind = reader.peek_kind()?;
        let event = reader.next_event()?.expect("a value has an event");
        match event {
            Event::Array { count, .. } => self.element(seek, count, reader),
            Event::Dictionary { count, .. } => self.entry(seek, count, reader.position()),
            Event::Object { count, .. } => self.property(seek, count, reader.position()),
            Event::Packed(plain) => {
                let index = index(seek, self.dialect, kind, plain.count)?;
                let len = plain.bytes.len() / plain.count;
                // After the header and the count.
                let at = self.base + self.at + 2 * 4 + index * len;
                let plain = Plain { count: 1, bytes: &plain.bytes[index * len..][..len], ..plain };
                Ok((Step::Index(index), Some(Target::Element { at, plain })))
            }
            Event::PackedStrings { count } => {
                let index = index(seek, self.dialect, kind, count)?;
                for _ in 0..index {
                    reader.pass_text()?;
                }
                let at = self.base + self.at + reader.position();
                let text = reader.next_text()?.expect("the index is that of a text");
                Ok((Step::Index(index), Some(Target::Text { at, text })))
            }
            _ => Err(PatchErrorKind::NotInside { found: kind }.into()),
        }
    }

    fn element(&mut self, seek: Seek<'_>, count: usize, reader: Reader<'a>) -> Result<Came<'a>, LookupErrorKind> {
        let index = index(seek, self.dialect, Kind::Array, count)?;
        let inside = self.at + reader.position();
        if let Some(kind) = reader.bare_kind() {
            let width = Width::Single;
            let len = kind.shape().element_len(width).expect("made of components");
            let at = inside.saturating_add(index.saturating_mul(len));
            let Some(bytes) = self.bytes.get(at..at.saturating_add(len)) else {
                let place = ValuePart::of(kind);
                let (at, found) = (at.min(self.bytes.len()), self.bytes.len().saturating_sub(at));
                return Err(
                    CodecError::new(self.base + at, CodecErrorKind::Short { place, expected: len, found }).into()
                );
            };
            let plain = Plain { kind, width, count: 1, bytes };
            return Ok((Step::Index(index), Some(Target::Element { at: self.base + at, plain })));
        }
        self.at = inside;
        if index > 0 {
            let mut lookahead = self.reader(inside).skim();
            lookahead.start(0, 0);
            lookahead.search(usize::MAX, index)?;
            self.at += lookahead.end;
        }
        Ok((Step::Index(index), None))
    }

    fn entry(&mut self, seek: Seek<'_>, count: usize, head: usize) -> Result<Came<'a>, LookupErrorKind> {
        let wanted = wanted(seek, self.dialect)?;
        let start = self.at + head;
        let mut lookahead = self.reader(start).skim();
        let (mut at, mut found) = (0, None);
        for entry in 0..count {
            let key_at = start + at;
            let end = match lookahead.end_of(at) {
                Err(_) if found.is_some() => break,
                end => end?,
            };
            if let Seek::KeyOf(number) = seek {
                if number == entry {
                    self.at = key_at;
                    return Ok((Step::KeyOf(entry), None));
                }
            } else {
                let bytes = &self.bytes[key_at..start + end];
                let mut reader = self.reader(key_at);
                let kind = reader.peek_kind()?;
                let event = match reader.next_event() {
                    // A text that is not UTF-8.
                    Err(_) if found.is_some() => break,
                    event => event?.expect("a value has an event"),
                };
                let is = match (seek, &wanted) {
                    (Seek::Where { is, .. }, _) => is(Way::Key { bytes, kind, event }),
                    (_, Some(wanted)) => wanted.is(bytes, event),
                    _ => false,
                };
                if is {
                    refuse_second(seek, "key", found.is_some())?;
                    found = Some((start + end, Step::to_key(kind, Some(event).filter(|_| kind != Kind::Object))));
                }
            }
            at = match lookahead.end_of(end) {
                Err(_) if found.is_some() => break,
                end => end?,
            };
        }
        let Some((at, step)) = found else {
            return Err(PatchErrorKind::NotThere { what: "key", found: shown(seek, wanted) }.into());
        };
        self.at = at;
        Ok((step, None))
    }

    fn property(&mut self, seek: Seek<'_>, count: usize, head: usize) -> Result<Came<'a>, LookupErrorKind> {
        let wanted = wanted(seek, self.dialect)?;
        if wanted.as_ref().is_some_and(|key| key.text().is_none()) || matches!(seek, Seek::KeyOf(_)) {
            return Err(PatchErrorKind::WrongStep { expected: StepKind::Name, found: shown(seek, wanted) }.into());
        }
        let start = self.at + head;
        let mut lookahead = self.reader(start).skim();
        let (mut at, mut found) = (0, None);
        for _ in 0..count {
            let mut names = self.reader(start + at);
            let name = match names.next_name() {
                Err(_) if found.is_some() => break,
                name => name?,
            };
            let value = at + names.position();
            let is = match (seek, wanted.as_ref().and_then(Key::text)) {
                (Seek::Where { is, .. }, _) => is(Way::Property(name)),
                (_, Some(wanted)) => is_same_text(wanted, name),
                _ => false,
            };
            if is {
                refuse_second(seek, "property", found.is_some())?;
                found = Some((start + value, Step::to_property(name)));
            }
            at = match lookahead.end_of(value) {
                Err(_) if found.is_some() => break,
                end => end?,
            };
        }
        let Some((at, step)) = found else {
            return Err(PatchErrorKind::NotThere { what: "property", found: shown(seek, wanted) }.into());
        };
        self.at = at;
        Ok((step, None))
    }
}

/// Refuses a second key or property that matches a condition.
fn refuse_second(seek: Seek<'_>, what: &'static str, is_second: bool) -> Result<(), PatchErrorKind> {
    match seek {
        Seek::Where { name, .. } if is_second => Err(PatchErrorKind::Twice { what, found: name.into() }),
        _ => Ok(()),
    }
}

/// Reads a step that must be the index of one of `count` elements.
fn index(seek: Seek<'_>, dialect: Dialect, kind: Kind, count: usize) -> Result<usize, PatchErrorKind> {
    let wanted = wanted(seek, dialect)?;
    let Some(Key { event: Event::Int(found), .. }) = wanted else {
        return Err(PatchErrorKind::WrongStep { expected: StepKind::Index(kind), found: shown(seek, wanted) });
    };
    usize::try_from(found).ok().filter(|&index| index < count).ok_or(PatchErrorKind::NoElement { kind, count, found })
}

/// Reads the key that a step seeks, if it seeks one.
fn wanted(seek: Seek<'_>, dialect: Dialect) -> Result<Option<Key<'_>>, PatchErrorKind> {
    if let Seek::Key(bytes) = seek { Key::of(bytes, dialect).map(Some) } else { Ok(None) }
}

/// Returns the step as an error shows it.
fn shown(seek: Seek<'_>, wanted: Option<Key<'_>>) -> String {
    match (seek, wanted) {
        (Seek::Where { name, .. }, _) => name.into(),
        (Seek::KeyOf(entry), _) => format!("number {entry}"),
        (Seek::Key(_), Some(key)) => key.shown(),
        (Seek::Key(_), None) => "no value".into(),
    }
}
