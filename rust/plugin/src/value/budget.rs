//! Limits what the numbers in a value make: a `Curve` with two billion points takes 52 bytes.
//!
//! `costs.txt` has the properties that make an object large or slow, which the suite `hostile/numbers` finds in the
//! running engine. What all of them in a call cost is summed, and limited by its bytes.

use std::fmt::Display;
use std::sync::{Mutex, OnceLock};

use foldhash::{HashMap, HashSet};
use godot::builtin::StringName;
use godot::classes::{ClassDb, Engine};
use godot::obj::Singleton;
use varbatch_codec::{CodecError, CodecErrorKind, Event, Kind, Plain, Reader, Text};

use super::refused;
use crate::engine::can_instantiate;
use crate::jobs::lock;

/// Parts that each call may make, beside one for each [`BYTES_A_PART`] of its values.
const FREE_PARTS: u64 = 1 << 16;

/// An object that is saved with its parts has more bytes for each.
const BYTES_A_PART: usize = 8;

/// A number that a restore need not charge: there are only so many properties.
const SMALL: i64 = 64;

/// In the place of a property: what each object costs by itself.
const NEW: &str = "-";

/// A property whose number is charged.
#[derive(Clone, Copy)]
pub struct Cost {
    /// A `#` or `*` stands for all up to a slash. The number is an index if `#` ends the name, else the value.
    name: &'static str,
    /// What one costs, in parts of about 1 us or 256 bytes; or what the value must be, see [`refused::is_sound`].
    parts: Result<f64, &'static str>,
    /// From so many on they cost in proportion to their square.
    square_from: f64,
    /// True if the number is that of the lines of a text, or of the texts in an array.
    counts_texts: bool,
}

pub type Costs = &'static [Cost];

/// What is charged for objects of a class: also that of the classes that it extends.
#[derive(Clone, Copy, Default)]
pub struct Charges {
    /// For each new object.
    pub new: u64,
    /// For its properties.
    pub costs: Costs,
    is_single: bool,
}

/// Returns the name of a class if an object of it can be made of bytes: the engine dies when a second object of one of its
/// singletons is freed.
pub fn can_make(class: &str) -> Option<StringName> {
    let name = StringName::from(class);
    (can_instantiate(&name) && !is_single(class)).then_some(name)
}

/// True if the engine has one object of a class, or of one that it extends.
pub fn is_single(class: &str) -> bool {
    charges_of(class).is_single
}

/// Asks the engine once about a class and those that it extends.
pub fn charges_of(class: &str) -> Charges {
    static ROWS: OnceLock<Vec<(&str, Cost)>> = OnceLock::new();
    static KNOWN: Mutex<Option<HashMap<String, Charges>>> = Mutex::new(None);
    if let Some(known) = lock(&KNOWN).get_or_insert_default().get(class) {
        return *known;
    }
    let rows = ROWS.get_or_init(|| {
        let rows = include_str!("costs.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
        let row = |row: &'static str| {
            let mut columns = row.split_ascii_whitespace();
            let mut next = || columns.next().unwrap_or("inf");
            let (class, name, parts, square_from) = (next(), next(), next(), next());
            let square_from = square_from.parse().expect("a number");
            let (counts_texts, parts) = (parts.ends_with("/text"), parts.trim_end_matches("/text"));
            (class, Cost { name, parts: parts.parse().map_err(|_| parts), square_from, counts_texts })
        };
        rows.map(row).collect()
    });
    let named = |class: StringName| Some(class).filter(|name| !name.is_empty());
    let parent = |class: &StringName| named(ClassDb::singleton().get_parent_class(class));
    let lineage: Vec<_> = std::iter::successors(named(class.into()), parent).map(|name| name.to_string()).collect();
    let costs = rows.iter().filter(|(of, _)| lineage.iter().any(|name| name == of)).map(|(_, cost)| *cost);
    let (new, costs): (Vec<_>, Vec<_>) = costs.partition(|cost| cost.name == NEW);
    let new = new.iter().filter_map(|cost| cost.parts.ok()).fold(0.0, f64::max) as u64;
    let is_single = lineage.iter().any(|name| Engine::singleton().has_singleton(&StringName::from(name)));
    // There are only so many classes.
    let known = Charges { new, costs: costs.leak(), is_single };
    lock(&KNOWN).get_or_insert_default().insert(class.into(), known);
    known
}

impl Cost {
    /// Returns the number that a property charges, and what stands before it in the name if it is an index there.
    fn number<'n>(&self, name: &'n str, value: impl Fn() -> u64) -> Option<(u64, Option<&'n str>)> {
        let (mut rest, mut index) = (name, None);
        for (place, text) in self.name.split(['#', '*']).enumerate() {
            if place > 0 {
                let before = &name[..name.len() - rest.len()];
                let segment;
                (segment, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                // The engine skips what is no digit, and dies of some that are below 0.
                let digits: String = segment.chars().filter(|char| char.is_ascii_digit() || *char == '-').collect();
                index = Some((if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u64::MAX) }, Some(before)));
            }
            rest = rest.strip_prefix(text)?;
        }
        if self.name.ends_with('#') {
            index
        } else {
            (rest.is_empty() || rest.starts_with('/')).then(|| (value(), None))
        }
    }

    fn of(&self, number: u64, parts: f64) -> u64 {
        let number = number as f64;
        // What is too large becomes the largest.
        (number * parts * (number / self.square_from).max(1.0)) as u64
    }
}

/// What a call may still make.
pub struct Budget {
    left: u64,
    /// How many parts each object, by its place or id, has by the indices in names.
    made: HashMap<u64, HashMap<String, u64>>,
    /// The last class of an object that was restored, and the addresses of the values that were charged.
    restored: Option<(StringName, Costs)>,
    charged: HashSet<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: FREE_PARTS, made: HashMap::default(), restored: None, charged: HashSet::default() }
    }
}

