//! Plans the walked values: without copying long payloads, and many over threads; or as copies that borrow nothing.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use godot::builtin::Variant;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{Borrowed, CodecError, CodecErrorKind, Copied, Event, Keep, Kind, Mark, Plan, Text, Writer};
use varbatch_workers::Threads;

use super::lost::{CODE, IMAGE};
use super::{Target, TargetNow, each, full_object, refused_object, walk};
use crate::engine::{DIALECT, Pages, Str, Value};
use crate::jobs::pool;
use crate::objects::FullObjects;

/// Min elements of an Array that is walked in runs, over threads: if most elements are containers, and if not.
const SPLIT_FROM: usize = 2000;
const SPLIT_FLAT_FROM: usize = 50_000;

/// Min texts of a PackedStringArray that is walked in runs.
const SPLIT_TEXTS_FROM: usize = 100_000;

/// Elements that are sampled for their type and size.
pub const SAMPLE: usize = 16;

/// Runs of values for each thread: several, so that one slow run does not hold up the call.
const RUNS: usize = 4;

/// Max bytes that a run's plan should store: no more than it reserves at once, and memory that the C library reuses.
const MAX_RUN: usize = 3 << 20;

/// Bytes that a run writes before they are counted.
const COUNTED_LEN: usize = 1 << 20;

/// Max bytes to reserve in a call, as values may be smaller than those that were sampled.
const MAX_RESERVED: usize = 128 << 20;

/// Selects how a walk keeps long payloads: [`Borrowed`] for `'p`, or [`Held`].
pub trait KeepWalked<'a, 'p>: Send + Sync {
    /// Selects how to keep a payload that `hold` can hold.
    fn kept<K: Keep<'a, 'static>>(hold: K) -> impl Keep<'a, 'p>;
}

impl<'a: 'p, 'p> KeepWalked<'a, 'p> for Borrowed {
    #[inline(always)]
    fn kept<K: Keep<'a, 'static>>(_: K) -> impl Keep<'a, 'p> {
        Self
    }
}

/// Holds long payloads by a counted reference. Later writers change a copy.
pub struct Held;

impl<'a> KeepWalked<'a, 'static> for Held {
    #[inline(always)]
    fn kept<K: Keep<'a, 'static>>(hold: K) -> impl Keep<'a, 'static> {
        hold
    }
}

/// Bytes of a value that is planned in runs. Together, runs of arrays that share others could outgrow all memory.
pub struct Written<'w> {
    /// Those of all runs that were counted.
    pub all: &'w AtomicU64,
    /// Those of this run.
    pub counted: usize,
}

/// Plans the walked values; `K` selects how long payloads are kept.
pub struct Planning<'w, 'a, 'p, K> {
    pub writer: &'w mut Writer<'p>,
    /// The objects that are written with class and properties. `None` to write objects by their ids.
    pub full: Option<&'a FullObjects>,
    /// True if containers report the class and the script of their elements, even of objects that are written by ids.
    pub is_typed: bool,
    /// True if large arrays may be walked over threads.
    pub may_split: bool,
    /// If this plans a run of a value: what was written of that.
    pub written: Option<Written<'w>>,
    /// Set for a value that may mean nothing to another process (see [`super::Lost`]), or an object not in `full`.
    pub is_lossy: &'w AtomicBool,
    /// True for the key of a store, where an object that is gone is none.
    pub is_key: bool,
    pub keep: PhantomData<K>,
}

impl<'w, 'a, 'p, K> Planning<'w, 'a, 'p, K> {
    #[inline(always)]
    pub fn new(writer: &'w mut Writer<'p>, full: Option<&'a FullObjects>, is_lossy: &'w AtomicBool) -> Self {
        Self {
            writer,
            full,
            is_typed: full.is_some(),
            may_split: false,
            written: None,
            is_lossy,
            is_key: false,
            keep: PhantomData,
        }
    }
}

