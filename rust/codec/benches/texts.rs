//! How fast text is alone: the kernels beside a copy, and short texts on their way through Writer and Reader.
//!
//! Each bench checks its result once before it is timed. Bytes a second are of UTF-8 everywhere, those of the copies
//! too: a copy of the UTF-32 that belongs to the text is the floor of the benches of that text.

use std::mem::MaybeUninit;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use varbatch_codec::{Dialect, Event, Plan, Reader, Text, Writer, fill, text};

/// Characters of a long text.
const LONG: usize = 64 << 10;

/// Texts of an array.
const COUNT: usize = 2000;

const ASCII: &str = "abcdefghijklmnopqrstuvwxyz";

/// Latin, Greek, Cyrillic, Devanagari, Kana, Han, Hangul, emoji: as in the bench that runs in the engine.
const MIXED: &str = "abcxyzéößñαβγδжщюяअआइかきくサシス山川森한국어🌲🔥🚀";

fn main() {
    divan::main();
}

/// Letters in random order: branches on a pattern that repeats would be predicted.
fn text(letters: &str, count: usize) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let mut state = 20_260_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        letters[(state >> 33) as usize % letters.len()]
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn long(kind: &str) -> String {
    text(if kind == "ascii" { ASCII } else { MIXED }, LONG)
}

