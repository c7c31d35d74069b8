//! Blocks are merged where they are neighbours, and what was written before stays.

use std::mem::MaybeUninit;

use super::{FROM, MAX_GAP, Pages, inside, prepare};

fn merged(blocks: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut memory = vec![MaybeUninit::uninit(); 100 * MAX_GAP];
    let start = memory.as_ptr().addr();
    let mut pages = Pages::default();
    blocks.iter().for_each(|&(from, to)| pages.add(&mut memory[from..to]));
    pages.0.iter().map(|range| (range.start - start, range.end - start)).collect()
}

#[test]
fn neighbours_are_one_range_in_either_direction() {
    let far = 3 * MAX_GAP;
    assert_eq!(merged(&[(0, 10), (10 + MAX_GAP, 9000)]), [(0, 9000)]);
    assert_eq!(merged(&[(9000, 9010), (20, 9000 - MAX_GAP)]), [(20, 9010)]);
    assert_eq!(merged(&[(0, 10), (11 + MAX_GAP, 9000)]), [(0, 10), (11 + MAX_GAP, 9000)]);
    assert_eq!(merged(&[(far, far + 10), (0, 10), (48, 60)]), [(far, far + 10), (0, 60)]);
}

#[test]
fn only_whole_huge_pages_inside_are_meant() {
    assert_eq!(inside(1..10_000, 4096), 4096..8192);
    assert_eq!(inside(4096..8192, 4096), 4096..8192);
    assert!(inside(1..4097, 4096).is_empty());
}

#[test]
fn what_was_written_before_stays() {
    let mut memory = Vec::with_capacity(4 * FROM);
    memory.push(7_u8);
    prepare(memory.as_ptr(), memory.capacity());
    memory.resize(4 * FROM, 8);
    assert_eq!((memory[0], memory[1], memory[4 * FROM - 1]), (7, 8, 8));
    // New memory in which only the first bytes of each block were written, as by the heads of allocations.
    let mut new = Vec::with_capacity(4 * FROM);
    let blocks = new.spare_capacity_mut();
    (0..4 * FROM).step_by(1 << 20).for_each(|at| blocks[at] = MaybeUninit::new(0x5a_u8));
    for _ in 0..2 {
        let mut pages = Pages::default();
        pages.add(blocks);
        pages.prepare();
        for at in (0..4 * FROM).step_by(1 << 20) {
            // SAFETY: written above.
            assert_eq!(unsafe { blocks[at].assume_init() }, 0x5a, "at {at}");
        }
    }
}