impl Budget {
    pub fn of_bytes(len: usize) -> Self {
        let mut budget = Self::default();
        budget.add_bytes(len);
        budget
    }

    /// Begins a value of this length.
    pub fn add_bytes(&mut self, len: usize) {
        self.left = self.left.saturating_add((len / BYTES_A_PART) as u64);
        self.made.clear();
    }

    /// Charges a property that is to be set to an encoded value, of a class and of an object with an id: once, however often it
    /// is set. False if it costs too much.
    pub fn allows(&mut self, class: &StringName, id: u64, name: &impl Display, value: &[u8]) -> bool {
        let costs = match &self.restored {
            Some((last, costs)) if last == class => costs,
            _ => self.restored.insert((class.clone(), charges_of(&class.to_string()).costs)).1,
        };
        let is_charged = || match Reader::flat(value) {
            Some((Event::Int(number), _)) => !(0..=SMALL).contains(&number),
            Some((Event::Float(number), _)) => number.abs() > SMALL as f64,
            event => !matches!(event, Some((Event::Nil | Event::Bool(_) | Event::Components(_), _))),
        };
        costs.is_empty()
            || !is_charged()
            || !self.charged.insert(value.as_ptr().addr())
            || self.charge((id, &class.to_string()), costs, &name.to_string(), &Reader::new(value)).is_ok()
    }

    /// Charges the parts of a new object: a `FileDialog` has fifty others in it.
    #[inline]
    pub fn charge_new(&mut self, class: &str, parts: u64, at: usize, reader: &Reader<'_>) -> Result<(), CodecError> {
        let text = |left| {
            let expected = format!("objects that make at most {left} parts in so many bytes");
            format!("expected {expected}, found {class}, which makes {parts} (make it in code instead)")
        };
        self.take(parts, text).map_err(|why| reader.error_at(at, why))
    }

    /// Takes so many parts. Fails with a text if there are fewer left.
    fn take(&mut self, parts: u64, text: impl FnOnce(u64) -> String) -> Result<(), CodecErrorKind> {
        let left = self.left.checked_sub(parts);
        self.left = left.ok_or_else(|| CodecErrorKind::Refused(text(self.left)))?;
        Ok(())
    }

    /// Charges a property of an object of a class, when `reader` has read its name.
    pub fn charge(&mut self, of: (u64, &str), costs: Costs, name: &str, reader: &Reader<'_>) -> Result<(), CodecError> {
        let (object, class) = of;
        let at = reader.position();
        let text_of = |expected: &str, found: &str| {
            format!("expected {expected}, found {found} for {name} of {class} (set it from code instead)")
        };
        for cost in costs {
            let number = || match cost.parts {
                Ok(_) if cost.counts_texts => texts_at(reader),
                Ok(_) => number_at(reader),
                Err(_) => 0,
            };
            let Some((number, before_index)) = cost.number(name, number) else { continue };
            let mut parts = match cost.parts {
                Ok(parts) => cost.of(number, parts),
                Err(shape) if refused::is_sound(reader, shape)? => continue,
                Err(_) => {
                    let text = text_of("a value such as the engine stores", "another");
                    return Err(reader.error_at(at, CodecErrorKind::Refused(text)));
                }
            };
            if let Some(before) = before_index {
                // Objects have all parts up to it, and only make those that they do not have.
                let made = self.made.entry(object).or_default().entry(before.into()).or_default();
                (parts, *made) = (parts.saturating_sub(*made), parts.max(*made));
            } else {
                self.made.remove(&object);
            }
            let text = |left| {
                let found =
                    if parts == u64::MAX { "another".into() } else { format!("{number}, which makes {parts},") };
                text_of(&format!("a number that makes at most {left} parts in so many bytes"), &found)
            };
            self.take(parts, text).map_err(|why| reader.error_at(at, why))?;
        }
        Ok(())
    }
}

/// Returns the number in the value that comes next, the count of points, or the sum of those in an Array and their
/// count. 0 for others.
fn number_at(reader: &Reader<'_>) -> u64 {
    use Kind::{PackedVector2Array, PackedVector3Array};
    // The engine keeps the lower 32 bits, whatever is above them, and dies of some that are below 0.
    let size = |number: i64| i32::try_from(number).and_then(u64::try_from).unwrap_or(u64::MAX);
    let (mut reader, around, mut sum) = (reader.clone(), reader.depth(), 0_u64);
    while let Ok(Some(event)) = reader.next_event() {
        sum = sum.saturating_add(match event {
            Event::Int(number) => size(number),
            Event::Float(number) => size(number as i64),
            Event::Packed(Plain { kind: PackedVector2Array | PackedVector3Array, count, .. }) => count as u64,
            Event::Packed(Plain { count: 0, .. }) => 0,
            // The engine also takes what a String or another array says.
            Event::Packed(_) => u64::MAX,
            Event::String(text) if text != Text::Utf8("") => u64::MAX,
            Event::Array { .. } | Event::String(_) | Event::Bool(_) => 0,
            _ => break,
        });
        if !reader.is_inside(around) {
            break;
        }
        sum = sum.saturating_add(1);
    }
    sum
}

/// Returns the number of lines in the text that comes next, or of texts in an array. 0 for others.
fn texts_at(reader: &Reader<'_>) -> u64 {
    match reader.clone().next_event() {
        Ok(Some(Event::String(Text::Utf8(text)) | Event::StringName(Text::Utf8(text)))) => {
            text.bytes().filter(|byte| *byte == b'\n').count() as u64
        }
        Ok(Some(Event::PackedStrings { count } | Event::Array { count, .. })) => count as u64,
        _ => 0,
    }
}
