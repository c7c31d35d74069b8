//! Values as bytes, with references to what bytes cannot hold.

use godot::builtin::{GString, Variant};
use varbatch_codec::{CodecError, Copied, Event, Keep, Kind, Mark, Reader, Writer, fill};
use varbatch_workers::Threads;

use crate::engine::{self, DIALECT, Slot, Value, View, chars};
use crate::value::build::{Build, MayAsk};
use crate::value::string_cache::Texts;
use crate::value::walk::{Target, TargetNow, walk};

/// Values to read before they are encoded: as many as fit in the cache.
pub const BATCH: usize = 16_000;

/// Min values for which several threads encode them.
const PARALLEL_FROM: usize = 2000;

/// Runs of values per thread.
const RUNS: usize = 4;

/// Encoded values, end to end.
#[derive(Default)]
pub struct States {
    bytes: Vec<u8>,
    /// Values that bytes cannot hold, or not in full: see [`Keeping`].
    kept: Vec<Slot>,
}

/// The range of a value in its [`States`]. Empty if it could not be encoded, or if there is no such property.
#[derive(Clone, Copy, Default)]
pub struct Span {
    at: usize,
    /// A u32 is enough: a value has up to 2 GiB, and at most one kept value per 4 bytes.
    len: u32,
    kept_count: u32,
    kept_at: usize,
}

/// One value. Empty if it could not be encoded, or if there is no such property.
#[derive(Clone, Copy)]
pub struct State<'a> {
    pub bytes: &'a [u8],
    pub kept: &'a [Value],
}

impl States {
    /// Encodes values, and adds a span for each; an empty one for each that fails, whose index and error it returns.
    pub fn encode(&mut self, values: &[Slot], spans: &mut Vec<Span>) -> Vec<(usize, CodecError)> {
        let values = Slot::values(values);
        crate::jobs::pool::with(values.len() >= PARALLEL_FROM, |threads| {
            let len = values.len().div_ceil(threads.count() * RUNS).max(PARALLEL_FROM / RUNS);
            let runs = threads.map(values.chunks(len), encode_run);
            let mut errors = Vec::new();
            for (run, (states, run_spans, run_errors)) in runs.into_iter().enumerate() {
                errors.extend(run_errors.into_iter().map(|(index, error)| (run * len + index, error)));
                self.append(states, &run_spans, spans);
            }
            errors
        })
    }

    pub fn append(&mut self, mut other: Self, others: &[Span], spans: &mut Vec<Span>) {
        let (bytes, kept) = (self.bytes.len(), self.kept.len());
        spans.extend(others.iter().map(|span| Span { at: span.at + bytes, kept_at: span.kept_at + kept, ..*span }));
        if self.bytes.is_empty() && self.kept.is_empty() {
            *self = other;
        } else {
            self.bytes.append(&mut other.bytes);
            self.kept.append(&mut other.kept);
        }
    }

    pub fn add(&mut self, state: State<'_>) -> Span {
        let span = Span {
            at: self.bytes.len(),
            len: state.bytes.len() as u32,
            kept_at: self.kept.len(),
            kept_count: state.kept.len() as u32,
        };
        self.bytes.extend_from_slice(state.bytes);
        self.kept.extend(state.kept.iter().map(Slot::of));
        span
    }

    pub fn get(&self, span: Span) -> State<'_> {
        State {
            bytes: &self.bytes[span.at..][..span.len as usize],
            kept: &Slot::values(&self.kept)[span.kept_at..][..span.kept_count as usize],
        }
    }
}

/// Returns a copy of a value with containers of its own, and the same objects. Fails if it cannot be encoded.
pub fn copy_of(value: &Value) -> Result<Slot, CodecError> {
    let (states, spans, errors) = encode_run(std::slice::from_ref(value));
    let copy = || Slot::with(|slot| states.get(spans[0]).build(slot, &mut Texts::for_bytes(states.bytes.len())));
    errors.into_iter().next().map_or_else(|| Ok(copy()), |(_, error)| Err(error))
}

/// Encodes values on one thread. Returns their states, a span for each, and the indices and errors of those that fail.
fn encode_run(values: &[Value]) -> (States, Vec<Span>, Vec<(usize, CodecError)>) {
    let mut target = Keeping { writer: Writer::new(DIALECT), kept: Vec::new() };
    let (mut spans, mut errors) = (Vec::with_capacity(values.len()), Vec::new());
    for (index, value) in values.iter().enumerate() {
        let (start, kept_at) = (target.writer.mark(), target.kept.len());
        let walked = walk(value, &mut target);
        match walked.and_then(|()| target.writer.end_value(start)) {
            Ok(()) => {
                let (at, end) = (start.position(), target.position());
                let (len, kept_count) = ((end - at) as u32, (target.kept.len() - kept_at) as u32);
                spans.push(Span { at, len, kept_at, kept_count });
            }
            Err(error) => {
                target.writer.drop_value(start);
                target.kept.truncate(kept_at);
                spans.push(Span::default());
                errors.push((index, error.map_at(|at| at - start.position().min(at))));
            }
        }
    }
    let plan = target.writer.plan();
    let bytes = fill::to_vec(plan.part(Mark::default(), plan.mark()));
    (States { bytes, kept: target.kept }, spans, errors)
}

