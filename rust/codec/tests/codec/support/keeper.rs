//! What keeps payloads, and counts them.

use std::cell::Cell;
use std::sync::Arc;

use varbatch_codec::{CodecError, Event, Keep, Payload, Text, Writer};

use super::steps::{plain_of, texts_of};

/// Writes events with what keeps them, and counts.
pub struct Keeper {
    /// How often something was asked for.
    pub asked: Cell<usize>,
    /// Shared by all that was given.
    live: Arc<()>,
}

impl Keeper {
    pub fn new() -> Self {
        Self { asked: Cell::new(0), live: Arc::new(()) }
    }

    pub fn write(&self, writer: &mut Writer<'_>, event: Event<'_>) -> Result<(), CodecError> {
        writer.write_as(event, Keeping { event, keeper: self })
    }

    pub fn live(&self) -> usize {
        Arc::strong_count(&self.live) - 1
    }
}

struct Keeping<'e, 'k> {
    event: Event<'e>,
    keeper: &'k Keeper,
}

struct Kept<T>(Vec<T>, #[expect(dead_code, reason = "is counted")] Arc<()>);

impl<T> AsRef<[T]> for Kept<T> {
    fn as_ref(&self) -> &[T] {
        &self.0
    }
}

impl Keeping<'_, '_> {
    fn keep<T: Copy + Send + Sync + 'static>(self, payload: &[T]) -> Box<Kept<T>> {
        self.keeper.asked.update(|asked| asked + 1);
        Box::new(Kept(payload.to_vec(), Arc::clone(&self.keeper.live)))
    }
}

impl<'a> Keep<'_, 'a> for Keeping<'_, '_> {
    fn bytes(self, bytes: &[u8]) -> Payload<'a> {
        let text = texts_of(&self.event).first().copied();
        match (plain_of(&self.event), text) {
            (Some(plain), _) => assert_eq!(plain.bytes, bytes),
            (None, Some(Text::Utf8(text))) => assert_eq!(text.as_bytes(), bytes),
            _ => panic!("asked for bytes of {:?}", self.event),
        }
        Payload::HeldBytes(self.keep(bytes))
    }

    fn utf32(self, chars: &[u32], len: u32) -> Payload<'a> {
        match texts_of(&self.event).first().copied() {
            Some(Text::Utf32(expected)) => assert_eq!(expected, chars),
            _ => panic!("asked for characters of {:?}", self.event),
        }
        Payload::HeldUtf32 { chars: self.keep(chars), len }
    }
}
