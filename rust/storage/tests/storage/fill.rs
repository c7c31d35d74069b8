//! Guards: any number of threads fill what one fills, and refuse what it refuses. The codec's own tests have the pieces.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use varbatch_codec::fill::CUT_LEN;
use varbatch_codec::{Dialect, Event, Kind, Mark, Plain, Plan, Text, Width, Writer};
use varbatch_storage::fill::{self, PARALLEL_FROM};
use varbatch_workers::Threads;

use crate::support::memory::filled;
use crate::support::random::Random;

static THREADS: LazyLock<[Threads; 4]> = LazyLock::new(|| [1, 2, 3, 8].map(Threads::new));
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| Random::new(1).bytes(PARALLEL_FROM + PARALLEL_FROM / 3));

fn plain(kind: Kind, bytes: &[u8]) -> Plain<'_> {
    Plain {
        kind,
        width: Width::Single,
        count: bytes.len() / kind.shape().element_len(Width::Single).expect("packed"),
        bytes,
    }
}

/// A plan of byte arrays of these lengths, with a number and a text between them.
fn plan(lens: &[usize]) -> Plan<'static> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    for &len in lens {
        let array = Event::Packed(plain(Kind::PackedByteArray, &BYTES[..len]));
        for event in [array, Event::Int(-1), Event::String(Text::Utf32(&[0x65e5; 500]))] {
            writer.write(event).expect("writes");
            writer.end_value(Mark::default()).expect("a value");
        }
    }
    writer.into_plan()
}

#[track_caller]
fn assert_fills(plan: &Plan<'_>) {
    let expected = plan.to_vec();
    for threads in &*THREADS {
        for threads in [&threads.awake(), threads] {
            let found = filled(plan.len(), |dest| fill::fill_parallel(plan.whole(), dest, threads));
            assert!(found == expected, "{} bytes, {} threads", plan.len(), threads.count());
        }
    }
}

#[test]
fn any_number_of_threads_fills_alike() {
    for edge in [64, CUT_LEN, PARALLEL_FROM] {
        (edge - 8..edge + 5).step_by(4).for_each(|len| assert_fills(&plan(&[len])));
    }
    assert_fills(&plan(&[3, PARALLEL_FROM + 1, 5, 2 * CUT_LEN + 7, CUT_LEN]));
    assert_fills(&plan(&vec![65; PARALLEL_FROM / 2000]));
    assert_fills(&plan(&[]));
}

#[test]
fn large_data_is_copied_by_any_number_of_threads_or_widened() {
    for threads in &*THREADS {
        for len in [BYTES.len(), PARALLEL_FROM + 1, PARALLEL_FROM, PARALLEL_FROM - 1] {
            let value = plain(Kind::PackedByteArray, &BYTES[..len]);
            let found = filled(len, |dest| fill::plain(value, Width::Single, dest, threads));
            assert!(found == BYTES[..len], "{len} bytes, {} threads", threads.count());
        }
    }
    // Reals are widened.
    let value = plain(Kind::PackedVector2Array, &BYTES[..PARALLEL_FROM]);
    let alone = filled(2 * PARALLEL_FROM, |dest| varbatch_codec::fill::plain(value, Width::Double, dest));
    let found = filled(2 * PARALLEL_FROM, |dest| fill::plain(value, Width::Double, dest, &THREADS[1]));
    assert!(found == alone);
}

#[test]
fn a_destination_of_another_length_is_refused() {
    for len in [100, PARALLEL_FROM] {
        let plan = plan(&[len]);
        let value = plain(Kind::PackedByteArray, &BYTES[..len]);
        for threads in &*THREADS {
            for wrong in [-1, 1, -100] {
                let dest = |len: usize| vec![MaybeUninit::uninit(); len.strict_add_signed(wrong)];
                let work = || fill::fill_parallel(plan.whole(), &mut dest(plan.len()), threads);
                assert!(catch_unwind(AssertUnwindSafe(work)).is_err(), "{wrong} for {}", plan.len());
                let work = || fill::plain(value, Width::Single, &mut dest(len), threads);
                assert!(catch_unwind(AssertUnwindSafe(work)).is_err(), "{wrong} for {len}");
            }
        }
    }
}
