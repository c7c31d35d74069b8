//! Finds the Arrays of Arrays that another engine cannot have: both typed and untyped Arrays are in them.

use crate::event::{ElementType, Event};
use crate::kind::Kind;
use crate::reader::Reader;

/// An Array of Arrays.
struct Arrays {
    at: usize,
    depth: usize,
    has_typed: bool,
    has_untyped: bool,
}

/// Returns the offsets of all such Arrays, in ascending order. `is_kept` is true for the element types that the other
/// engine has. Stops at the first error, as the translation does.
pub(super) fn mixed(mut reader: Reader<'_>, is_kept: impl Fn(ElementType<'_>) -> bool) -> Vec<usize> {
    let (mut mixed, mut open) = (Vec::new(), Vec::<Arrays>::new());
    let put = |open: &mut Vec<Arrays>, depth: usize, is_typed: bool| {
        if let Some(outer) = open.last_mut().filter(|outer| outer.depth + 1 == depth) {
            outer.has_typed |= is_typed;
            outer.has_untyped |= !is_typed;
        }
    };
    loop {
        let (at, depth) = (reader.position(), reader.depth());
        let event = reader.next_event().unwrap_or(None);
        let has_ended = |top: &mut Arrays| event.is_none() || top.depth >= depth;
        while let Some(Arrays { at, depth, has_typed, has_untyped }) = open.pop_if(has_ended) {
            let is_mixed = has_typed && has_untyped;
            if is_mixed {
                mixed.push(at);
            }
            put(&mut open, depth, !is_mixed);
        }
        match event {
            None => break,
            Some(Event::Array { element: ElementType::Builtin(Kind::Array), .. }) => {
                open.push(Arrays { at, depth, has_typed: false, has_untyped: false });
            }
            Some(Event::Array { element, .. }) => {
                put(&mut open, depth, element != ElementType::Any && is_kept(element));
            }
            _ => {}
        }
    }
    mixed.sort_unstable();
    mixed
}