impl<'a> State<'a> {
    pub fn is_none(self) -> bool {
        self.bytes.is_empty()
    }

    /// True if two values have the same bytes and the same kept values. Only for the thread of the call.
    pub fn is_same(self, other: Self) -> bool {
        self.bytes == other.bytes && self.keeps_same(other)
    }

    /// True if it is the state of a value.
    pub fn is_of(self, value: &Value) -> bool {
        let (states, spans, _) = encode_run(std::slice::from_ref(value));
        self.is_same(states.get(spans[0]))
    }

    pub fn keeps_same(self, other: Self) -> bool {
        self.kept.iter().zip(other.kept).all(|(one, other)| is_same_kept(one, other))
    }

    pub fn kind(self) -> Kind {
        // A value begins with its type.
        let kind = self.bytes.first().and_then(|&id| Kind::from_id(id)).unwrap_or(Kind::Nil);
        match (kind, self.kept) {
            (Kind::Callable, [kept]) => kept.view().kind(),
            (kind, _) => kind,
        }
    }

    pub fn reader(self) -> Reader<'a> {
        Reader::new(self.bytes).with_objects(true)
    }

    /// Builds a new copy of the value, null if there is none. Objects are the same as before, or null if they were freed.
    pub fn build(self, slot: &mut Slot, texts: &mut Texts) {
        if self.is_none() {
            return slot.clear();
        }
        let alone = Threads::alone();
        let mut build = Build::new(self.reader(), texts, &alone, MayAsk::Conversions).keeping(self.kept);
        // This cannot fail, because the bytes were encoded here. If it did, the slot would be empty.
        let built = build.build(slot);
        debug_assert!(built.is_ok(), "{built:?}");
    }
}

/// True if two kept values are the same. Only for the thread of the call.
pub fn is_same_kept(one: &Value, other: &Value) -> bool {
    match (one.view().kind(), other.view().kind()) {
        (Kind::Object, Kind::Object) => one.object_id() == other.object_id(),
        (kind, other_kind) => kind == other_kind && one.variant() == other.variant(),
    }
}

/// Plans the walked values, and borrows long payloads. Keeps, in walk order, objects, Callables, the scripts of typed
/// containers, and texts that do not survive UTF-8, which are written as Callables. [`Build::keeping`] restores them.
struct Keeping<'p> {
    writer: Writer<'p>,
    kept: Vec<Slot>,
}

impl<'a: 'p, 'p> Target<'a> for Keeping<'p> {
    #[inline(always)]
    fn put<K: Keep<'a, 'static>>(&mut self, event: Event<'a>, _: K) -> Result<(), CodecError> {
        self.writer.write(event)
    }
}

impl TargetNow for Keeping<'_> {
    #[inline(always)]
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    fn whole(&mut self, view: View<'_>) -> Result<bool, CodecError> {
        let is_exact = match view.kind() {
            Kind::String => is_exact(view.string()),
            Kind::PackedStringArray => view.strings().iter().all(|text| is_exact(text.chars())),
            // StringNames and NodePaths cannot change in place, so keeping them is cheaper than writing them.
            _ => false,
        };
        if !is_exact {
            self.kept.push(Slot::from(view.to_own()));
            self.writer.write(Event::Callable)?;
        }
        Ok(!is_exact)
    }

    fn object(&mut self, value: &Value, id: u64) -> Result<(), CodecError> {
        self.kept.push(Slot::of(value));
        self.writer.write(Event::ObjectId(id))
    }

    fn callable(&mut self, value: &Value) -> Result<(), CodecError> {
        self.kept.push(Slot::of(value));
        self.writer.write(Event::Callable)
    }

    fn script(&mut self, script: &Variant, _: &GString) -> Result<(), CodecError> {
        self.kept.push(Slot::of(engine::value(script)));
        Ok(())
    }

    fn full_objects(&self) -> bool {
        true
    }

    fn position(&self) -> usize {
        self.writer.mark().position()
    }
}

pub fn kept_count(event: Event<'_>) -> usize {
    match event {
        Event::ObjectId(_) | Event::Callable => 1,
        _ => crate::value::element_scripts(event).count(),
    }
}

/// True for a StringName or NodePath that bytes can hold exactly. It is kept only because that is cheaper.
pub fn is_exact_name(view: View<'_>) -> bool {
    match view.kind() {
        Kind::StringName => is_exact(chars(&view.string_name())),
        Kind::NodePath => {
            let (names, subnames, _) = view.node_path();
            names.iter().chain(&subnames).all(|name| is_exact(chars(name)))
        }
        _ => false,
    }
}

/// True if these characters survive UTF-8, which replaces invalid ones and drops a leading byte-order mark.
fn is_exact(chars: &[u32]) -> bool {
    chars.first() != Some(&0xfeff) && chars.iter().all(|&char| char != 0 && char::from_u32(char).is_some())
}
