//! Checks if buffers can be decoded, without building their values.

use godot::builtin::{AnyArray, PackedStringArray};
use varbatch_codec::validate;

use crate::calls::decode::{self, Input};
use crate::engine;
use crate::jobs::pool;
use crate::jobs::runs::each_run;
use crate::jobs::tuning::VALIDATE_PARALLEL_FROM;
use crate::report::no_buffer;
use crate::value::full_objects;

/// Returns the error of each buffer; an empty text if the engine would decode it.
pub fn validate_each(buffers: &AnyArray, allow_objects: bool) -> PackedStringArray {
    let inputs = engine::values(buffers).iter().map(decode::input);
    let len = |input: &Result<Input<'_>, _>| input.as_ref().map_or(0, |input| input.bytes.len());
    let total: usize = inputs.clone().map(|input| len(&input)).sum();
    let mut texts = vec![String::new(); buffers.len()];
    pool::with(total >= VALIDATE_PARALLEL_FROM, |threads| {
        let look = |input: Result<Input<'_>, _>, text: &mut String, (): &mut ()| match input {
            Ok(input) => {
                if let Err(error) = validate(input.reader(allow_objects)) {
                    *text = error.to_string();
                }
            }
            Err(kind) => *text = no_buffer(kind),
        };
        each_run(inputs.clone(), len, &mut texts, threads, || (), look);
    });
    if allow_objects {
        // These checks ask the engine, which may run scripts. They cannot change buffers to which we hold a reference.
        let sound = inputs.enumerate().filter_map(|(index, input)| Some((index, input.ok()?)));
        let sound = sound.filter(|(index, _)| texts[*index].is_empty());
        let asking = sound.filter(|(_, input)| full_objects::has_any(input.reader(true)).unwrap_or(false));
        let held: Vec<_> =
            asking.filter_map(|(index, _)| Some((index, engine::byte_array_at(buffers, index)?))).collect();
        for (index, buffer) in held {
            let input = Input { at: 0, bytes: engine::bytes_of(&buffer) };
            if let Err(error) = full_objects::check(input.reader(true)) {
                texts[index] = error.to_string();
            }
        }
    }
    let mut result = PackedStringArray::new();
    result.resize(texts.len());
    for (place, text) in result.as_mut_slice().iter_mut().zip(&texts).filter(|(_, text)| !text.is_empty()) {
        *place = text.as_str().into();
    }
    result
}
