//! How fast the codec is alone, beside a plain copy of the same bytes: writing, reading, frames, nested values.
//!
//! Each bench checks its result once before it is timed. Destinations and sources are warm: what an allocation or a
//! page fault costs is left to `scripts/bench.sh`, which has the engine's own allocator.

mod nested;

use std::mem::MaybeUninit;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use varbatch_codec::{Dialect, Event, Kind, Plain, Plan, Reader, Width, Writer, fill, frames};

/// Payloads of one packed array, in bytes.
const SIZES: [usize; 5] = [64, 4 << 10, 64 << 10, 1 << 20, 8 << 20];

/// A batch of small arrays: how many, and the payload of each in bytes.
const BATCH: (usize, usize) = (20_000, 64);

fn main() {
    divan::main();
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index * 7 + index / 251) as u8).collect()
}

fn array(bytes: &[u8]) -> Event<'_> {
    let (kind, width) = (Kind::PackedInt32Array, Width::Single);
    Event::Packed(Plain { kind, width, count: bytes.len() / 4, bytes })
}

fn plan(payload: &[u8]) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let start = writer.mark();
    writer.write(array(payload)).expect("writes");
    writer.end_value(start).expect("ends");
    writer.into_plan()
}

fn plan_of_frames(payload: &[u8]) -> Plan<'_> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    for payload in payload.chunks_exact(BATCH.1) {
        frames::write(&mut writer, |writer| writer.write(array(payload))).expect("writes");
    }
    writer.into_plan()
}

fn dest(len: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::new(0xff); len]
}

/// What `fill` has written.
fn written(dest: &[MaybeUninit<u8>]) -> Vec<u8> {
    // SAFETY: each destination here begins as values.
    dest.iter().map(|byte| unsafe { byte.assume_init() }).collect()
}

#[divan::bench_group(max_time = 1)]
mod write {
    use super::*;

    /// The floor: one copy of the payload.
    #[divan::bench(args = SIZES)]
    fn memcpy(bencher: Bencher<'_, '_>, len: usize) {
        let (from, mut to) = (bytes(len), dest(len));
        bencher.counter(BytesCount::new(len)).bench_local(|| {
            divan::black_box(&mut to[..]).write_copy_of_slice(divan::black_box(&from));
        });
        assert!(written(&to) == from);
    }

    #[divan::bench(args = SIZES)]
    fn packed_array(bencher: Bencher<'_, '_>, len: usize) {
        let payload = bytes(len);
        let mut to = dest(len + 8);
        fill::fill(plan(&payload).whole(), &mut to);
        let written = written(&to);
        assert!(written[8..] == payload && written[..4] == [30, 0, 0, 0]);
        assert!(written[4..8] == ((len / 4) as u32).to_le_bytes());
        bencher.counter(BytesCount::new(len)).bench_local(|| {
            fill::fill(plan(divan::black_box(&payload)).whole(), divan::black_box(&mut to));
        });
    }
}

#[divan::bench_group(max_time = 1)]
mod read {
    use super::*;

    #[divan::bench(args = SIZES)]
    fn packed_array(bencher: Bencher<'_, '_>, len: usize) {
        let payload = bytes(len);
        let encoded = plan(&payload).to_vec();
        let mut to = dest(len);
        let mut run = |encoded: &[u8]| match Reader::new(encoded).next_event() {
            Ok(Some(Event::Packed(plain))) => fill::plain(plain, Width::Single, divan::black_box(&mut to)),
            other => panic!("read {other:?}"),
        };
        run(&encoded);
        bencher.counter(BytesCount::new(len)).bench_local(|| run(divan::black_box(&encoded)));
        assert!(written(&to) == payload);
    }
}

#[divan::bench_group(max_time = 1)]
mod batch {
    use super::*;

    /// The floor: one copy of all bytes of the output.
    #[divan::bench]
    fn memcpy(bencher: Bencher<'_, '_>) {
        let from = bytes(BATCH.0 * (BATCH.1 + 12));
        let mut to = dest(from.len());
        bencher.counter(BytesCount::new(from.len())).bench_local(|| {
            divan::black_box(&mut to[..]).write_copy_of_slice(divan::black_box(&from));
        });
        assert!(written(&to) == from);
    }

    #[divan::bench]
    fn write_frames(bencher: Bencher<'_, '_>) {
        let payload = bytes(BATCH.0 * BATCH.1);
        let mut to = dest(plan_of_frames(&payload).len());
        fill::fill(plan_of_frames(&payload).whole(), &mut to);
        let written = written(&to);
        assert!(payload.chunks_exact(BATCH.1).zip(written.chunks_exact(BATCH.1 + 12)).all(|(a, b)| b[12..] == *a));
        bencher.counter(BytesCount::new(to.len())).counter(ItemsCount::new(BATCH.0)).bench_local(|| {
            fill::fill(plan_of_frames(divan::black_box(&payload)).whole(), divan::black_box(&mut to));
        });
    }

    #[divan::bench]
    fn read_frames(bencher: Bencher<'_, '_>) {
        let payload = bytes(BATCH.0 * BATCH.1);
        let encoded = plan_of_frames(&payload).to_vec();
        let run = |encoded: &[u8]| {
            let arrays = frames::read(encoded).map(|frame| {
                let frame = frame.expect("a frame");
                match Reader::new(frame.payload).with_base(frame.at).next_event() {
                    Ok(Some(Event::Packed(plain))) => plain.bytes.len(),
                    other => panic!("read {other:?}"),
                }
            });
            arrays.sum::<usize>()
        };
        assert_eq!(run(&encoded), payload.len());
        bencher
            .counter(BytesCount::new(encoded.len()))
            .counter(ItemsCount::new(BATCH.0))
            .bench_local(|| run(divan::black_box(&encoded)));
    }
}
