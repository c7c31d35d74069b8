//! Room for runs is enough for values like the sample, and bounded for others.

use std::sync::atomic::{AtomicBool, AtomicU64};

use varbatch_codec::{Borrowed, CodecError, CodecErrorKind, Copied, ElementType, Event, Kind, Plain, Width, Writer};
use varbatch_workers::Threads;

use super::{MAX_RESERVED, MAX_RUN, Planning, RUNS, Written, plan_in_rooms};
use crate::engine::DIALECT;
use crate::value::walk::Target;

/// Returns the length and the writer of each run.
fn runs(average: usize, count: usize) -> Vec<(usize, Writer<'static>)> {
    let items = vec![(); count];
    plan_in_rooms(
        average,
        &items,
        &Threads::new(2),
        |_| Writer::new(DIALECT).with_depth(1),
        |_, run, writer| (run.len(), writer),
    )
}

#[test]
fn there_are_several_runs_a_thread_and_each_is_short() {
    assert_eq!(runs(100, 8_001)[0].0, 8_001_usize.div_ceil(2 * RUNS));
    assert_eq!(runs(1 << 10, 100_000)[0].0, MAX_RUN >> 10);
    assert_eq!(runs(2 * MAX_RUN, 10)[0].0, 1);
    assert_eq!((runs(0, 10)[0].0, runs(0, 0).len()), (2, 0));
}

#[test]
fn a_run_of_values_like_the_sample_stays_in_its_room() {
    let (len, mut writer) = runs(8, 80_000).remove(0);
    let needed = 8 * len;
    assert!(writer.room().len() >= needed);
    let room = writer.room().as_ptr();
    (0..len).for_each(|value| writer.write(Event::Int(value as i64)).unwrap());
    assert_eq!(room.wrapping_add(needed), writer.room().as_ptr());
}

#[test]
fn a_sample_of_huge_values_reserves_a_bounded_amount() {
    let reserved: usize = runs(MAX_RUN, 64).iter_mut().map(|(_, writer)| writer.room().len()).sum();
    assert!((MAX_RESERVED..MAX_RESERVED + (1 << 20)).contains(&reserved), "{reserved}");
    assert_eq!(runs(usize::MAX / 2, 2).len(), 2);
}

/// Arrays that share others take little memory, and would take more bytes than any memory has.
#[test]
fn runs_that_are_too_large_together_are_refused_while_they_are_planned() {
    let payload = vec![0; 1 << 20];
    let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: payload.len(), bytes: &payload };
    let (all, is_lossy) = (&AtomicU64::new(0), AtomicBool::new(false));
    let mut writers = [(); 3].map(|()| Writer::new(DIALECT).with_depth(1));
    let mut runs = writers.each_mut().map(|writer| {
        let written = Some(Written { all, counted: 0 });
        Planning { written, ..Planning::<Borrowed>::new(writer, None, &is_lossy) }
    });
    let mut put = |at: usize| -> Result<(), CodecError> {
        runs[at % 2].put(Event::Array { element: ElementType::Any, count: 1 }, Copied)?;
        runs[at % 2].put(Event::Packed(plain), Copied)
    };
    let (at, error) = (0..4096).find_map(|at| Some((at, put(at).err()?))).expect("too large");
    assert!(matches!(error.kind(), CodecErrorKind::TooLarge { .. }), "{error}");
    // Each counts its bytes from time to time.
    assert!((2046..2054).contains(&at), "{at}");
    assert!(runs[2].count().is_err(), "before it begins");
}
