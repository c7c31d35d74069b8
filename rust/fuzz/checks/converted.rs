//! What a translation has to make of each event, and what it has to say of it.

use std::ops::Range;

use varbatch_codec::transcode::Lost;
use varbatch_codec::{Dialect, ElementType, Engine, Event, Kind, Plain, Text, Width};

use super::arrays;
use super::grammar::{Due, Grammar};
use super::numbers;
use super::steps::{is_any_object, is_bare, map_texts, plain_of, reader, same_event};

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
    pub fn check(&mut self, source: &Source<'_>, found: &Source<'_>) {
        let (mut grammar, mut index) = (Grammar::default(), 0);
        let len = found.end;
        let mut found = found.events.iter();
        let events: Vec<_> = source.events.iter().map(|(_, event)| *event).collect();
        let mixed = match self.to.engine {
            Engine::Pandemonium => arrays::mixed(&events, &|element| self.keeps(element)),
            _ => Vec::new(),
        };
        while let Some((at, event)) = source.events.get(index) {
            let (new_at, new) = found.next().unwrap_or_else(|| panic!("nothing for {event:?} at byte {at}"));
            let is_mixed = mixed.contains(&index);
            let is_name = grammar.due() == Due::Name;
            if matches!((event, new), (Event::Object { .. }, Event::Nil)) && self.renames() {
                // Which classes there are not is not known here.
                self.lose(Lost::Object, *at, &grammar);
                index = skip(source, &mut grammar, index);
                continue;
            }
            assert!(self.is_converted(event, new, is_name, is_mixed), "{event:?} at byte {at} became {new:?}");
            let is_script = is_name && self.drops_script(event);
            self.count(*at, event, is_mixed, &grammar);
            if self.is_misread(new, len - new_at, index + 1 == source.events.len()) {
                self.lose(Lost::Misread, *at, &grammar);
            }
            if is_script {
                source.take(&mut grammar, index);
                index += 1;
                assert_eq!(found.next().map(|(_, event)| event), Some(&Event::Nil), "a script");
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
        self.count_keys(source);
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

    fn is_converted(&self, old: &Event<'_>, new: &Event<'_>, is_name: bool, is_mixed: bool) -> bool {
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
                    element if is_mixed || !self.keeps(element) => ElementType::Any,
                    element if self.is_foreign() && is_any_object(element) => ElementType::Class(Text::Utf8("Object")),
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
    fn count(&mut self, at: usize, event: &Event<'_>, is_mixed: bool, place: &Grammar) {
        let (is_foreign, is_name) = (self.is_foreign(), place.due() == Due::Name);
        let is_lost = match *event {
            Event::Rid(id) => is_foreign && id != 0,
            Event::NodePath { names: 0, subnames: 0, absolute } => is_foreign && absolute,
            Event::Array { element, .. } => is_mixed || !self.keeps(element),
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

    /// Whether Pandemonium reads what it writes for this as something else. `left` bytes begin with it.
    fn is_misread(&self, new: &Event<'_>, left: usize, is_last: bool) -> bool {
        if !matches!(self.to.engine, Engine::Pandemonium | Engine::Pandemonium38) {
            return false;
        }
        plain_of(new).is_some_and(|plain| match plain.kind {
            Kind::Vector4 | Kind::Vector4i => !is_last,
            Kind::Projection => left < 4 + 248,
            Kind::PackedVector4Array => plain.bytes.chunks(16).any(|vector| vector[8..12] != vector[12..16]),
            _ => false,
        })
    }

    /// Counts the keys that are the same as earlier ones for the other engine alone.
    fn count_keys(&mut self, source: &Source<'_>) {
        let (from, to) = (self.from, self.to.engine);
        if from == Engine::Godot4 || from == to || !matches!(to, Engine::Godot4 | Engine::Godot3) {
            return;
        }
        let mut same = Vec::new();
        value(source, 0, to == Engine::Godot4, &mut same);
        same.sort_unstable();
        for index in same {
            let mut place = Grammar::default();
            (0..index).for_each(|index| source.take(&mut place, index));
            self.lose(Lost::Key, source.events[index].0, &place);
        }
    }

    fn lose(&mut self, what: Lost, at: usize, place: &Grammar) {
        match self.losses.iter_mut().find(|known| known.what == what) {
            Some(known) => known.count += 1,
            None => self.losses.push(Expected { what, count: 1, at, place: place.clone() }),
        }
    }
}

/// Gives the index behind a value, and the indices of keys in it that are the same as earlier ones in Godot 4.
fn value(source: &Source<'_>, index: usize, of_containers: bool, same: &mut Vec<usize>) -> usize {
    let Some((_, event)) = source.events.get(index) else { return index };
    let mut end = index + 1;
    match *event {
        Event::NodePath { names, subnames, .. } => end += names + subnames,
        Event::PackedStrings { count } => end += count,
        Event::Array { count, .. } => (0..count).for_each(|_| end = value(source, end, of_containers, same)),
        Event::Object { count, .. } => (0..count).for_each(|_| end = value(source, end + 1, of_containers, same)),
        Event::Dictionary { count, .. } => {
            let mut keys = Vec::new();
            for _ in 0..count {
                let behind = value(source, end, of_containers, same);
                let key = Key::of(source, end..behind, of_containers);
                let is_same = |other: &Key| other.same == key.same && (other.form != key.form || key.is_container);
                let is_known = |other: &Key| other.same == key.same && other.form == key.form && !key.is_container;
                if key.same.is_some() && keys.iter().any(is_same) && !keys.iter().any(is_known) {
                    same.push(end);
                }
                keys.push(key);
                end = value(source, behind, of_containers, same);
            }
        }
        _ => {}
    }
    end
}

/// What makes a key the same as another one in Godot 4, and its form elsewhere.
struct Key {
    same: Option<Vec<u8>>,
    form: u8,
    is_container: bool,
}

impl Key {
    fn of(source: &Source<'_>, indices: Range<usize>, of_containers: bool) -> Self {
        let (at, event) = source.events[indices.start];
        let behind = source.events.get(indices.end).map_or(source.end, |(at, _)| *at);
        let is_object = |(_, event): &(usize, Event<'_>)| matches!(event, Event::Object { .. } | Event::ObjectId(1..));
        let is_dictionary = |(_, event): &(usize, Event<'_>)| matches!(event, Event::Dictionary { .. });
        let events = &source.events[indices];
        let is_whole = of_containers && behind - at <= 16 << 10;
        let is_compared = || is_whole && events.iter().any(is_dictionary) && !events.iter().any(is_object);
        let text = |text: Text<'_>| Some([b"text", text.to_utf8().as_bytes()].concat());
        let (same, form, is_container) = match event {
            Event::Nil => (Some(b"null".to_vec()), 0, false),
            Event::ObjectId(0) => (Some(b"null".to_vec()), 1, false),
            Event::String(name) => (text(name), 0, false),
            Event::StringName(name) => (text(name), 1, false),
            Event::Array { .. } | Event::Dictionary { .. } => {
                (is_compared().then(|| source.bytes[at..behind].to_vec()), 0, true)
            }
            _ => (None, 0, false),
        };
        Self { same, form, is_container }
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
