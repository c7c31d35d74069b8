//! Values that borrow what they hold, for plans: written by one writer or by several, and the bytes that must give.

use std::cell::Cell;
use std::sync::LazyLock;

use varbatch_codec::fill::CUT_LEN;
use varbatch_codec::{Borrowed, Dialect, Event, Kind, Mark, Part, Plan, Text, Width, Writer, fill};

use super::keeper::Keeper;
use super::memory::{fill_pieces, filled};
use super::naive;
use super::random::Random;
use super::value::Value;
use super::wire::words;
use super::wire::{ANY, packed};

/// A payload longer than this is cut.
pub const PIECE: usize = CUT_LEN;

/// Long enough for many pieces.
pub const LARGE: usize = 8 << 20;

/// What payloads borrow from. Characters of all widths: a lone surrogate, and those that have no UTF-8, among them.
static BYTES: LazyLock<Vec<u8>> =
    LazyLock::new(|| Random::new(1).bytes(if cfg!(miri) { 9000 } else { LARGE + 4 * PIECE }));
static CHARS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let wide = [0xe9, 0x65e5, 0xd800, 0x1_f600, 0x20_0000, 0x400_0000, 0x7fff_ffff, 0xffff_ffff];
    let some = [[0x61; 8], wide].concat();
    let mut random = Random::new(2);
    (0..if cfg!(miri) { 5000 } else { LARGE }).map(|_| random.pick(&some)).collect()
});

/// Gives another offset each time, so that two payloads of one length are not the same.
fn offset() -> usize {
    thread_local! {
        static NEXT: Cell<usize> = const { Cell::new(0) };
    }
    NEXT.replace((NEXT.get() + 1) % 61)
}

pub fn bytes(len: usize) -> &'static [u8] {
    &BYTES[offset()..][..len]
}

pub fn chars(count: usize) -> &'static [u32] {
    &CHARS[offset()..][..count]
}

