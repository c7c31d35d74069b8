//! The type tree of a buffer, for people who look at one.

use godot::builtin::{Array, VarDictionary, Variant, vdict};
use godot::meta::ToGodot;
use varbatch_codec::{ElementType, Error, Event, Kind, Reader, Text, Threads, validate};

use crate::build::{Build, MayAsk};
use crate::engine::Slot;
use crate::texts::Texts;

/// The tree of the value at the start of `bytes`, as far as it can be read, and what is wrong with it.
pub fn describe(bytes: &[u8]) -> VarDictionary {
    // Objects are described, not made. Counts are trusted, so that there is a tree up to where the bytes end.
    let mut reader = Reader::new(bytes).allow_objects(true).trust_counts();
    let mut node = VarDictionary::new();
    // What stops it is the last thing that is wrong; said is the first.
    let _ = node_of(&mut reader, &mut node);
    if let Err(error) = validate(Reader::new(bytes).allow_objects(true)) {
        node.set("error", error.to_string());
    }
    node
}

/// Reads the next value into `node`. What was read before an error stays in it.
fn node_of(reader: &mut Reader<'_>, node: &mut VarDictionary) -> Result<(), Error> {
    let offset = reader.position();
    let depth = reader.depth();
    let kind = reader.peek_kind()?;
    let event = reader.next_event()?;
    node.set("type", i64::from(kind.id()));
    node.set("type_name", type_name(kind, event).as_str());
    node.set("offset", position(offset));
    node.set("size", position(reader.position() - offset));
    let mut children = Array::<VarDictionary>::new();
    node.set("children", &children);
    let mut child_of = |reader: &mut Reader<'_>, mut child: VarDictionary| {
        let read = node_of(reader, &mut child);
        // Without a header there is nothing to show.
        if child.contains_key("type") {
            children.push(&child);
        }
        read
    };
    let read = match event {
        Some(Event::Array { count, .. }) => {
            (0..count).try_for_each(|index| child_of(reader, vdict! { "index" => position(index) }))
        }
        Some(Event::Dictionary { count, .. }) => (0..count).try_for_each(|_| {
            let key = key(reader)?;
            child_of(reader, vdict! { "key" => &key })
        }),
        Some(Event::Object { class: Text::Utf8(class), count }) => {
            node.set("class", class);
            (0..count).try_for_each(|_| {
                let Some(Event::Text(Text::Utf8(name))) = reader.next_event()? else { unreachable!("a name is due") };
                child_of(reader, vdict! { "key" => name })
            })
        }
        _ => reader.finish_value(depth),
    };
    node.set("size", position(reader.position() - offset));
    read
}

/// The next value, as the key of an entry. One that the engine would have to make or convert something for is not built: its
/// type stands for it.
fn key(reader: &mut Reader<'_>) -> Result<Variant, Error> {
    let (start, kind) = (reader.position(), reader.peek_kind()?);
    reader.skip_value()?;
    let bytes = Reader::new(reader.bytes(start, reader.position()));
    let mut slot = Slot::new();
    let mut texts = Texts::for_bytes(0);
    let built = Build::new(bytes, &mut texts, &Threads::alone(), MayAsk::Nothing).build(&mut slot);
    Ok(if built.is_ok() { slot.value().variant().clone() } else { kind.name().to_variant() })
}

/// The name of the type as GDScript writes it.
fn type_name(kind: Kind, event: Option<Event<'_>>) -> String {
    match event {
        Some(Event::Array { element, .. }) if element != ElementType::Any => {
            format!("Array[{}]", element_name(element))
        }
        Some(Event::Dictionary { key, value, .. }) if (key, value) != (ElementType::Any, ElementType::Any) => {
            format!("Dictionary[{}, {}]", element_name(key), element_name(value))
        }
        _ => kind.name().into(),
    }
}

fn element_name(element: ElementType<'_>) -> &str {
    match element {
        ElementType::Any => "Variant",
        ElementType::Builtin(kind) => kind.name(),
        ElementType::Class(Text::Utf8(name)) | ElementType::Script(Text::Utf8(name)) => name,
        ElementType::Class(Text::Utf32(_)) | ElementType::Script(Text::Utf32(_)) => {
            unreachable!("a Reader gives UTF-8")
        }
    }
}

fn position(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
