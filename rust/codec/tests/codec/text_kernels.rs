//! Guards: every implementation of the text kernels that this machine has agrees with plain code, for every length and
//! alignment, wherever in a block something odd stands, and writes nothing beside its destination. The public functions
//! do for every character and every three bytes; text that only Godot 3 takes for UTF-8 is read as it does.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use varbatch_codec::text::{self, Kernels, available};
use varbatch_codec::{Dialect, Event, Reader, Text};

use crate::support::memory::filled;
use crate::support::random::Random;
use crate::support::steps::write;
use crate::support::value::Value;
use crate::support::vectors::hex;
use crate::support::wire::string;
use crate::support::{naive, times};

/// Lengths that are tried: fewer where each step is interpreted.
const LENGTHS: usize = times(301, 90);
const STEP: usize = times(1, 11);

/// Letters of one to four bytes.
const MIXED: &str = "abcxyzéößñαβγδжщюяअআइかきくサシス山川森한국어🌲🔥🚀";

/// Where the length of a character or its validity changes.
const EDGES: [u32; 12] =
    [1, 0x80, 0x800, 0xd800, 0xdc00, 0xe000, 0xff00, 0x1_0000, 0x11_0000, 0x20_0000, 0x400_0000, 1 << 31];

/// Characters, and what is wrong in itself.
const GOOD_PARTS: &str = "61 30313233343536373839616263646566 7f c280 dfbf e0a080 ed9fbf ee8080 efbfbf f0908080 \
    f48fbfbf efbbbf";
const BAD_PARTS: &str = "00 80 bfbf c080 c1bf c3 e08080 e09fbf e282 eda080 edbfbf f0808080 f08fbfbf f09f98 f4908080 \
    f5808080 f888808080 ff";

fn parts(of: &str) -> Vec<Vec<u8>> {
    of.split(' ').map(hex).collect()
}

/// The characters on both sides of each edge.
fn edges() -> impl Iterator<Item = u32> {
    EDGES.into_iter().flat_map(|edge| [edge - 1, edge]).chain([0xfeff, u32::MAX])
}

/// What others call: the best kernels, and straight code for short text.
const PUBLIC: Kernels = Kernels {
    name: "public",
    utf8_len: text::utf8_len,
    encode: text::encode,
    pack: |_, _| None,
    is_text: |bytes| {
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        text::decode(bytes).is_ok_and(|text| text.len() + mark == bytes.len())
    },
    utf32_len: text::utf32_len,
    write_utf32: text::write_utf32,
};

fn all_kernels() -> impl Iterator<Item = &'static Kernels> {
    available().chain([&PUBLIC])
}

fn mixed(random: &mut Random, len: usize) -> String {
    let letters: Vec<_> = MIXED.chars().collect();
    (0..len).map(|_| random.pick(&letters)).collect()
}

