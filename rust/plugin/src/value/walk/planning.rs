//! Plans the walked values without copying long payloads, over threads if there are many elements.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use varbatch_codec::{Borrowed, CodecError, Copied, Event, Keep, Kind, Text, Writer};

use super::rooms::plan_in_rooms;
use super::{Target, TargetNow, each};
use crate::engine::{DIALECT, Str, Value};
use crate::jobs::pool;

/// Min elements of an Array that is walked in runs, over threads: if most elements are containers, and if not.
const SPLIT_FROM: usize = 2000;
const SPLIT_FLAT_FROM: usize = 50_000;

/// Min texts of a PackedStringArray that is walked in runs.
const SPLIT_TEXTS_FROM: usize = 100_000;

/// Elements that are sampled for their type and size.
pub const SAMPLE: usize = 16;

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

/// Plans the walked values; `K` selects how long payloads are kept. Live objects are written by their ids.
pub struct Planning<'w, 'p, K> {
    /// Takes the events.
    pub writer: &'w mut Writer<'p>,
    /// True if objects are written in full. There are none, then: see [`crate::value::full_objects::is_in`].
    pub full_objects: bool,
    /// True if large arrays may be walked over threads.
    pub may_split: bool,
    /// Set when a value is written that may mean nothing to another process: see [`super::Lost`].
    pub is_lossy: &'w AtomicBool,
    pub keep: PhantomData<K>,
}

impl<K> TargetNow for Planning<'_, '_, K> {
    #[inline(always)]
    fn put_now(&mut self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    fn object(&mut self, _: &Value, id: u64) -> Result<(), CodecError> {
        self.passing();
        self.writer.write(Event::ObjectId(id))
    }

    #[cold]
    fn passing(&mut self) {
        self.is_lossy.store(true, Ordering::Relaxed);
    }

    fn full_objects(&self) -> bool {
        self.full_objects
    }

    fn position(&self) -> usize {
        self.writer.mark().position()
    }
}

impl<'a, 'p, K: KeepWalked<'a, 'p>> Target<'a> for Planning<'_, 'p, K> {
    #[inline(always)]
    fn put<H: Keep<'a, 'static>>(&mut self, event: Event<'a>, hold: H) -> Result<(), CodecError> {
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

/// A run of items that one of several threads has planned, with their number.
type PlannedRun<'p> = (usize, Writer<'p>, Result<(), CodecError>);

impl<'p, K> Planning<'_, 'p, K> {
    // Not inlined, so that it uses no stack at each nesting level.
    #[inline(never)]
    fn split_elements<'a>(&mut self, elements: &'a [Value]) -> Result<bool, CodecError>
    where
        K: KeepWalked<'a, 'p>,
    {
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
        for (count, writer, result) in runs {
            result.map_err(|error| error.map_at(|at| at + self.writer.mark().position()))?;
            self.writer.append(writer, count)?;
        }
        Ok(true)
    }

    #[inline(never)]
    fn split_strings<'a>(&mut self, strings: &'a [Str]) -> Result<bool, CodecError>
    where
        K: KeepWalked<'a, 'p>,
    {
        // Besides the characters: a length, a NUL and padding.
        let sampled: usize = strings.iter().take(SAMPLE).map(|string| string.chars().len() + 9).sum();
        let new = |count| Writer::for_texts(DIALECT, count);
        let runs = self.in_runs(sampled / SAMPLE, strings, new, |_, run, target| {
            run.iter().try_for_each(|string| target.put(Event::Text(Text::Utf32(string.chars())), string.view()))
        });
        let Some(runs) = runs else { return Ok(false) };
        for (count, writer, result) in runs {
            result?;
            self.writer.append_texts(writer, count)?;
        }
        Ok(true)
    }

    /// Walks items in runs over threads, each with a writer that `new` makes for so many items. `None` if there is only
    /// one thread.
    fn in_runs<'a, T: Sync>(
        &self,
        average: usize,
        items: &'a [T],
        new: impl Fn(usize) -> Writer<'p>,
        walk: impl Fn(usize, &'a [T], &mut Planning<'_, 'p, K>) -> Result<(), CodecError> + Sync,
    ) -> Option<Vec<PlannedRun<'p>>>
    where
        K: KeepWalked<'a, 'p>,
    {
        let (full_objects, is_lossy) = (self.full_objects, self.is_lossy);
        let plan = |at, run: &'a [T], mut writer| {
            let writer_now = &mut writer;
            let mut target =
                Planning { writer: writer_now, full_objects, may_split: false, is_lossy, keep: PhantomData };
            let result = walk(at, run, &mut target);
            (run.len(), writer, result)
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
