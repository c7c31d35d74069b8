//! How fast the text kernels are alone, on one text of 64 Ki characters, beside a copy of its UTF-32. Bytes a second
//! are of UTF-8. What the codec does with short texts is counted in `counts`.

#[path = "counts/arrays.rs"]
#[allow(dead_code)] // `counts` has more of them.
mod arrays;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use varbatch_codec::text;

use self::arrays::{dest, utf32, written};

fn main() {
    divan::main();
}

const KINDS: [&str; 2] = ["ascii", "mixed"];

/// Letters in random order, as branches on a pattern that repeats would be predicted; the same as UTF-32.
fn text(kind: &str) -> (String, Vec<u32>) {
    // Latin, Greek, Cyrillic, Devanagari, Kana, Han, Hangul, emoji: as in the bench that runs in the engine.
    let mixed = "abcxyzéößñαβγδжщюяअआइかきくサシス山川森한국어🌲🔥🚀";
    let letters: Vec<_> = if kind == "ascii" { "abcdefghijklmnopqrstuvwxyz" } else { mixed }.chars().collect();
    let mut state = 20_260_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        letters[(state >> 33) as usize % letters.len()]
    };
    let text: String = std::iter::repeat_with(next).take(64 << 10).collect();
    let chars = utf32(&text);
    (text, chars)
}

/// Times what is done with a text.
fn time<T>(bencher: Bencher<'_, '_>, text: &str, work: impl FnMut() -> T) {
    bencher.counter(BytesCount::new(text.len())).bench_local(work);
}

/// The floor: one copy of the UTF-32.
#[divan::bench(args = KINDS, max_time = 1)]
fn memcpy(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, from) = text(kind);
    let mut to = dest(from.len(), 0_u32);
    time(bencher, &text, || _ = black_box(&mut to[..]).write_copy_of_slice(black_box(&from)));
    assert!(written(&to) == from);
}

#[divan::bench(args = KINDS, max_time = 1)]
fn utf8_len(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, chars) = text(kind);
    time(bencher, &text, || assert_eq!(text::utf8_len(black_box(&chars)), text.len()));
}

#[divan::bench(args = KINDS, max_time = 1)]
fn utf32_len(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, chars) = text(kind);
    time(bencher, &text, || assert_eq!(text::utf32_len(black_box(&text)), chars.len()));
}

#[divan::bench(args = KINDS, max_time = 1)]
fn encode(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, chars) = text(kind);
    let mut to = dest(text.len(), 0_u8);
    time(bencher, &text, || text::encode(black_box(&chars), black_box(&mut to)));
    assert!(written(&to) == text.as_bytes());
}

#[divan::bench(args = KINDS, max_time = 1)]
fn decode(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, _) = text(kind);
    time(bencher, &text, || assert!(text::decode(black_box(text.as_bytes())).is_ok()));
}

#[divan::bench(args = KINDS, max_time = 1)]
fn write_utf32(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, chars) = text(kind);
    let mut to = dest(chars.len(), 0_u32);
    time(bencher, &text, || text::write_utf32(black_box(&text), black_box(&mut to)));
    assert!(written(&to) == chars);
}
