//! Whether buffers are values, without building them.

use godot::builtin::{AnyArray, PackedStringArray};
use varbatch_codec::validate;

use crate::batch::each_run;
use crate::decode::{self, Input};
use crate::reports::Report;
use crate::{objects, pool};

/// Buffers of this many bytes together are looked at over threads.
const PARALLEL_FROM: usize = 1 << 20;

/// For each buffer what is wrong with it, nothing where the engine would decode it.
pub fn validate_each(buffers: &AnyArray, allow_objects: bool) -> PackedStringArray {
    // The engine may have to be asked, and scripts that it runs cannot change these.
    let buffers = decode::held(buffers);
    let inputs = buffers.iter().map(decode::held_input);
    let len = |input: &Result<Input<'_>, _>| input.as_ref().map_or(0, |input| input.bytes.len());
    let total: usize = inputs.clone().map(|input| len(&input)).sum();
    let mut texts = vec![String::new(); buffers.len()];
    pool::with(total >= PARALLEL_FROM, |threads| {
        let look = |input: Result<Input<'_>, _>, text: &mut String, (): &mut ()| match input {
            Ok(input) => {
                if let Err(error) = validate(input.reader(allow_objects)) {
                    *text = error.to_string();
                }
            }
            Err(kind) => *text = Report::NoBuffer(kind).to_string(),
        };
        each_run(inputs.clone(), len, &mut texts, threads, || (), look, |()| ());
    });
    if allow_objects {
        for (input, text) in inputs.zip(&mut texts).filter_map(|(input, text)| Some((input.ok()?, text))) {
            if objects::has_any(input.reader(true)).unwrap_or(false)
                && let Err(error) = objects::check(input.reader(true))
            {
                *text = error.to_string();
            }
        }
    }
    texts.iter().map(|text| text.as_str().into()).collect()
}