fn utf32(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

/// A copy whose first element lies this many elements behind an address that is a multiple of 64.
fn aligned<T: Copy + Default, R>(values: &[T], offset: usize, test: impl FnOnce(&[T]) -> R) -> R {
    let mut memory = vec![T::default(); values.len() + 64 + offset];
    let start = memory.as_ptr().align_offset(64).min(64) + offset;
    memory.truncate(start);
    memory.extend(values);
    test(&memory[start..])
}

#[track_caller]
fn assert_encodes(kernels: &Kernels, chars: &[u32]) {
    let expected = naive::utf8(chars);
    let what = || format!("{}: {chars:x?}", kernels.name);
    assert_eq!((kernels.utf8_len)(chars), expected.len(), "length by {}", what());
    assert_eq!(filled(expected.len(), |dest| (kernels.encode)(chars, dest)), expected, "by {}", what());
    if kernels.name == PUBLIC.name {
        // Short text is encoded by the Writer, long text when the plan is filled.
        let events = [Event::PackedStrings { count: 1 }, Event::Text(Text::Utf32(chars))];
        assert_eq!(write(&events).expect("writes"), naive::value(&Value::Texts(vec![chars.to_vec()])), "{chars:x?}");
        return;
    }
    if chars.len() > 64 {
        return;
    }
    let mut room = vec![MaybeUninit::new(0xc5); 4 * chars.len() + 16];
    match (kernels.pack)(chars, &mut room) {
        Some(len) => {
            // SAFETY: the vector was made of values.
            let packed: Vec<_> = room[..len].iter().map(|byte| unsafe { byte.assume_init() }).collect();
            assert_eq!(packed, expected, "packed by {}", what());
        }
        None => assert!(kernels.name == "scalar" || chars.iter().any(|&c| c > 0x1f_ffff), "not packed by {}", what()),
    }
}

#[track_caller]
fn assert_decodes(kernels: &Kernels, bytes: &[u8]) {
    let expected = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    assert_eq!((kernels.is_text)(bytes), expected.is_some(), "{}: {bytes:02x?}", kernels.name);
    if kernels.name == PUBLIC.name {
        assert_decodes_to_the_rules(bytes);
        assert_decodes_to_the_rules(&[bytes, b"\0"].concat());
    }
    if let Some(text) = expected {
        assert_writes(kernels, text);
    }
}

#[track_caller]
fn assert_writes(kernels: &Kernels, text: &str) {
    let expected = utf32(text);
    assert_eq!((kernels.utf32_len)(text), expected.len(), "length by {}: {text:?}", kernels.name);
    let written = filled(expected.len(), |dest| (kernels.write_utf32)(text, dest));
    assert_eq!(written, expected, "{}: {text:?}", kernels.name);
}

#[test]
fn the_machine_has_more_than_plain_code() {
    let names: Vec<_> = available().map(|kernels| kernels.name).collect();
    assert_eq!(names[0], "scalar");
    // What is not here is not tested. Miri has what it is compiled for.
    println!("{names:?}");
    assert!(names.len() > 1 || cfg!(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64")))));
}

#[test]
fn every_length_and_width() {
    for kernels in all_kernels() {
        let mut random = Random::new(21);
        for len in (0..LENGTHS).step_by(STEP) {
            for c in ['a', 'é', '日', '😀'] {
                let text: String = std::iter::repeat_n(c, len).collect();
                assert_encodes(kernels, &utf32(&text));
                assert_decodes(kernels, text.as_bytes());
            }
            let text = mixed(&mut random, len);
            assert_encodes(kernels, &utf32(&text));
            assert_decodes(kernels, text.as_bytes());
            assert_writes(kernels, &text.replace('a', "\0"));
            // Text of this length in bytes, whatever is cut off.
            let cut = &text.as_bytes()[..len.min(text.len())];
            assert_decodes(kernels, cut);
            assert_decodes(kernels, String::from_utf8_lossy(cut).trim_end_matches('\u{fffd}').as_bytes());
        }
    }
}

#[test]
fn every_alignment() {
    let lengths: &[usize] = if cfg!(miri) { &[6] } else { &[1, 4, 5, 16, 17, 21, 63, 64, 65, 100, 300] };
    for kernels in all_kernels() {
        let mut random = Random::new(22);
        for (offset, &len) in (0..16).flat_map(|offset| lengths.iter().map(move |len| (offset, len))) {
            for text in [mixed(&mut random, len), "x".repeat(len)] {
                aligned(&utf32(&text), offset, |chars| assert_encodes(kernels, chars));
                aligned(text.as_bytes(), offset, |bytes| assert_decodes(kernels, bytes));
            }
        }
    }
}

#[test]
fn an_odd_character_at_every_place() {
    let lengths: &[usize] = if cfg!(miri) { &[9] } else { &[1, 3, 4, 7, 8, 16, 31, 64, 65, 130] };
    for kernels in all_kernels() {
        let mut random = Random::new(23);
        for &len in lengths {
            let ascii = vec![u32::from(b'x'); len];
            let wide = utf32(&mixed(&mut random, len));
            for at in 0..len {
                for c in edges() {
                    for mut chars in [ascii.clone(), wide.clone()] {
                        chars[at] = c;
                        assert_encodes(kernels, &chars);
                    }
                }
            }
        }
    }
}

#[test]
fn an_odd_part_at_every_place() {
    let lengths: &[usize] =
        if cfg!(miri) { &[18] } else { &[0, 1, 2, 3, 7, 8, 14, 15, 16, 17, 31, 32, 33, 62, 65, 131] };
    let parts = [parts(GOOD_PARTS), parts(BAD_PARTS)].concat();
    for kernels in all_kernels() {
        let mut random = Random::new(24);
        for &len in lengths {
            let wide = mixed(&mut random, len);
            for text in ["x".repeat(len), wide] {
                // Between any two characters, and in the middle of one.
                for (at, part) in (0..=text.len()).flat_map(|at| parts.iter().map(move |part| (at, part))) {
                    if cfg!(miri) && !random.percent(3) {
                        continue;
                    }
                    let (before, behind) = text.as_bytes().split_at(at);
                    assert_decodes(kernels, &[before, part, behind].concat());
                    assert_decodes(kernels, &[before, part].concat());
                }
            }
        }
    }
}

#[test]
fn every_four_bytes_are_text_or_not() {
    // Where something changes for one of the bytes, and beside it.
    const BYTES: [u8; 25] = [
        0x00, 0x01, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x91, 0x9f, 0xa0, 0xa1, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
        0xec, 0xed, 0xee, 0xef, 0xf0, 0xf4, 0xf5,
    ];
    let step = if cfg!(miri) { 997 } else { 1 };
    for kernels in all_kernels() {
        for word in (0..BYTES.len().pow(4)).step_by(step) {
            let byte = |place: u32| BYTES[word / BYTES.len().pow(place) % BYTES.len()];
            let bytes = [byte(3), byte(2), byte(1), byte(0)];
            // At the start, over the border of two blocks, and at the end.
            for (before, behind) in [("", "bcdefghijklmnopqrst"), ("abcdefghijklmn", "pqrst"), ("", "")] {
                let bytes = [before.as_bytes(), &bytes, behind.as_bytes()].concat();
                let expected = !bytes.contains(&0) && std::str::from_utf8(&bytes).is_ok();
                assert_eq!((kernels.is_text)(&bytes), expected, "{}: {bytes:02x?}", kernels.name);
            }
        }
    }
}

#[test]
fn random_parts() {
    let good = parts(GOOD_PARTS);
    let all = [good.clone(), parts(BAD_PARTS)].concat();
    // Wider ones are not packed.
    let narrow: Vec<_> = edges().filter(|&c| c < 0x20_0000).collect();
    for kernels in all_kernels() {
        let mut random = Random::new(25);
        for _ in 0..times(40_000, 12) {
            let parts = if random.percent(70) { &good } else { &all };
            let count = random.below(40);
            let bytes: Vec<_> = (0..count).flat_map(|_| parts[random.below(parts.len())].clone()).collect();
            assert_decodes(kernels, &bytes);
            let mut chars: Vec<_> = (0..random.below(90)).map(|_| random.pick(&narrow)).collect();
            assert_encodes(kernels, &chars);
            if let Some(first) = chars.first_mut() {
                *first = random.next() as u32;
                assert_encodes(kernels, &chars);
            }
        }
    }
}

#[test]
fn a_destination_of_another_length_is_refused_by_each() {
    for kernels in all_kernels() {
        let mut random = Random::new(26);
        let lengths: &[usize] = if cfg!(miri) { &[6] } else { &[0, 1, 2, 3, 4, 5, 8, 16, 20, 64, 65, 70, 130] };
        for &len in lengths {
            for text in [mixed(&mut random, len), "x".repeat(len)] {
                let chars = utf32(&text);
                let refused = |work: &mut dyn FnMut()| catch_unwind(AssertUnwindSafe(work)).is_err();
                for other in [1, 2, 3, 4, 12, 16, 17, 64, 100] {
                    let others = |right: usize| [right + other, right.saturating_sub(other)];
                    for bytes in others(text.len()).into_iter().filter(|&bytes| bytes != text.len()) {
                        let mut dest = vec![MaybeUninit::uninit(); bytes];
                        let is_refused = refused(&mut || (kernels.encode)(&chars, &mut dest));
                        assert!(is_refused, "{}: {text:?} in {bytes} bytes", kernels.name);
                    }
                    for count in others(len).into_iter().filter(|&count| count != len) {
                        let mut dest = vec![MaybeUninit::uninit(); count];
                        let is_refused = refused(&mut || (kernels.write_utf32)(&text, &mut dest));
                        assert!(is_refused, "{}: {text:?} in {count} characters", kernels.name);
                    }
                }
            }
        }
    }
}

#[test]
fn every_character_encodes_as_rust_does() {
    for c in ('\0'..=char::MAX).step_by(times(1, 9973)) {
        let mut buffer = [0; 4];
        let expected = c.encode_utf8(&mut buffer).as_bytes();
        assert_eq!(filled(expected.len(), |dest| text::encode(&[u32::from(c)], dest)), expected, "{c:?}");
    }
}

/// Decodes beside the rules of the engine, step by step.
#[track_caller]
fn assert_decodes_to_the_rules(bytes: &[u8]) {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let end = bytes[start..].iter().position(|&byte| byte == 0).map_or(bytes.len(), |len| start + len);
    let expected = std::str::from_utf8(&bytes[start..end]).map_err(|error| start + error.valid_up_to());
    let decoded = text::decode(bytes);
    assert_eq!(decoded, expected, "{bytes:02x?}");
    if let Ok(text) = decoded {
        assert_eq!(text::utf32_len(text), text.chars().count(), "{bytes:02x?}");
    }
}

#[test]
fn every_three_bytes_decode_to_the_rules() {
    (0..1_u32 << 24).step_by(times(1, 65_521)).for_each(|word| assert_decodes_to_the_rules(&word.to_le_bytes()[..3]));
}

/// The text, and whether some of it was replaced; or where it is refused.
type Repaired = Result<(&'static str, bool), usize>;

/// Bytes, and what Godot 3 reads.
pub const ROWS: [(&[u8], Repaired); 30] = [
    // Surrogates are joined or replaced.
    (b"\xed\xa0\xbd\xed\xb8\x80!", Ok(("\u{1f600}!", false))),
    (b"a\xed\xa0\xbd", Ok(("a\u{fffd}", true))),
    (b"\xed\xb8\x80\xed\xa0\xbd", Ok(("\u{fffd}\u{fffd}", true))),
    (b"\xed\xa0\xbd\xed\xb8\x80\xef\xbf\xbd", Ok(("\u{1f600}\u{fffd}", false))),
    ("\u{1f600}\u{e9}".as_bytes(), Ok(("\u{1f600}\u{e9}", false))),
    // What is no character is replaced.
    (b"\xf4\x90\x80\x80.", Ok(("\u{fffd}.", true))),
    (b"\xf9\x80\x80\x80\x80", Ok(("\u{fffd}", true))),
    (b"\xfd\xbf\xbf\xbf\xbf\xbf", Ok(("\u{fffd}", true))),
    ("\u{fffd}".as_bytes(), Ok(("\u{fffd}", false))),
    // Overlong forms are read, but for those that Godot 3 finds.
    (b"\xe0\x80\xaf", Ok(("/", false))),
    (b"\xe0\x80\x90", Ok(("\u{10}", false))),
    (b"\xe0\x80\x8f", Err(0)),
    (b"\xe0\x81\x81", Ok(("A", false))),
    (b"\xf0\x80\x87\xbf", Err(0)),
    (b"\xf0\x80\x88\x80", Ok(("\u{200}", false))),
    (b"\xf8\x80\x83\xbf\xbf", Err(0)),
    (b"\xf8\x80\x84\x80\x80", Ok(("\u{4000}", false))),
    (b"\xfc\x80\x81\xbf\xbf\xbf", Err(0)),
    (b"\xfc\x80\x82\x80\x80\x80", Ok(("\u{80000}", false))),
    (b"\xc0\x80", Err(0)),
    (b"\xc1\xbf", Err(0)),
    // Damage is found where it is.
    (b"ab\xff", Err(2)),
    (b"\x80", Err(0)),
    (b"a\xc3", Err(1)),
    (b"a\xc3(", Err(1)),
    (b"\xed\xa0\xbd\xe2\x82", Err(3)),
    (b"\xe2\x82\0", Err(0)),
    (b"\xfe\x80\x80\x80\x80\x80\x80", Err(0)),
    // Text ends at a NUL.
    (b"a\xed\xa0\xbd\0\xff", Ok(("a\u{fffd}", true))),
    (b"a\0\xff", Ok(("a", false))),
];

#[test]
fn text_of_godot_3_is_read_repaired_or_refused_as_godot_3_does() {
    for (bytes, expected) in ROWS {
        let buffer = string(bytes);
        match (Reader::new(&buffer).with_dialect(Dialect::GODOT_3).next_event(), expected) {
            (Ok(Some(Event::String(text))), Ok((expected, is_lossy))) => {
                assert_eq!(text.to_utf8(), expected, "{bytes:02x?}");
                let lossy = matches!(text, Text::Loose(text) if text.is_lossy());
                assert_eq!(lossy, is_lossy, "{bytes:02x?}");
            }
            (Err(error), Err(at)) => assert_eq!(error.at(), 8 + at, "{bytes:02x?}"),
            (found, _) => panic!("{found:?}, expected {expected:?}: {bytes:02x?}"),
        }
    }
}
