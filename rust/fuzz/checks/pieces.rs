//! A value of which some parts are written by another writer is the same value.

use std::ops::Range;

use varbatch_codec::{Borrowed, Dialect, ElementType, Engine, Event, Kind, Writer};

use super::grammar::{Due, Grammar};
use super::steps::write_all;

/// Writes the value with some of the values of one of its containers written by another writer, or encoded before.
///
/// `pick` says which.
pub fn check(events: &[Event<'_>], dialect: Dialect, pick: usize, expected: &[u8]) {
    let containers: Vec<_> = (0..events.len()).filter(|&head| has_values(&events[head])).collect();
    if containers.is_empty() {
        return;
    }
    let head = containers[pick % containers.len()];
    let (depth, children) = children(events, head);
    let from = pick % children.len();
    let children = &children[from..=from + (pick / 4) % (children.len() - from)];
    let before = &events[..children[0].start];
    let behind = &events[children[children.len() - 1].end..];

    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    write_all(&mut writer, before);
    assert_eq!(writer.depth(), depth, "of the values of a container");
    let mut other = Writer::new(dialect).with_depth(depth);
    for child in children {
        write_value(&mut other, &events[child.clone()]);
    }
    let is_due = writer.append(other, children.len()).is_ok();
    assert_eq!(is_due, dialect.engine != Engine::Pandemonium || !is_of_arrays(&events[head]), "takes what is due");
    if is_due {
        write_all(&mut writer, behind);
        writer.end_value(start).expect("ends what it has written");
        let whole = writer.into_plan().to_vec();
        assert_eq!(whole, expected, "with {} values of another writer at depth {depth}", children.len());
    }

    let pieces: Vec<_> = children.iter().map(|child| encoded(&events[child.clone()], dialect, depth)).collect();
    let mut writer = Writer::new(dialect);
    let start = writer.mark();
    write_all(&mut writer, before);
    pieces.iter().for_each(|piece| writer.encoded(piece, Borrowed).expect("takes what is due"));
    write_all(&mut writer, behind);
    writer.end_value(start).expect("ends what it has written");
    assert_eq!(writer.into_plan().to_vec(), expected, "with {} values encoded before", children.len());
}

/// Whether its type depends on its values in Pandemonium.
fn is_of_arrays(event: &Event<'_>) -> bool {
    matches!(event, Event::Array { element: ElementType::Builtin(Kind::Array), .. })
}

fn has_values(event: &Event<'_>) -> bool {
    matches!(event, Event::Array { count: 1.., .. } | Event::Dictionary { count: 1.., .. })
}

/// How deep the values of the container at `head` lie, and the events of each.
fn children(events: &[Event<'_>], head: usize) -> (usize, Vec<Range<usize>>) {
    let mut grammar = Grammar::default();
    events[..=head].iter().for_each(|event| grammar.take(event));
    let depth = grammar.depth();
    let (mut children, mut start) = (Vec::new(), head + 1);
    for (index, event) in events.iter().enumerate().skip(head + 1) {
        grammar.take(event);
        if grammar.depth() <= depth && grammar.due() != Due::Text {
            children.push(start..index + 1);
            start = index + 1;
        }
        if grammar.depth() < depth {
            break;
        }
    }
    (depth, children)
}

fn write_value<'a>(writer: &mut Writer<'a>, events: &[Event<'a>]) {
    let start = writer.mark();
    write_all(writer, events);
    writer.end_value(start).expect("ends what it has written");
}

fn encoded(events: &[Event<'_>], dialect: Dialect, depth: usize) -> Vec<u8> {
    let mut writer = Writer::new(dialect).with_depth(depth);
    write_value(&mut writer, events);
    writer.into_plan().to_vec()
}
