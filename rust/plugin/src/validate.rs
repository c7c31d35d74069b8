//! Whether buffers are values, without building them.

use std::sync::Mutex;

use godot::builtin::{AnyArray, GString, PackedStringArray};
use varbatch_codec::{Threads, validate};

use crate::batch::{Report, Reports};
use crate::decode::{Input, input};
use crate::{engine, objects, pool};

/// Buffers of this many bytes together are looked at over threads.
const PARALLEL_FROM: usize = 1 << 20;

/// Bytes that a thread looks at before it asks for more.
const RUN: usize = 128 << 10;

/// For each buffer what is wrong with it, nothing where the engine would decode it.
pub fn validate_each(buffers: &AnyArray, allow_objects: bool) -> PackedStringArray {
    // The engine may have to be asked, and scripts that it runs cannot change this copy.
    let buffers = buffers.duplicate_shallow();
    let mut reports = Reports::new();
    let of = |(index, buffer)| input(buffer).map_err(|kind| reports.push((index, Report::NoBuffer(kind)))).ok();
    let inputs: Vec<_> = engine::values(&buffers).iter().enumerate().map(of).collect();
    let total: usize = inputs.iter().flatten().map(|input| input.bytes.len()).sum();
    reports.append(&mut pool::with(total >= PARALLEL_FROM, |threads| find_errors(&inputs, allow_objects, threads)));
    if allow_objects {
        for (index, input) in inputs.iter().enumerate().filter_map(|(index, input)| Some((index, (*input)?))) {
            if objects::has_any(input.reader(true)).unwrap_or(false)
                && let Err(error) = objects::check(input.reader(true))
            {
                reports.push((index, error.into()));
            }
        }
    }
    let mut texts = vec![GString::new(); inputs.len()];
    for (index, report) in reports {
        texts[index] = report.to_string().as_str().into();
    }
    texts.into()
}

/// The errors that show in the bytes alone.
fn find_errors(inputs: &[Option<Input<'_>>], allow_objects: bool, threads: &Threads) -> Reports {
    let mut runs = vec![Vec::new()];
    let mut run_len = 0;
    for (index, input) in inputs.iter().enumerate().filter_map(|(index, input)| Some((index, (*input)?))) {
        if run_len >= RUN {
            runs.push(Vec::new());
            run_len = 0;
        }
        run_len += input.bytes.len();
        runs.last_mut().expect("there is one from the start").push((index, input));
    }
    let reports = Mutex::new(Reports::new());
    threads.for_each(runs, |run| {
        for (index, input) in run {
            if let Err(error) = validate(input.reader(allow_objects)) {
                reports.lock().expect("nothing panics while it is held").push((index, error.into()));
            }
        }
    });
    reports.into_inner().expect("nothing panics while it is held")
}