#[derive(Clone, Debug)]
pub enum Tree {
    Int(i64),
    Bytes(&'static [u8]),
    String(&'static [u32]),
    Strings(Vec<&'static [u32]>),
    /// Bytes or a String that the plan holds.
    Held(Box<Tree>),
    /// Bytes that are a value already.
    Encoded(&'static [u8]),
    Array(Vec<Tree>),
    /// A Dictionary: keys and their values.
    Pairs(Vec<Tree>),
}

impl Tree {
    pub fn bytes(len: usize) -> Self {
        Self::Bytes(bytes(len))
    }

    pub fn text(count: usize) -> Self {
        Self::Strings(vec![chars(count)])
    }

    /// The bytes by plain code.
    pub fn expected(&self) -> Vec<u8> {
        let all = |id, count, parts: &[Self]| {
            [words(&[id, count as u32]), parts.iter().map(Self::expected).collect::<Vec<_>>().concat()].concat()
        };
        match self {
            Self::Int(value) => naive::value(&Value::Int(*value)),
            Self::Bytes(bytes) => naive::value(&Value::plain(Kind::PackedByteArray, Width::Single, bytes.to_vec())),
            Self::String(chars) => naive::value(&Value::String(chars.to_vec())),
            Self::Strings(texts) => naive::value(&Value::Texts(texts.iter().map(|chars| chars.to_vec()).collect())),
            Self::Held(value) => value.expected(),
            Self::Encoded(bytes) => bytes.to_vec(),
            Self::Array(elements) => all(28, elements.len(), elements),
            Self::Pairs(parts) => all(27, parts.len() / 2, parts),
        }
    }

    fn head(&self) -> Event<'static> {
        match self {
            Self::Int(value) => Event::Int(*value),
            Self::Bytes(bytes) => packed(bytes),
            Self::String(chars) => Event::String(Text::Utf32(chars)),
            Self::Strings(texts) => Event::PackedStrings { count: texts.len() },
            Self::Array(elements) => Event::Array { element: ANY, count: elements.len() },
            Self::Pairs(parts) => Event::Dictionary { key: ANY, value: ANY, count: parts.len() / 2 },
            Self::Held(_) | Self::Encoded(_) => unreachable!("not written as an event"),
        }
    }

    pub fn write(&self, writer: &mut Writer<'static>) {
        self.write_split(writer, &mut Random::new(0), 0);
    }

    /// Writes it with runs of what containers hold by other writers, one in the other up to `levels` deep.
    pub fn write_split(&self, writer: &mut Writer<'static>, random: &mut Random, levels: usize) {
        let result = match self {
            Self::Held(value) => Keeper::new().write(writer, value.head()),
            Self::Encoded(bytes) => writer.encoded(bytes, Borrowed),
            _ => writer.write(self.head()),
        };
        result.expect("a value is due");
        match self {
            Self::Strings(texts) => {
                for run in runs(texts, random, levels) {
                    if levels == 0 || random.percent(30) {
                        write_texts(run, writer);
                    } else {
                        let mut other = Writer::for_texts(Dialect::GODOT_4, run.len());
                        write_texts(run, &mut other);
                        writer.append_texts(other, run.len()).expect("so many are due");
                    }
                }
            }
            Self::Array(parts) | Self::Pairs(parts) => {
                for run in runs(parts, random, levels) {
                    if levels == 0 || random.percent(30) {
                        run.iter().for_each(|part| part.write_split(writer, random, levels));
                    } else {
                        let mut other = Writer::new(Dialect::GODOT_4).with_depth(writer.depth());
                        run.iter().for_each(|part| part.write_split(&mut other, random, levels - 1));
                        writer.append(other, run.len()).expect("so many are due");
                    }
                }
            }
            _ => {}
        }
        if writer.depth() == 0 {
            writer.end_value(Mark::default()).expect("a value");
        }
    }

    /// Any value: payloads of up to 200 bytes, and of `long` now and then.
    pub fn any(random: &mut Random, depth: usize, long: &[usize]) -> Self {
        let len = |random: &mut Random| if random.percent(10) { random.pick(long) } else { random.below(200) };
        let parts = |random: &mut Random, count| (0..count).map(|_| Self::any(random, depth - 1, long)).collect();
        match random.below(if depth == 0 { 8 } else { 13 }) {
            0 | 1 => Self::Int(random.next() as i64 >> random.below(60)),
            2 | 3 => Self::bytes(len(random)),
            4 => Self::String(chars(len(random) / 2)),
            5 => Self::Strings((0..random.below(9)).map(|_| chars(len(random) / 4)).collect()),
            6 => Self::Held(Box::new(match random.below(2) {
                0 => Self::bytes(len(random)),
                _ => Self::String(chars(len(random) / 2)),
            })),
            7 => Self::Encoded(bytes(len(random) + 1)),
            8 | 9 => {
                let count = 2 * random.below(5);
                Self::Pairs(parts(random, count))
            }
            _ => {
                let count = random.below(9);
                Self::Array(parts(random, count))
            }
        }
    }
}

fn write_texts(texts: &[&'static [u32]], writer: &mut Writer<'static>) {
    texts.iter().try_for_each(|chars| writer.write(Event::Text(Text::Utf32(chars)))).expect("texts are due");
}

/// All of `items`, cut anywhere; some runs are empty.
fn runs<'t, T>(items: &'t [T], random: &mut Random, levels: usize) -> Vec<&'t [T]> {
    if levels == 0 {
        return vec![items];
    }
    let mut cuts: Vec<_> = (0..random.below(4)).map(|_| random.below(items.len() + 1)).collect();
    cuts.extend([0, items.len()]);
    cuts.sort_unstable();
    let runs = cuts.windows(2).map(|pair| &items[pair[0]..pair[1]]);
    // With the last part all is written, and no run is due behind it.
    let end = cuts.iter().position(|&cut| cut == items.len()).expect("one of them");
    runs.take(end).collect()
}

/// The plan of some values, the marks around them, and what it must give.
pub struct Batch {
    pub plan: Plan<'static>,
    pub marks: Vec<Mark>,
    pub expected: Vec<u8>,
}

impl Batch {
    /// By one writer.
    pub fn new(values: &[Tree]) -> Self {
        Self::by(values, Tree::write)
    }

    /// By several, up to `levels` in one another.
    pub fn split(values: &[Tree], random: &mut Random, levels: usize) -> Self {
        Self::by(values, |value, writer| value.write_split(writer, random, levels))
    }

    fn by(values: &[Tree], mut write: impl FnMut(&Tree, &mut Writer<'static>)) -> Self {
        let mut writer = Writer::new(Dialect::GODOT_4);
        let (mut marks, mut expected) = (vec![writer.mark()], Vec::new());
        for value in values {
            let start = writer.mark();
            write(value, &mut writer);
            writer.end_value(start).expect("complete");
            expected.extend(value.expected());
            assert_eq!(writer.mark().position(), expected.len(), "planned length");
            marks.push(writer.mark());
        }
        Self { plan: writer.into_plan(), marks, expected }
    }

    /// The whole, whole and in pieces.
    #[track_caller]
    pub fn assert_fills(&self) {
        assert_eq!(self.plan.len(), self.expected.len());
        assert_filled(self.plan.whole(), &self.expected);
        assert_bytes(&self.plan.to_vec(), &self.expected, "to_vec");
    }

    /// What lies between two of the marks with these indices, whole and in pieces.
    #[track_caller]
    pub fn assert_part(&self, one: usize, other: usize) {
        let (from, to) = (self.marks[one.min(other)], self.marks[one.max(other)]);
        let part = self.plan.part(from, to);
        assert_eq!(part.is_empty(), from.position() == to.position());
        assert_filled(part, &self.expected[from.position()..to.position()]);
    }
}

#[track_caller]
fn assert_filled(part: Part<'_, '_>, expected: &[u8]) {
    assert_eq!(part.len(), expected.len());
    assert_bytes(&filled(part.len(), |dest| fill::fill(part, dest)), expected, "fill");
    assert_bytes(&filled(part.len(), |dest| fill_pieces(part, dest)), expected, "in pieces");
}

/// As `assert_eq!`, without printing megabytes.
#[track_caller]
pub fn assert_bytes(found: &[u8], expected: &[u8], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{what}: first byte that differs, of {}", expected.len());
}