impl<'a, 'p, K: KeepWalked<'a, 'p>> TargetNow for Planning<'_, 'a, 'p, K> {
    #[inline(always)]
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    // Not inlined, so that values without objects are walked as if there were none.
    #[inline(never)]
    fn object(&mut self, value: &Value, id: u64) -> Result<(), CodecError> {
        if let Some(full) = self.full
            && let Some((list, _)) = full.get(id)
        {
            let is_refused = CODE.contains(&&*list.class) || list.needs_arguments;
            if is_refused || list.class == IMAGE || list.has_untold() {
                self.passing();
            }
            return full_object(value, full, id, self);
        }
        self.passing();
        match self.full {
            Some(_) => Err(refused_object(value, self.position())),
            None => self.writer.write(Event::ObjectId(id)),
        }
    }

    fn no_object(&mut self) -> Result<(), CodecError> {
        if self.is_key {
            self.passing();
        }
        self.put_now(Event::Nil)
    }

    #[cold]
    fn passing(&mut self) {
        self.is_lossy.store(true, Ordering::Relaxed);
    }

    fn writes_ids(&self) -> bool {
        self.full.is_none()
    }

    fn full_objects(&self) -> bool {
        self.is_typed
    }

    fn position(&self) -> usize {
        self.writer.mark().position()
    }
}

impl<'a, 'p, K: KeepWalked<'a, 'p>> Target<'a> for Planning<'_, 'a, 'p, K> {
    #[inline(always)]
    fn put<H: Keep<'a, 'static>>(&mut self, event: Event<'a>, hold: H) -> Result<(), CodecError> {
        if let (Event::Array { .. } | Event::Dictionary { .. }, Some(written)) = (event, &self.written)
            && self.position() > written.counted + COUNTED_LEN
        {
            self.count()?;
        }
        self.writer.write_as(event, K::kept(hold))
    }

    #[inline(always)]
    fn split(&mut self, elements: &'a [Value]) -> Result<bool, CodecError> {
        if elements.len() >= SPLIT_FROM && self.may_split { self.split_elements(elements) } else { Ok(false) }
    }

    #[inline(always)]
    fn split_texts(&mut self, strings: &'a [Str]) -> Result<bool, CodecError> {
        if strings.len() >= SPLIT_TEXTS_FROM && self.may_split { self.split_strings(strings) } else { Ok(false) }
    }
}

impl<'a, 'p, K: KeepWalked<'a, 'p>> Planning<'_, 'a, 'p, K> {
    /// Counts what was written of a run. Fails if all runs have written more than a value can have.
    #[cold]
    fn count(&mut self) -> Result<(), CodecError> {
        let position = self.position();
        let Some(Written { all, counted }) = &mut self.written else { return Ok(()) };
        let new = (position - std::mem::replace(counted, position)) as u64;
        let is_too_large = all.fetch_add(new, Ordering::Relaxed) + new > MAX_VALUE_LEN as u64;
        let too_large = CodecErrorKind::TooLarge { found: MAX_VALUE_LEN + 1 };
        if is_too_large { Err(CodecError::new(MAX_VALUE_LEN, too_large)) } else { Ok(()) }
    }

    // Not inlined, so that it uses no stack at each nesting level.
    #[inline(never)]
    fn split_elements(&mut self, elements: &'a [Value]) -> Result<bool, CodecError> {
        if elements.len() < SPLIT_FLAT_FROM && !mostly_containers(elements) {
            return Ok(false);
        }
        // The first elements are walked here, to estimate the room for the others.
        let (start, depth) = (self.writer.inline_len(), self.writer.depth());
        let (first, others) = elements.split_at(SAMPLE);
        each(first, 0, self)?;
        let average = (self.writer.inline_len() - start).div_ceil(SAMPLE);
        let new = |_| Writer::new(DIALECT).with_depth(depth);
        let Some(runs) = self.in_runs(average, others, new, |at, run, target| each(run, SAMPLE + at, target)) else {
            return each(others, SAMPLE, self).map(|()| true);
        };
        for (count, planned) in runs {
            let planned = planned.map_err(|error| error.map_at(|at| at + self.writer.mark().position()))?;
            self.writer.append(planned, count)?;
        }
        Ok(true)
    }

    #[inline(never)]
    fn split_strings(&mut self, strings: &'a [Str]) -> Result<bool, CodecError> {
        // Besides the characters: a length, a NUL and padding.
        let sampled: usize = strings.iter().take(SAMPLE).map(|string| string.chars().len() + 9).sum();
        let new = |count| Writer::for_texts(DIALECT, count);
        let runs = self.in_runs(sampled / SAMPLE, strings, new, |_, run, target| {
            run.iter().try_for_each(|string| target.put(Event::Text(Text::Utf32(string.chars())), string.view()))
        });
        let Some(runs) = runs else { return Ok(false) };
        for (count, planned) in runs {
            self.writer.append_texts(planned?, count)?;
        }
        Ok(true)
    }

    /// Walks items in runs, each with a writer of `new`. Returns counts and writers, or `None` if there is one thread.
    fn in_runs<T: Sync>(
        &self,
        average: usize,
        items: &'a [T],
        new: impl Fn(usize) -> Writer<'p>,
        walk: impl Fn(usize, &'a [T], &mut Planning<'_, 'a, 'p, K>) -> Result<(), CodecError> + Sync,
    ) -> Option<Vec<(usize, Result<Writer<'p>, CodecError>)>> {
        let (full, is_typed, is_lossy, all) = (self.full, self.is_typed, self.is_lossy, &AtomicU64::new(0));
        let plan = |at, run: &'a [T], mut writer| {
            let written = Some(Written { all, counted: 0 });
            let mut target = Planning { written, is_typed, ..Planning::new(&mut writer, full, is_lossy) };
            let walked = target.count().and_then(|()| walk(at, run, &mut target)).and_then(|()| target.count());
            (run.len(), walked.map(|()| writer))
        };
        pool::with(true, |threads| (threads.count() > 1).then(|| plan_in_rooms(average, items, threads, new, plan)))
    }
}

