//! A save editor: gives the player of a file that `FileAccess.store_var` wrote all health, and moves the player home. All
//! that it does not know stays as it is, and what it knows keeps the engine's types.
//!
//!     cargo run --features serde --example save_editor -- save.dat

use std::error::Error;
use std::{env, fs};

use serde::{Deserialize, Serialize};
use varbatch_codec::frames::{self, FrameWriter};
use varbatch_codec::serde::{StringName, Vector3, from_value, to_value};
use varbatch_codec::{Reader, Value};

#[derive(Deserialize, Serialize)]
struct Player {
    name: String,
    class: StringName,
    hp: u32,
    position: Vector3,
    equipment: Vec<Value>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("expected the path of a file")?;
    Ok(fs::write(&path, edited(&fs::read(&path)?)?)?)
}

/// Returns what is written for the bytes of a file.
pub fn edited(file: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut written = Vec::new();
    for frame in frames::read(file) {
        let mut save = Value::read(&mut Reader::new(frame?.payload).with_objects(true))?;
        if let Some(found) = save.get_mut("player") {
            let mut player: Player = from_value(found)?;
            (player.hp, player.position) = (100, Vector3([0.0; 3]));
            *found = to_value(&player)?;
        }
        FrameWriter::new(&mut written).write(&save.encode()?)?;
    }
    Ok(written)
}
