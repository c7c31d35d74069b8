//! Buffers that are nearly values: made to the rules, with here and there a part that is not, then damaged.

use varbatch_codec::{Engine, Kind, Width};

use super::numbers::{self, TYPED_ARRAY};
use super::random::Random;

#[rustfmt::skip] // several a line
const WORDS: [u32; 16] = [
    0, 1, 2, 3, 4, 5, 8, 0xff, 0x8000_0000, 0x8000_0001, 0xffff_ffff,
    0x7fff_ffff, 0x7fff_fffc, 0x4000_0000, 0x1fff_ffff, 0x1555_5556,
];

#[rustfmt::skip] // several a line
const TEXTS: [&[u8]; 16] = [
    b"", b"", b"a\0", b"abc\0", b"ab", b"Node", b"script", b"res://a.gd", b"\xc3\xa9\0", b"\xef\xbb\xbf",
    b"\xef\xbb\xbf\xef\xbb\xbfa", b"a\0\xff", b"\xf0\x9f\x98\x80", // good ones
    b"\xff", b"\xed\xa0\x80", b"\xe2\x82",
];

/// How many of the texts are good: they stand first.
const GOOD_TEXTS: usize = 13;

/// A buffer, and how likely each of its parts is not to the rules, in percent of a percent.
struct Maker<'r> {
    engine: Engine,
    random: &'r mut Random,
    bytes: Vec<u8>,
    slips: usize,
}

/// A value of any kind, nested up to `depth` deep. A slip is a part against the rules; `slips` of 10,000 parts are.
pub fn value(random: &mut Random, depth: usize, slips: usize) -> Vec<u8> {
    value_of(Engine::Godot4, random, depth, slips)
}

/// As [`value`], with the types and numbers of an engine.
pub fn value_of(engine: Engine, random: &mut Random, depth: usize, slips: usize) -> Vec<u8> {
    let mut maker = Maker { engine, random, bytes: Vec::new(), slips };
    let id = maker.random.pick(&[27, 28, 28, 24, 34, 22, 0]);
    let id = if depth == 0 || id == 0 { maker.any_type() } else { id };
    maker.value(id, depth);
    maker.bytes
}