fn utf32(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

fn dest<T: Copy>(len: usize, value: T) -> Vec<MaybeUninit<T>> {
    vec![MaybeUninit::new(value); len]
}

/// What a destination from [`dest`] holds.
fn written<T: Copy>(dest: &[MaybeUninit<T>]) -> Vec<T> {
    // SAFETY: each destination here begins as values.
    dest.iter().map(|place| unsafe { place.assume_init() }).collect()
}

/// One text of 64 Ki characters.
#[divan::bench_group(max_time = 1)]
mod long_text {
    use super::*;

    /// The floor: one copy of the UTF-32.
    #[divan::bench(args = ["ascii", "mixed"])]
    fn memcpy(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let from = utf32(&text);
        let mut to = dest(from.len(), 0_u32);
        bencher.counter(BytesCount::new(text.len())).bench_local(|| {
            divan::black_box(&mut to[..]).write_copy_of_slice(divan::black_box(&from));
        });
        assert!(written(&to) == from);
    }

    #[divan::bench(args = ["ascii", "mixed"])]
    fn utf8_len(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let chars = utf32(&text);
        assert_eq!(text::utf8_len(&chars), text.len());
        bencher.counter(BytesCount::new(text.len())).bench_local(|| text::utf8_len(divan::black_box(&chars)));
    }

    #[divan::bench(args = ["ascii", "mixed"])]
    fn encode(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let chars = utf32(&text);
        let mut to = dest(text.len(), 0_u8);
        text::encode(&chars, &mut to);
        assert!(written(&to) == text.as_bytes());
        bencher
            .counter(BytesCount::new(text.len()))
            .bench_local(|| text::encode(divan::black_box(&chars), divan::black_box(&mut to)));
    }

    /// All of the way out: what the plan and the fill do.
    #[divan::bench(args = ["ascii", "mixed"])]
    fn utf8_len_and_encode(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let chars = utf32(&text);
        let mut to = dest(text.len(), 0_u8);
        bencher.counter(BytesCount::new(text.len())).bench_local(|| {
            let len = text::utf8_len(divan::black_box(&chars));
            text::encode(divan::black_box(&chars), divan::black_box(&mut to[..len]));
        });
        assert!(written(&to) == text.as_bytes());
    }

    #[divan::bench(args = ["ascii", "mixed"])]
    fn decode(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        assert_eq!(text::decode(text.as_bytes()), Ok(&text[..]));
        bencher
            .counter(BytesCount::new(text.len()))
            .bench_local(|| text::decode(divan::black_box(text.as_bytes())).is_ok());
    }

    #[divan::bench(args = ["ascii", "mixed"])]
    fn utf32_len(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        assert_eq!(text::utf32_len(&text), LONG);
        bencher.counter(BytesCount::new(text.len())).bench_local(|| text::utf32_len(divan::black_box(&text)));
    }

    #[divan::bench(args = ["ascii", "mixed"])]
    fn write_utf32(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let mut to = dest(LONG, 0_u32);
        text::write_utf32(&text, &mut to);
        assert!(written(&to) == utf32(&text));
        bencher
            .counter(BytesCount::new(text.len()))
            .bench_local(|| text::write_utf32(divan::black_box(&text), divan::black_box(&mut to)));
    }

    /// All of the way back: what the Reader and the build do.
    #[divan::bench(args = ["ascii", "mixed"])]
    fn decode_and_write_utf32(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let mut to = dest(LONG, 0_u32);
        bencher.counter(BytesCount::new(text.len())).bench_local(|| {
            let text = text::decode(divan::black_box(text.as_bytes())).expect("text");
            let len = text::utf32_len(text);
            text::write_utf32(text, divan::black_box(&mut to[..len]));
        });
        assert!(written(&to) == utf32(&text));
    }
}

/// Short texts of a PackedStringArray. Items are texts.
#[divan::bench_group(max_time = 1)]
mod short_texts {
    use super::*;

    const KINDS: [&str; 3] = ["ascii, 20 letters", "ascii, 4 letters", "mixed, 20 letters"];

    fn texts(kind: &str) -> Vec<Vec<u32>> {
        let letters = if kind.starts_with("ascii") { ASCII } else { MIXED };
        let len = if kind.contains("20") { 20 } else { 4 };
        utf32(&text(letters, COUNT * len)).chunks_exact(len).map(<[u32]>::to_vec).collect()
    }

    fn plan(texts: &[Vec<u32>]) -> Plan<'_> {
        let mut writer = Writer::new(Dialect::GODOT_4);
        writer.write(Event::PackedStrings { count: texts.len() }).expect("writes");
        for chars in texts {
            writer.write(Event::Text(Text::Utf32(chars))).expect("writes");
        }
        writer.into_plan()
    }

    fn utf8_len(texts: &[Vec<u32>]) -> usize {
        texts.iter().map(|chars| text::utf8_len(chars)).sum()
    }

    /// Planned and filled.
    #[divan::bench(args = KINDS)]
    fn write(bencher: Bencher<'_, '_>, kind: &str) {
        let texts = texts(kind);
        let mut to = dest(plan(&texts).len(), 0_u8);
        fill::fill(plan(&texts).whole(), &mut to);
        let written = written(&to);
        let mut reader = Reader::new(&written);
        assert_eq!(reader.next_event(), Ok(Some(Event::PackedStrings { count: texts.len() })));
        for chars in &texts {
            let text: String = chars.iter().filter_map(|&c| char::from_u32(c)).collect();
            assert_eq!(reader.next_text(), Ok(Some(Text::Utf8(&text))));
        }
        bencher
            .counter(BytesCount::new(utf8_len(&texts)))
            .counter(ItemsCount::new(COUNT))
            .bench_local(|| fill::fill(plan(divan::black_box(&texts)).whole(), divan::black_box(&mut to)));
    }

    /// Read, measured, and written to memory that is there already.
    #[divan::bench(args = KINDS)]
    fn read(bencher: Bencher<'_, '_>, kind: &str) {
        let texts = texts(kind);
        let encoded = plan(&texts).to_vec();
        let mut to: Vec<_> = texts.iter().map(|chars| dest(chars.len(), 0_u32)).collect();
        let mut run = |encoded: &[u8]| {
            let mut reader = Reader::new(encoded);
            assert!(matches!(reader.next_event(), Ok(Some(Event::PackedStrings { count: COUNT }))));
            for to in &mut to {
                let Ok(Some(Text::Utf8(text))) = reader.next_text() else { unreachable!("UTF-8") };
                let len = text::utf32_len(text);
                text::write_utf32(text, divan::black_box(&mut to[..len]));
            }
        };
        run(&encoded);
        bencher
            .counter(BytesCount::new(utf8_len(&texts)))
            .counter(ItemsCount::new(COUNT))
            .bench_local(|| run(divan::black_box(&encoded)));
        assert!(to.iter().map(|to| written(to)).eq(texts));
    }
}
