//! Finds what only a whole value shows: Arrays that the other engine cannot have, and keys that are the same for it.

use std::collections::{HashMap, HashSet};

use crate::{ElementType, Event, Kind, Reader};

struct Arrays {
    at: usize,
    depth: usize,
    has_typed: bool,
    has_untyped: bool,
}

/// Returns the offsets, ascending, of all Arrays of Arrays that hold both typed and untyped ones. `is_kept` is true for
/// the element types that the other engine has. Stops at the first error, as the translation does.
pub(super) fn mixed_arrays(mut reader: Reader<'_>, is_kept: impl Fn(ElementType<'_>) -> bool) -> Vec<usize> {
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

/// The keys of a Dictionary so far.
#[derive(Default)]
struct Keys<'a> {
    depth: usize,
    /// The number of keys around it.
    outer_keys: usize,
    /// True if the latest of its events was a key, whose value comes next.
    is_value: bool,
    /// Whether the first form of it was seen, and the second.
    null: [bool; 2],
    texts: HashMap<std::borrow::Cow<'a, str>, [bool; 2]>,
    containers: HashSet<&'a [u8]>,
    /// The offset of a key that is a container, while it is the latest.
    container: Option<usize>,
}

/// Containers as keys are compared unless they are in this many others, as the bytes of keys in keys are compared again.
const MAX_OUTER_KEYS: usize = 16;

/// Calls `found` with the offset of each key that is the same as an earlier one; of containers only if
/// `compare_containers`. Stops at the first error. In Godot 4 these are the same key: String and StringName, null and a
/// null object, equal Dictionaries, alone or in equal Arrays. An object is the same as itself alone.
pub(super) fn equal_keys(mut reader: Reader<'_>, compare_containers: bool, mut found: impl FnMut(usize)) {
    let mut open: Vec<Keys<'_>> = Vec::new();
    let (mut object_at, mut dictionary_at) = (None, None);
    loop {
        let (at, depth) = (reader.position(), reader.depth());
        let Ok(Some(event)) = reader.next_event() else { return };
        while open.pop_if(|top| top.depth > depth).is_some() {}
        let is_text = matches!(event, Event::Text(_));
        if let Some(top) = open.last_mut().filter(|top| top.depth == depth && !is_text) {
            if let Some(start) = top.container.take() {
                let is_compared = dictionary_at >= Some(start) && object_at < Some(start);
                if is_compared && !top.containers.insert(reader.bytes(start, at)) {
                    found(start);
                }
            }
            top.is_value = !top.is_value;
            match event {
                _ if !top.is_value => {}
                Event::Nil if is_second_form(&mut top.null, 0) => found(at),
                Event::ObjectId(0) if is_second_form(&mut top.null, 1) => found(at),
                Event::String(text) if is_second_form(top.texts.entry(text.to_utf8()).or_default(), 0) => found(at),
                Event::StringName(text) if is_second_form(top.texts.entry(text.to_utf8()).or_default(), 1) => found(at),
                Event::Array { .. } | Event::Dictionary { .. } if compare_containers => {
                    top.container = Some(at).filter(|_| top.outer_keys < MAX_OUTER_KEYS);
                }
                _ => {}
            }
        }
        match event {
            Event::Object { .. } | Event::ObjectId(1..) => object_at = Some(at),
            Event::Dictionary { count, .. } => {
                dictionary_at = Some(at);
                if count > 0 {
                    let outer_keys = open.last().map_or(0, |top| top.outer_keys + usize::from(top.container.is_some()));
                    open.push(Keys { depth: depth + 1, outer_keys, ..Keys::default() });
                }
            }
            _ => {}
        }
    }
}

/// Notes one of the two forms of a key. Returns true if the other one was seen before it.
fn is_second_form(seen: &mut [bool; 2], form: usize) -> bool {
    !std::mem::replace(&mut seen[form], true) && seen[1 - form]
}
