//! Plans the walked values without copying long payloads, over threads if there are many elements.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use varbatch_codec::{Borrowed, CodecError, Copied, Event, Keep, Kind, Text, Writer};

use super::rooms::{RUNS, Rooms};
use super::{NotWalked, SPLIT_FLAT_FROM, SPLIT_FROM, Target, TargetNow, each};
use crate::engine::{DIALECT, Str, Value};
use crate::jobs::pool;

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

/// Plans the walked values; `K` selects how long payloads are kept.
pub struct Planning<'w, 'p, K> {
    /// Takes the events.
    pub writer: &'w mut Writer<'p>,
    /// True if a live object ends the walk, instead of being written by its id.
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

    fn object(&mut self, _: &Value, id: u64) -> Result<(), NotWalked> {
        if self.full_objects {
            return Err(NotWalked::FullObject);
        }
        self.passing();
        Ok(self.writer.write(Event::ObjectId(id))?)
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

    // Not inlined, so that it uses no stack at each nesting level.
    #[inline(never)]
    fn split(&mut self, elements: &'a [Value]) -> Result<bool, NotWalked> {
        split(self, elements)
    }

    #[inline(never)]
    fn split_texts(&mut self, strings: &'a [Str]) -> Result<bool, CodecError> {
        split_texts(self, strings)
    }
}

/// Implements [`Target::split`].
fn split<'a, 'p, K: KeepWalked<'a, 'p>>(
    target: &mut Planning<'_, 'p, K>,
    elements: &'a [Value],
) -> Result<bool, NotWalked> {
    let is_long = |from| elements.len() >= from;
    if !target.may_split || !is_long(if mostly_containers(elements) { SPLIT_FROM } else { SPLIT_FLAT_FROM }) {
        return Ok(false);
    }
    let (depth, full_objects, is_lossy) = (target.writer.depth(), target.full_objects, target.is_lossy);
    // The first elements are walked here, to estimate the room for the others.
    let start = target.writer.inline_len();
    let (first, others) = elements.split_at(SAMPLE);
    each(first, 0, target)?;
    let average = (target.writer.inline_len() - start).div_ceil(SAMPLE);
    let runs = pool::with(true, |threads| {
        if threads.count() == 1 {
            return None;
        }
        let mut rooms = Rooms::new(average);
        let run_len = rooms.run_len(others.len(), threads);
        let mut runs = Vec::with_capacity(others.len().div_ceil(run_len));
        for elements in others.chunks(run_len) {
            let mut writer = Writer::new(DIALECT).with_depth(depth);
            rooms.reserve(&mut writer, elements.len());
            runs.push((elements, writer));
        }
        rooms.prepare();
        // By value: writers that lie side by side would share cache lines.
        let runs = threads.map(runs.into_iter().enumerate(), |(run, (elements, mut writer))| {
            let mut target =
                Planning::<K> { writer: &mut writer, full_objects, may_split: false, is_lossy, keep: PhantomData };
            let result = each(elements, SAMPLE + run * run_len, &mut target);
            (elements, writer, result)
        });
        Some(runs)
    });
    let Some(runs) = runs else { return each(others, SAMPLE, target).map(|()| true) };
    for (elements, writer, result) in runs {
        result.map_err(|stop| match stop {
            NotWalked::Error(mut error) => {
                error = error.map_at(|at| at + target.writer.mark().position());
                NotWalked::Error(error)
            }
            other => other,
        })?;
        target.writer.append(writer, elements.len())?;
    }
    Ok(true)
}

/// Implements [`Target::split_texts`].
fn split_texts<'a, 'p, K: KeepWalked<'a, 'p>>(
    target: &mut Planning<'_, 'p, K>,
    strings: &'a [Str],
) -> Result<bool, CodecError> {
    let is_lossy = target.is_lossy;
    let runs = pool::with(target.may_split, |threads| {
        if threads.count() == 1 {
            return None;
        }
        let chunks = strings.chunks(strings.len().div_ceil(threads.count() * RUNS));
        let runs: Vec<_> = chunks
            .map(|strings| {
                let mut writer = Writer::<'p>::for_texts(DIALECT, strings.len());
                // Besides the characters: a length, a NUL and padding.
                let sampled: usize = strings.iter().take(SAMPLE).map(|string| string.chars().len() + 9).sum();
                writer.reserve_bytes(strings.len() * sampled / SAMPLE);
                (strings, writer)
            })
            .collect();
        let runs = threads.map(runs, |(strings, mut writer)| {
            let mut target = Planning::<K> {
                writer: &mut writer,
                full_objects: false,
                may_split: false,
                is_lossy,
                keep: PhantomData,
            };
            let result =
                strings.iter().try_for_each(|string| target.put(Event::Text(Text::Utf32(string.chars())), string));
            (strings, writer, result)
        });
        Some(runs)
    });
    let Some(runs) = runs else { return Ok(false) };
    for (strings, writer, result) in runs {
        result?;
        target.writer.append_texts(writer, strings.len())?;
    }
    Ok(true)
}

/// True if most of the first values are containers, each of which costs as much as many other values.
pub fn mostly_containers(values: &[Value]) -> bool {
    let sample = &values[..values.len().min(SAMPLE)];
    let is_container = |value: &&Value| matches!(value.view().kind(), Kind::Array | Kind::Dictionary);
    sample.iter().filter(is_container).count() * 2 > sample.len()
}
