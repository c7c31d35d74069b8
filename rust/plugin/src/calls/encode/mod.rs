//! Encodes values: plans some, on one thread or several, allocates their outputs, and fills these. A plain call is a loop
//! of that; a task plans all values first, so that they may be changed or dropped afterwards.

mod compare;
mod to_bytes;
mod to_frames;

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use godot::builtin::{AnyArray, PackedByteArray};
use varbatch_codec::{Borrowed, CodecError, Event, Flat, Mark, Plan, Shape, Writer, frames};
use varbatch_storage::fill::{self, CUT_FROM, PARALLEL_FROM};
use varbatch_workers::Threads;

pub use self::compare::{Comparing, are_same};
pub use self::to_bytes::{ToBytes, vars_to_bytes};
pub use self::to_frames::{Plans, ToFrames, frames_to_store, vars_to_frames};
use crate::engine::{self, BytesOut, DIALECT, Slot, Value};
use crate::jobs::pool;
use crate::jobs::tuning::{CONTAINERS_PARALLEL_FROM, HELD_PARALLEL_FROM, ROOM_SAMPLE};
use crate::objects::FullObjects;
use crate::report::Reports;
use crate::value::walk::{Copying, Held, KeepWalked, Lost, Planning, SAMPLE, mostly_containers, plan_in_rooms, walk};

thread_local! {
    /// The last small plan, emptied, for the next value: most single values are small, and soon planned.
    static SPARE: Cell<Option<Plan<'static>>> = const { Cell::new(None) };
}

/// Encodes one value. Writes nothing to `out` if that fails.
#[inline]
pub fn encode(value: &Value, full_objects: bool, out: &mut impl BytesOut) -> Result<(), CodecError> {
    match full_objects {
        false => match flat(value) {
            Some(flat) => {
                flat.fill(out.allocate(flat.size()));
                Ok(())
            }
            None => encode_with(value, None, false, &AtomicBool::new(false), out),
        },
        true => encode_full(value, false, out).map(drop),
    }
}

/// Returns a value of one event, if it is short enough to be copied by one thread.
#[inline(always)]
fn flat(value: &Value) -> Option<Flat<'_>> {
    let view = value.known().ok()?;
    let event = match view.kind().shape() {
        Shape::Nil => Event::Nil,
        Shape::Bool => Event::Bool(view.bool()),
        Shape::Int => Event::Int(view.int()),
        Shape::Float => Event::Float(view.float()),
        Shape::Components { .. } => Event::Components(view.plain()),
        Shape::Packed { .. } => Event::Packed(view.plain()),
        Shape::Object => Event::ObjectId(value.object_id()),
        Shape::Rid => Event::Rid(view.rid()),
        Shape::Callable => Event::Callable,
        _ => return None,
    };
    Flat::of(event).filter(|flat| flat.size() < CUT_FROM)
}

/// Encodes a value in which objects are written with class and properties. Finds what a save of it loses, if `tells`.
#[inline(never)]
pub fn encode_full(value: &Value, tells: bool, out: &mut dyn BytesOut) -> Result<Option<Lost>, CodecError> {
    let mut objects = FullObjects::default();
    let encode = |value: &Value, objects: &FullObjects, out: &mut dyn BytesOut| {
        let is_lossy = AtomicBool::new(false);
        let encoded = encode_with(value, Some(objects), true, &is_lossy, out);
        (encoded, is_lossy.into_inner())
    };
    let lost = |value: &Value, objects: &FullObjects, is_lossy: bool| {
        (tells && is_lossy).then(|| Lost::of_values(std::slice::from_ref(value), Some(objects))).flatten()
    };
    match encode(value, &objects, out) {
        // Only an object was missing: most values have none.
        (Err(_), true) => {}
        (encoded, is_lossy) => return encoded.map(|()| lost(value, &objects, is_lossy)),
    }
    // A script may change what holds the value.
    let value = Slot::of(value);
    let root = || std::slice::from_ref(value.value());
    objects = FullObjects::found_in(root());
    objects.read(root);
    let (encoded, is_lossy) = encode(value.value(), &objects, out);
    encoded.map(|()| lost(value.value(), &objects, is_lossy))
}

/// Encodes objects by their ids, but containers with the class and the script of their elements.
pub fn encode_typed(value: &Value, out: &mut impl BytesOut) -> Result<(), CodecError> {
    encode_with(value, None, true, &AtomicBool::new(false), out)
}

#[inline(never)]
fn encode_with(
    value: &Value,
    full: Option<&FullObjects>,
    is_typed: bool,
    is_lossy: &AtomicBool,
    out: &mut dyn BytesOut,
) -> Result<(), CodecError> {
    let mut writer = Writer::within(DIALECT, SPARE.take().unwrap_or_default());
    let start = writer.mark();
    walk(value, &mut Planning { may_split: true, is_typed, ..Planning::<Borrowed>::new(&mut writer, full, is_lossy) })?;
    writer.end_value(start)?;
    let plan = writer.into_plan();
    put(&plan, out);
    SPARE.set(plan.emptied(16 << 10));
    Ok(())
}

