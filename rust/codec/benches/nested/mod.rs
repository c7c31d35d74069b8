//! A saved game: one array of 20,000 dictionaries of 6 keys, written, read and validated.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use varbatch_codec::{Dialect, ElementType, Event, Kind, Plain, Plan, Reader, Text, Width, Writer, fill, validate};

use super::{bytes, dest, written};

const ENTITIES: usize = 20_000;

/// Events of one dictionary: its head, and six keys with their values.
const EVENTS: usize = 13;

/// What the values borrow: texts as the engine holds them, plain data.
struct Data {
    keys: [Vec<u32>; 6],
    name: Vec<u32>,
    numbers: Vec<u8>,
}

impl Data {
    fn new() -> Self {
        let chars = |text: &str| text.chars().map(u32::from).collect();
        let keys = ["id", "name", "position", "health", "alive", "inventory"].map(chars);
        Self { keys, name: chars("Skeleton Archer"), numbers: bytes(1 << 10) }
    }

    fn plan(&self) -> Plan<'_> {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let start = writer.mark();
        writer.write(Event::Array { element: ElementType::Any, count: ENTITIES }).expect("writes");
        for index in 0..ENTITIES {
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

/// Events, and bytes of plain data in them.
fn read(encoded: &[u8]) -> (usize, usize) {
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

#[divan::bench(max_time = 1)]
fn write(bencher: Bencher<'_, '_>) {
    let data = Data::new();
    let mut to = dest(data.plan().len());
    fill::fill(data.plan().whole(), &mut to);
    assert_eq!(read(&written(&to)), (1 + ENTITIES * EVENTS, ENTITIES * (12 + 32)));
    bencher
        .counter(BytesCount::new(to.len()))
        .counter(ItemsCount::new(ENTITIES))
        .bench_local(|| fill::fill(divan::black_box(&data).plan().whole(), divan::black_box(&mut to)));
}

#[divan::bench(max_time = 1, name = "read")]
fn read_events(bencher: Bencher<'_, '_>) {
    let encoded = Data::new().plan().to_vec();
    assert_eq!(read(&encoded), (1 + ENTITIES * EVENTS, ENTITIES * (12 + 32)));
    bencher
        .counter(BytesCount::new(encoded.len()))
        .counter(ItemsCount::new(ENTITIES))
        .bench_local(|| read(divan::black_box(&encoded)));
}

#[divan::bench(max_time = 1, name = "validate")]
fn validated(bencher: Bencher<'_, '_>) {
    let encoded = Data::new().plan().to_vec();
    assert_eq!(validate(Reader::new(&encoded)), Ok(encoded.len()));
    bencher
        .counter(BytesCount::new(encoded.len()))
        .counter(ItemsCount::new(ENTITIES))
        .bench_local(|| validate(Reader::new(divan::black_box(&encoded))).is_ok());
}