impl Maker<'_> {
    fn slips(&mut self) -> bool {
        self.random.below(10_000) < self.slips
    }

    fn is_godot_4(&self) -> bool {
        self.engine == Engine::Godot4
    }

    /// A type of the engine.
    fn any_type(&mut self) -> u32 {
        let types = numbers::types(self.engine);
        types[self.random.below(types.len())].into()
    }

    /// The number of a type in the engine, or one of both; some number where it has none.
    fn number(&mut self, id: u32) -> u32 {
        let types = numbers::types(self.engine);
        let all: Vec<_> = (0..types.len()).filter(|&number| u32::from(types[number]) == id).collect();
        let number = match all[..] {
            [] => self.random.below(types.len()),
            [number] => number,
            _ => self.random.pick(&all),
        };
        number as u32
    }

    fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// A count or length that is mostly right.
    fn count(&mut self, right: usize, high_bit: u32) {
        let right = right as u32;
        let word = if self.slips() {
            self.random.pick(&WORDS)
        } else if self.slips() {
            right.wrapping_add(self.random.pick(&[1, 1, 2, u32::MAX]))
        } else {
            right
        };
        self.word(word ^ high_bit);
    }

    fn text(&mut self) {
        let good = !self.slips();
        let text = TEXTS[if good { self.random.below(GOOD_TEXTS) } else { self.random.below(TEXTS.len()) }];
        self.count(text.len(), 0);
        self.bytes.extend(text);
        if !self.slips() {
            let padding = self.random.pick(&[0, 0, 0, 7]);
            self.pad(padding);
        }
    }

    fn pad(&mut self, byte: u8) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), byte);
    }

    fn data(&mut self, len: usize) {
        for _ in 0..len {
            let byte = self.random.pick(&[0, 0, 0, 1, 0x3f, 0x7f, 0x80, 0xff]);
            self.bytes.push(byte);
        }
    }

    fn element_type(&mut self, form: u32) {
        match form & 3 {
            0 => {}
            1 if self.slips() => {
                let word = self.random.pick(&WORDS);
                self.word(word);
            }
            1 => {
                let id = self.any_type();
                let number = self.number(id);
                self.word(number);
            }
            _ => self.text(),
        }
    }

    /// A value of the type with this id.
    fn value(&mut self, id: u32, depth: usize) {
        let number = if self.slips() { self.random.below(256) as u32 } else { self.number(id) };
        let id = numbers::types(self.engine).get(number as usize).map_or(255, |&id| id.into());
        let ignored = self.random.pick(&[0, 0, 0, 0xff]);
        let flags = self.random.pick(&[0, 0, 0, 1, 1, 2, 3, 4, 8, 9, 12, 0xffff]) as u32;
        self.word(number | ignored << 8 | flags << 16);
        let width = if flags & 1 == 0 || !self.is_godot_4() { Width::Single } else { Width::Double };
        let short = if flags & 1 == 0 { 4 } else { 8 };
        let count = self.random.pick(&[0, 1, 1, 2, 3, 5]);
        let high_bit = self.random.pick(&[0, 0, 0, 1]) << 31;
        match id {
            1 => self.data(4),
            2 | 3 => self.data(short),
            4 | 21 => self.text(),
            22 => self.node_path(count),
            23 => self.data(if self.is_godot_4() { 8 } else { 0 }),
            24 if flags & 1 != 0 => self.data(8),
            24 => {
                self.text();
                self.count(count, 0);
                for _ in 0..count {
                    self.text();
                    self.inner(depth);
                }
            }
            26 => {
                self.text();
                self.data(8);
            }
            27 => {
                let forms = if self.is_godot_4() { flags } else { 0 };
                self.element_type(forms);
                self.element_type(forms >> 2);
                self.count(count, high_bit);
                (0..2 * count).for_each(|_| self.inner(depth));
            }
            28 => {
                self.element_type(if self.is_godot_4() { flags } else { 0 });
                self.count(count, high_bit);
                (0..count).for_each(|_| self.inner(depth));
            }
            34 => {
                self.count(count, 0);
                (0..count).for_each(|_| self.text());
            }
            id if id == u32::from(TYPED_ARRAY) => self.typed_array(flags & 1 != 0, count, high_bit, depth),
            _ if let Some((_, len)) = numbers::bare(self.engine, number as u8) => {
                self.count(count, 0);
                self.data(len * count);
            }
            _ => {
                let kind = Kind::from_id(id as u8);
                let element_len = kind.and_then(|kind| kind.shape().element_len(width)).unwrap_or(0);
                let is_packed = (29..=38).contains(&id);
                if is_packed {
                    self.count(count, 0);
                }
                self.data(element_len * if is_packed { count } else { 1 });
                // Without it, what follows is read up to three bytes late.
                if !self.random.percent(3) {
                    self.pad(0);
                }
            }
        }
    }

    fn inner(&mut self, depth: usize) {
        let id = match self.random.below(10) {
            0..3 if depth > 1 => self.random.pick(&[24, 27, 27, 28, 28]),
            3..6 => self.random.pick(&[0, 1, 2, 4, 5, 21, 22, 25, 29]),
            _ => self.any_type(),
        };
        // At the bottom, containers are other things.
        let id = if depth <= 1 && [24, 27, 28, TYPED_ARRAY.into()].contains(&id) { 34 } else { id };
        self.value(id, depth.saturating_sub(1));
    }

    fn typed_array(&mut self, flagged: bool, count: usize, high_bit: u32, depth: usize) {
        let element = if self.random.percent(40) { 24 } else { self.any_type() };
        let number = if self.slips() { self.random.pick(&WORDS) } else { self.number(element) };
        self.word(number);
        if element == 24 && !flagged {
            let name = if self.slips() { self.any_type() } else { 21 };
            let number = self.number(name);
            self.word(number);
            self.text();
        }
        self.count(count, high_bit);
        (0..count).for_each(|_| self.inner(depth));
    }

    fn node_path(&mut self, count: usize) {
        let flags = self.random.pick(&[0, 0, 1, 1, 2, 3, 4, 0xffff_fffd]);
        let names = self.random.below(count + 1);
        let subnames = count - names;
        // The obsolete flag announces one subname more; sums may wrap.
        let counted = if flags & 2 == 0 { subnames as u32 } else { (subnames as u32).wrapping_sub(1) };
        let high_bit = if self.slips() { 0 } else { 1 << 31 };
        self.count(names, high_bit);
        self.count(counted as usize, 0);
        self.word(flags);
        (0..count).for_each(|_| self.text());
    }
}

/// Changes a buffer in one place: cut off, a byte or word changed, words taken out or put in, a part of another put in.
pub fn damage(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let word_at = random.below(bytes.len()) / 4 * 4;
    let rest = bytes.len() - word_at;
    match random.below(7) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        2 if rest >= 4 => {
            let word = if random.percent(50) { random.pick(&WORDS) } else { random.below(40) as u32 };
            bytes[word_at..word_at + 4].copy_from_slice(&word.to_le_bytes());
        }
        3 => _ = bytes.drain(word_at..word_at + random.below(rest.min(12) + 1) / 4 * 4),
        4 => {
            let word = random.pick(&WORDS).to_le_bytes();
            bytes.splice(word_at..word_at, word);
        }
        5 => bytes.resize(bytes.len() + random.below(8), 0),
        _ => {
            let from = random.below(other.len() + 1) / 4 * 4;
            let to = from + random.below(other.len() - from.min(other.len()) + 1);
            let part = other.get(from..to).unwrap_or_default().to_vec();
            let end = if random.percent(50) { bytes.len() } else { word_at };
            bytes.splice(word_at..end, part);
        }
    }
}
