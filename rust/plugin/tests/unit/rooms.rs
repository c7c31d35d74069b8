//! Room for runs is enough for values like the sample, and bounded for others.

use varbatch_codec::{Event, Writer};
use varbatch_workers::Threads;

use super::{MAX_RESERVED, MAX_RUN, RUNS, Rooms};
use crate::engine::DIALECT;

#[test]
fn there_are_several_runs_a_thread_and_each_is_short() {
    let threads = Threads::new(2);
    assert_eq!(Rooms::new(100).run_len(8_001, &threads), 8_001_usize.div_ceil(2 * RUNS));
    assert_eq!(Rooms::new(1 << 10).run_len(1_000_000, &threads), MAX_RUN >> 10);
    assert_eq!(Rooms::new(2 * MAX_RUN).run_len(10, &threads), 1);
    assert_eq!(Rooms::new(0).run_len(10, &threads), 2);
    assert_eq!(Rooms::new(0).run_len(0, &threads), 1);
}

#[test]
fn a_run_of_values_like_the_sample_stays_in_its_room() {
    let mut writer = Rooms::new(8).reserved(Writer::new(DIALECT), 10_000);
    assert!(writer.room().len() >= 80_000);
    let room = writer.room().as_ptr();
    for value in 0..10_000 {
        writer.write(Event::Int(value)).unwrap();
    }
    assert_eq!(room.wrapping_add(80_000), writer.room().as_ptr());
}

#[test]
fn a_sample_of_huge_values_reserves_a_bounded_amount() {
    let mut rooms = Rooms::new(usize::MAX / 2);
    for _ in 0..2 {
        rooms.reserved(Writer::new(DIALECT), 1000);
    }
    assert_eq!(rooms.reserved, MAX_RESERVED);
}
