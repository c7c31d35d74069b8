//! What keeps payloads, and counts them.

use std::cell::Cell;
use std::sync::Arc;

use varbatch_codec::{CodecError, Event, Held, Holder, Text, Writer};

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
        writer.write_held(event, Keep { event, keeper: self })
    }

    pub fn live(&self) -> usize {
        Arc::strong_count(&self.live) - 1
    }
}

struct Keep<'e> {
    event: Event<'e>,
    keeper: &'e Keeper,
}

struct Kept<T>(Vec<T>, #[expect(dead_code, reason = "is counted")] Arc<()>);

impl<T> AsRef<[T]> for Kept<T> {
    fn as_ref(&self) -> &[T] {
        &self.0
    }
}

impl Keep<'_> {
    fn keep<T: Copy + Send + Sync + 'static>(self, payload: &[T]) -> Held<T> {
        self.keeper.asked.update(|asked| asked + 1);
        Box::new(Kept(payload.to_vec(), Arc::clone(&self.keeper.live)))
    }
}

impl Holder for Keep<'_> {
    fn bytes(self) -> Held<u8> {
        let text = texts_of(&self.event).first().copied();
        match (plain_of(&self.event), text) {
            (Some(plain), _) => self.keep(plain.bytes),
            (None, Some(Text::Utf8(text))) => self.keep(text.as_bytes()),
            _ => panic!("asked for bytes of {:?}", self.event),
        }
    }

    fn chars(self) -> Held<u32> {
        match texts_of(&self.event).first().copied() {
            Some(Text::Utf32(chars)) => self.keep(chars),
            _ => panic!("asked for characters of {:?}", self.event),
        }
    }
}