/// Encodes a value of a change or a step of a path. Objects decoded from bytes keep the ids that they had there.
pub fn encode_part(value: &Value, full_objects: bool) -> Result<Vec<u8>, CodecError> {
    if full_objects {
        let mut bytes = PackedByteArray::new();
        encode(value, true, &mut bytes)?;
        return Ok(bytes.to_vec());
    }
    let (plan, objects) = Copying::of(value)?;
    let mut bytes = plan.into_vec();
    for (mark, object) in objects {
        if let Some(id) = engine::encoded_id(engine::value(&object)) {
            let at = mark.position() + 4;
            bytes[at..at + 8].copy_from_slice(&id.to_le_bytes());
        }
    }
    Ok(bytes)
}

/// Encodes the key of a store. Returns `None` if there is something in it that means nothing to another process.
pub fn encode_key(value: &Value) -> Result<Option<Vec<u8>>, CodecError> {
    let (mut writer, is_lossy) = (Writer::new(DIALECT), AtomicBool::new(false));
    let start = writer.mark();
    walk(value, &mut Planning { is_key: true, ..Planning::<Borrowed>::new(&mut writer, None, &is_lossy) })?;
    writer.end_value(start)?;
    Ok((!is_lossy.into_inner()).then(|| writer.into_plan().into_vec()))
}

pub fn put(plan: &Plan<'_>, out: &mut dyn BytesOut) {
    let dest = out.allocate(plan.len());
    if let Some(bytes) = plan.as_bytes().filter(|bytes| bytes.len() < PARALLEL_FROM) {
        return varbatch_codec::fill::copy(bytes, dest);
    }
    pool::with(plan.len() >= PARALLEL_FROM, |threads| fill::fill_parallel(plan.whole(), dest, threads));
}

pub fn to_bytes(plan: &Plan<'_>) -> PackedByteArray {
    let mut bytes = PackedByteArray::new();
    put(plan, &mut bytes);
    bytes
}

pub struct Batch {
    array: AnyArray,
    /// The objects in them, if these are written with class and properties.
    objects: Option<FullObjects>,
}

impl Batch {
    /// Reads the properties of objects that are written in full. No script runs any more while the values are planned.
    pub fn of(mut array: AnyArray, full_objects: bool) -> Self {
        if !full_objects {
            return Self { array, objects: None };
        }
        let mut objects = FullObjects::found_in(engine::values(&array));
        if objects.are_found() {
            // A script may change the caller's array, but not this copy.
            array = array.duplicate_shallow();
            objects.read(|| engine::values(&array));
        }
        Self { array, objects: Some(objects) }
    }

    /// Calls `encode` first as if the values had no objects, which saves a search. It returns `None` if there are some.
    pub fn encoded<R>(array: AnyArray, full_objects: bool, encode: impl Fn(&Self) -> Option<R>) -> R {
        let unread = full_objects.then(|| Self { array: array.clone(), objects: Some(FullObjects::default()) });
        let encoded = unread.and_then(|batch| encode(&batch));
        encoded.unwrap_or_else(|| encode(&Self::of(array, full_objects)).expect("all objects are read"))
    }

    pub fn full(&self) -> Option<&FullObjects> {
        self.objects.as_ref()
    }

    pub fn values(&self) -> &[Value] {
        engine::values(&self.array)
    }

    /// True if there are enough containers for several threads to walk them.
    pub fn is_shared(&self) -> bool {
        self.values().len() >= CONTAINERS_PARALLEL_FROM && mostly_containers(self.values())
    }

    /// Plans all values for a task. The plan copies short ones, so their time is that of new memory.
    fn plan_held(&self, form: Form) -> Vec<Run<'static, Held>> {
        let is_large = self.values().len() >= HELD_PARALLEL_FROM || self.is_shared();
        pool::with(is_large, |threads| plan_runs(self.values(), 0, form, self.full(), threads))
    }

    /// Plans all values for a task, and finds what is lost. What the batch held of the engine is dropped: scripts may run.
    pub fn into_held(self, form: Form) -> (Plans<'static, Held>, Option<Lost>) {
        let plans = Plans::held(&self, form);
        let lost = self.lost(plans.is_lossy);
        (plans, lost)
    }

    /// Finds what is lost if these values are saved. Only walks them again if their plans are lossy.
    pub fn lost(&self, is_lossy: Lossy) -> Option<Lost> {
        is_lossy.0.then(|| Lost::of_values(self.values(), self.full())).flatten()
    }
}

