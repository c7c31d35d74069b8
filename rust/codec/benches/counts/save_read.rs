//! What there is to read in a saved game.

use varbatch_codec::{Event, Reader};

use super::save_game::SaveGame;

/// Events of one dictionary: its head, and six keys with their values.
const EVENTS: usize = 13;

/// Bytes of plain data in one dictionary: a Vector3 and eight ints.
const PLAIN_LEN: usize = 12 + 32;

/// What [`read`] has to find.
pub fn found(game: &SaveGame) -> (usize, usize) {
    (1 + game.entities * EVENTS, game.entities * PLAIN_LEN)
}

/// Events, and bytes of plain data in them.
pub fn read(encoded: &[u8]) -> (usize, usize) {
    let (mut events, mut payload) = (0, 0);
    let mut reader = Reader::new(encoded);
    while let Some(event) = reader.next_event().expect("reads") {
        events += 1;
        if let Event::Components(plain) | Event::Packed(plain) = event {
            payload += plain.bytes.len();
        }
    }
    (events, payload)
}
