//! Arrays of Arrays once more, for engines in which typed and untyped ones are two types.

use varbatch_codec::{ElementType, Event, Kind};

/// The indices of the Arrays of Arrays that hold both, if those of the element types that `keeps` names are typed.
pub fn mixed(events: &[Event<'_>], keeps: &dyn Fn(ElementType<'_>) -> bool) -> Vec<usize> {
    let mut found = Vec::new();
    value(events, 0, keeps, &mut found);
    found.sort_unstable();
    found
}

/// Gives the index behind a value, and of an Array whether it is typed.
fn value(
    events: &[Event<'_>],
    index: usize,
    keeps: &dyn Fn(ElementType<'_>) -> bool,
    found: &mut Vec<usize>,
) -> (usize, Option<bool>) {
    let Some(event) = events.get(index) else { return (index, None) };
    let (texts, values, names) = match *event {
        Event::Array { count, .. } => (0, count, 0),
        Event::Dictionary { count, .. } => (0, 2 * count, 0),
        Event::Object { count, .. } => (0, count, 1),
        Event::NodePath { names, subnames, .. } => (names + subnames, 0, 0),
        Event::PackedStrings { count } => (count, 0, 0),
        _ => (0, 0, 0),
    };
    let (mut end, mut typed, mut untyped) = (index + 1 + texts, false, false);
    for _ in 0..values {
        let (next, is_typed) = value(events, end + names, keeps, found);
        end = next;
        typed |= is_typed == Some(true);
        untyped |= is_typed == Some(false);
    }
    let is_typed = match *event {
        Event::Array { element: ElementType::Builtin(Kind::Array), .. } => {
            if typed && untyped {
                found.push(index);
            }
            Some(!(typed && untyped))
        }
        Event::Array { element, .. } => Some(element != ElementType::Any && keeps(element)),
        _ => None,
    };
    (end, is_typed)
}
