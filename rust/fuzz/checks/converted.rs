//! What a translation has to make of each event, and what it has to say of it.

use varbatch_codec::transcode::Lost;
use varbatch_codec::{Dialect, ElementType, Engine, Event, Plain, Text, Width};

use super::grammar::{Due, Grammar};
use super::numbers;
use super::steps::{is_bare, map_texts, plain_of, reader, same_event};

/// The events of a value, with what they begin with, as far as it can be read.
pub struct Source<'a> {
    pub bytes: &'a [u8],
    pub engine: Engine,
    pub events: Vec<(usize, Event<'a>)>,
    /// Where it ends.
    pub end: usize,
    /// Of the reader, where the value is none.
    pub error: Option<varbatch_codec::CodecError>,
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8], engine: Engine, allow_objects: bool) -> Self {
        let mut reader = reader(bytes, engine, allow_objects);
        let mut events = Vec::new();
        let error = loop {
            let at = reader.position();
            match reader.next_event() {
                Ok(Some(event)) => events.push((at, event)),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        Self { bytes, engine, events, end: reader.position(), error }
    }

    fn take(&self, grammar: &mut Grammar, index: usize) {
        let (at, event) = &self.events[index];
        grammar.take_of(event, is_bare(self.bytes, self.engine, *at, event));
    }
}

/// What is lost: how often, where first, and what was due there.
#[derive(Debug)]
pub struct Expected {
    pub what: Lost,
    pub count: usize,
    pub at: usize,
    pub place: Grammar,
}

/// Follows a translation from one dialect to another.
pub struct Conversion {
    pub from: Engine,
    pub to: Dialect,
    pub losses: Vec<Expected>,
    /// Whether the components had another width in between: a NaN is then quiet.
    pub is_back: bool,
}

impl Conversion {
    pub fn new(from: Engine, to: Dialect) -> Self {
        Self { from, to, losses: Vec::new(), is_back: false }
    }

    /// The first event that the other engine has no type for: its place, the name of the type, and what was due there.
    pub fn homeless(&self, source: &Source<'_>) -> Option<(usize, &'static str, Grammar)> {
        let (mut grammar, mut index) = (Grammar::default(), 0);
        while let Some((at, event)) = source.events.get(index) {
            if let Some(what) = self.no_home(event) {
                return Some((*at, what, grammar));
            }
            index = self.behind_script(source, &mut grammar, index);
        }
        None
    }

    /// Whether the events are what the source has to become.
    ///
    /// # Panics
    /// If they are not.
    pub fn check(&mut self, source: &Source<'_>, found: &[Event<'_>]) {
        let (mut grammar, mut index) = (Grammar::default(), 0);
        let mut found = found.iter();
        while let Some((at, event)) = source.events.get(index) {
            let new = found.next().unwrap_or_else(|| panic!("nothing for {event:?} at byte {at}"));
            let is_name = grammar.due() == Due::Name;
            if matches!((event, new), (Event::Object { .. }, Event::Nil)) && self.renames() {
                // Which classes there are not is not known here.
                self.lose(Lost::Object, *at, &grammar);
                index = skip(source, &mut grammar, index);
                continue;
            }
            assert!(self.is_converted(event, new, is_name), "{event:?} at byte {at} became {new:?}");
            let is_script = is_name && self.drops_script(event);
            self.count(*at, event, &grammar);
            if is_script {
                source.take(&mut grammar, index);
                index += 1;
                assert_eq!(found.next(), Some(&Event::Nil), "a script");
                let (at, script) = &source.events[index];
                if !matches!(script, Event::Nil | Event::ObjectId(0)) {
                    self.lose(Lost::Script, *at, &grammar);
                }
                index = skip(source, &mut grammar, index);
            } else {
                source.take(&mut grammar, index);
                index += 1;
            }
        }
        assert_eq!(found.next(), None, "behind the value");
        if source.end < source.bytes.len() {
            self.lose(Lost::Rest, source.end, &grammar);
        }
    }

    /// Passes an event, and the value behind it if that is a script which is dropped.
    fn behind_script(&self, source: &Source<'_>, grammar: &mut Grammar, index: usize) -> usize {
        let is_script = grammar.due() == Due::Name && self.drops_script(&source.events[index].1);
        source.take(grammar, index);
        if is_script { skip(source, grammar, index + 1) } else { index + 1 }
    }

    /// Godot 4 has scripts as paths, the others as objects.
    fn drops_script(&self, name: &Event<'_>) -> bool {
        let is_godot_4 = |engine| engine == Engine::Godot4;
        *name == Event::Text(Text::Utf8("script")) && is_godot_4(self.from) != is_godot_4(self.to.engine)
    }

    /// Whether classes and properties have other names.
    pub fn renames(&self) -> bool {
        let engines = (self.from, self.to.engine);
        matches!(engines, (Engine::Godot3, Engine::Godot4) | (Engine::Godot4, Engine::Godot3))
    }

    fn is_foreign(&self) -> bool {
        self.to.engine != Engine::Godot4
    }

    fn no_home(&self, event: &Event<'_>) -> Option<&'static str> {
        let has = |kind: u8| numbers::number(self.to.engine, kind).is_some();
        match event {
            Event::Components(plain) | Event::Packed(plain) => (!has(plain.kind.id())).then_some(plain.kind.name()),
            Event::Callable => (!has(25)).then_some("Callable"),
            Event::Signal { .. } => (!has(26)).then_some("Signal"),
            _ => None,
        }
    }

    fn is_converted(&self, old: &Event<'_>, new: &Event<'_>, is_name: bool) -> bool {
        let rid = if self.is_foreign() { 0 } else { u64::MAX };
        match (*old, *new) {
            (Event::Components(old), Event::Components(new)) | (Event::Packed(old), Event::Packed(new)) => {
                self.is_same_plain(old, new)
            }
            (Event::StringName(old), Event::String(new)) => {
                numbers::number(self.to.engine, 21).is_none() && old.to_utf8() == new.to_utf8()
            }
            (Event::StringName(_), _) if numbers::number(self.to.engine, 21).is_none() => false,
            (Event::ObjectId(0), new) => new == Event::Nil,
            (Event::Rid(old), Event::Rid(new)) => new == old & rid,
            (Event::NodePath { names: 0, subnames: 0, absolute }, new) => {
                let absolute = absolute && !self.is_foreign();
                new == Event::NodePath { names: 0, subnames: 0, absolute }
            }
            (Event::Array { element, count }, new) => {
                let element = match element {
                    element if !self.keeps(element) => ElementType::Any,
                    // Without a name it is any object.
                    ElementType::Class(class) if self.is_foreign() && class.is_empty() => {
                        ElementType::Builtin(varbatch_codec::Kind::Object)
                    }
                    element => element,
                };
                same_event(&Event::Array { element, count }, &new)
            }
            (Event::Dictionary { count, .. }, new) if self.is_foreign() => {
                new == Event::Dictionary { key: ElementType::Any, value: ElementType::Any, count }
            }
            (Event::Object { count, .. }, Event::Object { count: new, .. }) if self.renames() => count == new,
            (Event::Text(_), Event::Text(_)) if is_name && self.renames() => true,
            (old, new) => same_event(&old, &new),
        }
    }

    /// Whether an array can say that this is in it.
    fn keeps(&self, element: ElementType<'_>) -> bool {
        match (self.to.engine, element) {
            (_, ElementType::Any) | (Engine::Godot4, _) => true,
            (Engine::Pandemonium, ElementType::Builtin(kind)) => {
                numbers::number(Engine::Pandemonium, kind.id()).is_some()
            }
            (Engine::Pandemonium, ElementType::Class(_)) => true,
            _ => false,
        }
    }

    fn is_same_plain(&self, old: Plain<'_>, new: Plain<'_>) -> bool {
        let width = if old.kind.shape().is_real() { self.to.real } else { old.width };
        let head = (new.kind, new.count, new.width) == (old.kind, old.count, width);
        let same = |old: f64, new: f64| old.to_bits() == new.to_bits() || old.is_nan() && new.is_nan();
        head && match (old.width, width) {
            (Width::Double, Width::Single) => {
                let pairs = singles(new.bytes).zip(doubles(old.bytes));
                new.bytes.len() * 2 == old.bytes.len() && { pairs }
                    .all(|(new, old)| same((old as f32).into(), new.into()))
            }
            (Width::Single, Width::Double) => {
                let pairs = doubles(new.bytes).zip(singles(old.bytes));
                new.bytes.len() == old.bytes.len() * 2 && { pairs }.all(|(new, old)| same(old.into(), new))
            }
            (Width::Single, Width::Single) if self.is_back && old.kind.shape().is_real() => {
                singles(old.bytes).zip(singles(new.bytes)).all(|(old, new)| same(old.into(), new.into()))
            }
            (Width::Double, Width::Double) if self.is_back => {
                doubles(old.bytes).zip(doubles(new.bytes)).all(|(old, new)| same(old, new))
            }
            _ => old.bytes == new.bytes,
        }
    }

    /// Counts what is lost of an event.
    fn count(&mut self, at: usize, event: &Event<'_>, place: &Grammar) {
        let (is_foreign, is_name) = (self.is_foreign(), place.due() == Due::Name);
        let is_lost = match *event {
            Event::Rid(id) => is_foreign && id != 0,
            Event::NodePath { names: 0, subnames: 0, absolute } => is_foreign && absolute,
            Event::Array { element, .. } => !self.keeps(element),
            Event::Text(name) if is_name => self.renames() && name == Text::Utf8("__meta__"),
            Event::Dictionary { key, value, .. } => is_foreign && (key, value) != (ElementType::Any, ElementType::Any),
            _ => false,
        };
        if is_lost {
            let what = match event {
                Event::Rid(_) => Lost::Rid,
                Event::NodePath { .. } => Lost::RootPath,
                Event::Text(_) => Lost::Metadata,
                _ => Lost::ElementType,
            };
            self.lose(what, at, place);
        }
        let narrowed = plain_of(event).filter(|plain| plain.width == Width::Double && self.to.real == Width::Single);
        if let Some(plain) = narrowed {
            let changes = || doubles(plain.bytes).filter(|&wide| f64::from(wide as f32) != wide && !wide.is_nan());
            if changes().any(|wide| (wide as f32).is_infinite()) {
                self.lose(Lost::Range, at, place);
            } else if changes().next().is_some() {
                self.lose(Lost::Precision, at, place);
            }
        }
        let mut is_lossy = false;
        map_texts(event, |text| {
            is_lossy |= matches!(text, Text::Loose(text) if text.is_lossy());
            text
        });
        if is_lossy {
            self.lose(Lost::Character, at, place);
        }
    }

    fn lose(&mut self, what: Lost, at: usize, place: &Grammar) {
        match self.losses.iter_mut().find(|known| known.what == what) {
            Some(known) => known.count += 1,
            None => self.losses.push(Expected { what, count: 1, at, place: place.clone() }),
        }
    }
}

/// Passes a whole value; gives the index behind it, or that of the end.
fn skip(source: &Source<'_>, grammar: &mut Grammar, mut index: usize) -> usize {
    let depth = grammar.depth();
    while index < source.events.len() {
        source.take(grammar, index);
        index += 1;
        if grammar.depth() <= depth && grammar.due() != Due::Text {
            break;
        }
    }
    index
}

fn singles(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes))
}

fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> {
    bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes))
}
