//! A saved game: one array of dictionaries of six keys.

use varbatch_codec::{Dialect, ElementType, Event, Kind, Plain, Plan, Text, Width, Writer};

/// What the values borrow: texts as the engine holds them, plain data.
pub struct SaveGame {
    /// How many dictionaries there are.
    pub entities: usize,
    keys: [Vec<u32>; 6],
    name: Vec<u32>,
    numbers: Vec<u8>,
}

impl SaveGame {
    pub fn new(entities: usize) -> Self {
        let chars = |text: &str| text.chars().map(u32::from).collect();
        let keys = ["id", "name", "position", "health", "alive", "inventory"].map(chars);
        let numbers = (0..1 << 10).map(|index| (index * 7 + index / 251) as u8).collect();
        Self { entities, keys, name: chars("Skeleton Archer"), numbers }
    }

    pub fn plan(&self) -> Plan<'_> {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let start = writer.mark();
        writer.write(Event::Array { element: ElementType::Any, count: self.entities }).expect("writes");
        for index in 0..self.entities {
            self.entity(index, &mut writer);
        }
        writer.end_value(start).expect("ends");
        writer.into_plan()
    }

    #[inline]
    fn entity<'a>(&'a self, index: usize, writer: &mut Writer<'a>) {
        let (key, value) = (ElementType::Builtin(Kind::String), ElementType::Any);
        writer.write(Event::Dictionary { key, value, count: 6 }).expect("writes");
        let plain = |kind, count, len| {
            let at = index % 61 * 4;
            Plain { kind, width: Width::Single, count, bytes: &self.numbers[at..at + len] }
        };
        let values = [
            Event::Int(index as i64),
            Event::String(Text::Utf32(&self.name)),
            Event::Components(plain(Kind::Vector3, 1, 12)),
            Event::Float(index as f64 / 4.0),
            Event::Bool(true),
            Event::Packed(plain(Kind::PackedInt32Array, 8, 32)),
        ];
        for (key, value) in self.keys.iter().zip(values) {
            writer.write(Event::String(Text::Utf32(key))).expect("writes");
            writer.write(value).expect("writes");
        }
    }
}