/// Whether values that may mean nothing in another process are among those of [`Plans`]. Only of plans that have all values
/// without an error: then none holds itself or is too deep, and they can be walked again without a limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lossy(bool);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Values end to end, with a mark between each pair.
    Bytes,
    Frames,
}

/// The plan of consecutive values. It borrows or holds long data, as `K` says.
pub struct Run<'p, K> {
    writer: Writer<'p>,
    form: Form,
    /// True if several threads may walk a large Array.
    may_split: bool,
    /// For [`Form::Bytes`]: the marks before the first value and after each value.
    pub marks: Vec<Mark>,
    /// About all values that it ever planned.
    pub reports: Reports,
    is_lossy: AtomicBool,
    keep: PhantomData<K>,
}

impl<'p, K> Run<'p, K> {
    pub fn new(form: Form, may_split: bool) -> Self {
        Self {
            writer: Writer::new(DIALECT),
            form,
            may_split,
            marks: Vec::new(),
            reports: Reports::default(),
            is_lossy: AtomicBool::new(false),
            keep: PhantomData,
        }
    }

    pub fn plan(&self) -> &Plan<'p> {
        self.writer.plan()
    }

    /// True if it ever held a value that may mean nothing in another process: see [`Lost`](crate::value::walk::Lost).
    pub fn is_lossy(&self) -> bool {
        self.is_lossy.load(Ordering::Relaxed)
    }

    /// True if the plan ended at an object that `full` did not look for, or at another value that may be lossy.
    pub fn is_given_up(&self, full: Option<&FullObjects>) -> bool {
        full.is_some_and(|full| !full.is_searched) && self.is_lossy()
    }

    /// Plans values and replaces the previous plan. `first` is the index of the first value in the batch.
    pub fn plan_values<'a>(&mut self, values: &'a [Value], first: usize, full: Option<&'a FullObjects>)
    where
        K: KeepWalked<'a, 'p>,
    {
        self.writer.clear();
        self.marks.clear();
        if self.form == Form::Bytes {
            self.marks.reserve_exact(values.len() + 1);
            self.marks.push(self.writer.mark());
        }
        for (at, value) in values.iter().enumerate() {
            if at == ROOM_SAMPLE && self.writer.room().len() < self.writer.inline_len() {
                // Reserve for all values, if they are like the first: growing in steps would copy the plan.
                self.writer.reserve(values.len() / ROOM_SAMPLE);
            }
            engine::ahead(values, at);
            self.put(first + at, value, full);
            if self.is_given_up(full) {
                return;
            }
        }
    }

    /// Plans one value, or leaves it out if that fails.
    #[inline(always)]
    fn put<'a>(&mut self, index: usize, value: &'a Value, full: Option<&'a FullObjects>)
    where
        K: KeepWalked<'a, 'p>,
    {
        let Self { writer, may_split, is_lossy, .. } = self;
        let (may_split, is_lossy) = (*may_split, &*is_lossy);
        let put = |writer: &mut Writer<'p>| {
            walk(value, &mut Planning { may_split, ..Planning::<K>::new(writer, full, is_lossy) })
        };
        let start = writer.mark();
        let written = match self.form {
            Form::Bytes => put(writer).and_then(|()| writer.end_value(start)),
            Form::Frames => frames::write(writer, put),
        };
        if let Err(mut error) = written {
            writer.drop_value(start);
            error = error.map_at(|at| at - start.position().min(at));
            self.reports.push_error(index, || error);
        }
        if self.form == Form::Bytes {
            self.marks.push(writer.mark());
        }
    }
}

/// Plans values in several runs per thread. `first` is the index of the first value in the batch.
pub fn plan_runs<'a, 'p, K>(
    values: &'a [Value],
    first: usize,
    form: Form,
    full: Option<&'a FullObjects>,
    threads: &Threads,
) -> Vec<Run<'p, K>>
where
    K: KeepWalked<'a, 'p>,
{
    let new = |may_split| Run::<'p, K>::new(form, may_split);
    if threads.count() == 1 || values.len() < SAMPLE {
        let mut run = new(true);
        run.plan_values(values, first, full);
        return vec![run];
    }
    // The room is estimated from some values, taken from all over the batch, as the first may be larger than others.
    let (mut sample, mut len) = (new(false), 0);
    for index in 0..SAMPLE {
        let at = index * values.len() / SAMPLE;
        sample.plan_values(&values[at..=at], at, full);
        len += sample.writer.inline_len();
    }
    let plan = |at, values: &'a [Value], writer| {
        let mut run = Run { writer, ..new(false) };
        run.plan_values(values, first + at, full);
        run
    };
    plan_in_rooms(len.div_ceil(SAMPLE), values, threads, |_| Writer::new(DIALECT), plan)
}
