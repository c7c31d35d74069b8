//! Packed arrays and texts to write, and memory to write them to.

use std::mem::MaybeUninit;

use varbatch_codec::{Dialect, Event, Kind, Plain, Plan, Text, Width, Writer, frames};

/// Payload of one array in a batch, in bytes.
pub const SMALL: usize = 64;

pub fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index * 7 + index / 251) as u8).collect()
}

pub fn utf32(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

fn array(bytes: &[u8]) -> Event<'_> {
    let (kind, width) = (Kind::PackedInt32Array, Width::Single);
    Event::Packed(Plain { kind, width, count: bytes.len() / 4, bytes })
}

pub fn plan_of_array(payload: &[u8]) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    writer.write(array(payload)).expect("writes");
    writer.end_value(start).expect("ends");
    writer.into_plan()
}

/// A frame for each [`SMALL`] bytes.
pub fn plan_of_frames(payload: &[u8]) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    for payload in payload.chunks_exact(SMALL) {
        frames::write(&mut writer, |writer| writer.write(array(payload))).expect("writes");
    }
    writer.into_plan()
}

pub fn plan_of_texts<'a>(texts: impl ExactSizeIterator<Item = Text<'a>>) -> Plan<'a> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    writer.write(Event::PackedStrings { count: texts.len() }).expect("writes");
    for text in texts {
        writer.write(Event::Text(text)).expect("writes");
    }
    writer.end_value(start).expect("ends");
    writer.into_plan()
}

pub fn dest<T: Copy>(len: usize, value: T) -> Vec<MaybeUninit<T>> {
    vec![MaybeUninit::new(value); len]
}

/// What a destination from [`dest`] holds.
pub fn written<T: Copy>(dest: &[MaybeUninit<T>]) -> Vec<T> {
    // SAFETY: each destination begins as values.
    dest.iter().map(|place| unsafe { place.assume_init() }).collect()
}