/// True if most of the first values are containers, each of which costs as much as many other values.
pub fn mostly_containers(values: &[Value]) -> bool {
    let sample = &values[..values.len().min(SAMPLE)];
    let is_container = |value: &&Value| matches!(value.view().kind(), Kind::Array | Kind::Dictionary);
    sample.iter().filter(is_container).count() * 2 > sample.len()
}

/// Plans items in runs over threads: `new` makes a writer of so many, `plan` takes the first index, the items and the
/// writer. An item takes about `average` bytes. This thread makes all room: a new one would get it page by page.
pub fn plan_in_rooms<'a, 'p, T: Sync, R: Send>(
    average: usize,
    items: &'a [T],
    threads: &Threads,
    new: impl Fn(usize) -> Writer<'p>,
    plan: impl Fn(usize, &'a [T], Writer<'p>) -> R + Sync,
) -> Vec<R> {
    let max = MAX_RUN / average.max(1);
    let run_len = items.len().div_ceil(threads.count() * RUNS).clamp(1, max.max(1));
    let (mut reserved, mut pages) = (0, Pages::default());
    let begin = |run: &'a [T]| {
        // A little more, as a plan that outgrows its room would be copied.
        let len = average.saturating_mul(run.len());
        let len = len.saturating_add(len / 16).min(MAX_RESERVED - reserved);
        reserved += len;
        let mut writer = new(run.len());
        writer.reserve_bytes(len);
        pages.add(writer.room());
        (run, writer)
    };
    let runs: Vec<_> = items.chunks(run_len).map(begin).collect();
    pages.prepare();
    // By value: plans that lie side by side would share cache lines.
    threads.map(runs.into_iter().enumerate(), |(index, (run, writer))| plan(index * run_len, run, writer))
}

/// Takes copies of all events, and each live object with the mark where its id belongs.
pub struct Copying {
    pub writer: Writer<'static>,
    objects: Vec<(Mark, Variant)>,
}

impl Copying {
    pub fn new() -> Self {
        Self { writer: Writer::new(DIALECT), objects: Vec::new() }
    }

    pub fn of(value: &Value) -> Result<(Plan<'static>, Vec<(Mark, Variant)>), CodecError> {
        let mut target = Self::new();
        walk(value, &mut target)?;
        target.writer.end_value(Mark::default())?;
        Ok((target.writer.into_plan(), target.objects))
    }
}

impl Target<'_> for Copying {}

impl TargetNow for Copying {
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    fn object(&mut self, value: &Value, id: u64) -> Result<(), CodecError> {
        self.objects.push((self.writer.mark(), value.variant().clone()));
        self.writer.write(Event::ObjectId(id))
    }

    fn position(&self) -> usize {
        self.writer.mark().position()
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/rooms.rs"]
mod tests;
