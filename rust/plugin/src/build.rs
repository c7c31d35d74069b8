//! Events to Variant.

use varbatch_codec::{Error, Event, Reader, Text, Threads, fill, text};

use crate::engine::{REAL, Slot};

/// Reads one value into `slot`, over `threads` where it is large.
///
/// # Errors
/// If the bytes are no value. The slot is empty then.
pub fn build(reader: &mut Reader<'_>, slot: &mut Slot, threads: &Threads) -> Result<(), Error> {
    match reader.next_event()? {
        None | Some(Event::Nil | Event::Text(_)) => slot.clear(),
        Some(Event::Bool(value)) => slot.set(value),
        Some(Event::Int(value)) => slot.set(value),
        Some(Event::Float(value)) => slot.set(value),
        Some(Event::Components(plain) | Event::Packed(plain)) => {
            fill::plain(plain, REAL, slot.set_plain(plain.kind, plain.count), threads);
        }
        Some(Event::PackedStrings { count }) => {
            let built = strings(reader, slot, count);
            if built.is_err() {
                slot.clear();
            }
            return built;
        }
    }
    Ok(())
}

fn strings(reader: &mut Reader<'_>, slot: &mut Slot, count: usize) -> Result<(), Error> {
    for string in slot.set_strings(count) {
        if let Some(Event::Text(Text::Utf8(text))) = reader.next_event()? {
            text::write_utf32(text, string.allocate(text::utf32_len(text)));
        }
    }
    Ok(())
}
