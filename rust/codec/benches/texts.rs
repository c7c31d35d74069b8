//! How fast text is alone: the kernels beside a copy, and short texts on their way through Writer and Reader.
//!
//! Each bench checks its result once before it is timed. Bytes a second are of UTF-8 everywhere, those of the copies
//! too: a copy of the UTF-32 that belongs to the text is the floor of the benches of that text.

#[path = "counts/arrays.rs"]
mod arrays;
#[path = "counts/cases.rs"]
#[allow(dead_code)] // `counts` has more of them.
mod cases;
#[path = "counts/save_game.rs"]
mod save_game;
#[path = "counts/timed.rs"]
mod timed;

use divan::Bencher;
use divan::counter::BytesCount;
use varbatch_codec::text;

use self::arrays::{dest, utf32, written};
use self::cases::Count;
use self::timed::timed;

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

/// Times what is done with a text.
fn time<T>(bencher: Bencher<'_, '_>, text: &str, work: impl FnMut() -> T) {
    bencher.counter(BytesCount::new(text.len())).bench_local(work);
}

/// One text of 64 Ki characters.
#[divan::bench_group(max_time = 1)]
mod long_text {
    use divan::black_box;

    use super::*;

    const KINDS: [&str; 2] = ["ascii", "mixed"];

    /// The floor: one copy of the UTF-32.
    #[divan::bench(args = KINDS)]
    fn memcpy(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let from = utf32(&text);
        let mut to = dest(from.len(), 0_u32);
        time(bencher, &text, || _ = black_box(&mut to[..]).write_copy_of_slice(black_box(&from)));
        assert!(written(&to) == from);
    }

    #[divan::bench(args = KINDS)]
    fn utf8_len(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let chars = utf32(&text);
        assert_eq!(text::utf8_len(&chars), text.len());
        time(bencher, &text, || text::utf8_len(black_box(&chars)));
    }

    #[divan::bench(args = KINDS)]
    fn encode(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let (chars, mut to) = (utf32(&text), dest(text.len(), 0_u8));
        time(bencher, &text, || text::encode(black_box(&chars), black_box(&mut to)));
        assert!(written(&to) == text.as_bytes());
    }

    /// All of the way out: what the plan and the fill do.
    #[divan::bench(args = KINDS)]
    fn utf8_len_and_encode(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        let (chars, mut to) = (utf32(&text), dest(text.len(), 0_u8));
        time(bencher, &text, || {
            let len = text::utf8_len(black_box(&chars));
            text::encode(black_box(&chars), black_box(&mut to[..len]));
        });
        assert!(written(&to) == text.as_bytes());
    }

    #[divan::bench(args = KINDS)]
    fn decode(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        assert_eq!(text::decode(text.as_bytes()), Ok(&text[..]));
        time(bencher, &text, || text::decode(black_box(text.as_bytes())).is_ok());
    }

    #[divan::bench(args = KINDS)]
    fn utf32_len(bencher: Bencher<'_, '_>, kind: &str) {
        let text = long(kind);
        assert_eq!(text::utf32_len(&text), LONG);
        time(bencher, &text, || text::utf32_len(black_box(&text)));
    }

    #[divan::bench(args = KINDS)]
    fn write_utf32(bencher: Bencher<'_, '_>, kind: &str) {
        let (text, mut to) = (long(kind), dest(LONG, 0_u32));
        time(bencher, &text, || text::write_utf32(black_box(&text), black_box(&mut to)));
        assert!(written(&to) == utf32(&text));
    }

    /// All of the way back: what the Reader and the build do.
    #[divan::bench(args = KINDS)]
    fn decode_and_write_utf32(bencher: Bencher<'_, '_>, kind: &str) {
        let (text, mut to) = (long(kind), dest(LONG, 0_u32));
        time(bencher, &text, || {
            let text = text::decode(black_box(text.as_bytes())).expect("text");
            let len = text::utf32_len(text);
            text::write_utf32(text, black_box(&mut to[..len]));
        });
        assert!(written(&to) == utf32(&text));
    }
}

/// Short texts of a PackedStringArray. Items are texts.
#[divan::bench_group(max_time = 1)]
mod short_texts {
    use super::*;

    const KINDS: [&str; 3] = ["ascii, 20 letters", "ascii, 4 letters", "mixed, 20 letters"];

    fn texts(kind: &str) -> Vec<String> {
        let letters = if kind.starts_with("ascii") { ASCII } else { MIXED };
        let len = if kind.contains("20") { 20 } else { 4 };
        let letters: Vec<_> = text(letters, COUNT * len).chars().collect();
        letters.chunks_exact(len).map(|text| text.iter().collect()).collect()
    }

    fn time(bencher: Bencher<'_, '_>, kind: &str, case: fn(&[String], Count<'_>)) {
        let texts = texts(kind);
        timed(bencher, texts.concat().len(), COUNT, |count| case(&texts, count));
    }

    /// Planned and filled.
    #[divan::bench(args = KINDS)]
    fn write(bencher: Bencher<'_, '_>, kind: &str) {
        time(bencher, kind, cases::write_texts);
    }

    /// Read, measured, and written to memory that is there already.
    #[divan::bench(args = KINDS)]
    fn read(bencher: Bencher<'_, '_>, kind: &str) {
        time(bencher, kind, cases::read_texts);
    }
}
