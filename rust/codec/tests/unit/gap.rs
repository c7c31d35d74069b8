use proptest::collection::vec;
use proptest::prelude::*;

use super::GapBuffer;

/// All that is in it, in order.
fn all(buffer: &GapBuffer<u32>) -> Vec<u32> {
    buffer.pieces(0..buffer.len()).collect::<Vec<_>>().concat()
}

/// How many elements a change moved.
fn moved(buffer: &mut GapBuffer<u32>, change: impl FnOnce(&mut GapBuffer<u32>)) -> usize {
    let before = buffer.front;
    change(buffer);
    buffer.front.abs_diff(before)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_as_a_vector(start in vec(0..9_u32, 0..9), edits in vec((any::<u16>(), 0..4_usize, vec(0..9_u32, 0..9)), 0..30)) {
        let mut buffer = GapBuffer::new(start.clone());
        let mut model = start;
        for (at, len, with) in edits {
            let at = usize::from(at) % (model.len() + 1);
            let range = at..(at + len).min(model.len());
            let pieces: Vec<_> = buffer.pieces(range.clone()).collect();
            prop_assert_eq!(pieces.concat(), &model[range.clone()]);
            buffer.replace(range.clone(), &with);
            model.splice(range, with);
            if let Some(last) = model.last_mut() {
                *last += 1;
                buffer.replace(buffer.len() - 1..buffer.len(), &[*last]);
            }
            prop_assert_eq!(all(&buffer), &model[..]);
            prop_assert_eq!(buffer.len(), model.len());
            for index in 0..=model.len() {
                prop_assert_eq!(buffer.get(index), model.get(index).copied());
            }
            prop_assert_eq!(buffer.get(usize::MAX), None);
            for wanted in 0..20 {
                let found = buffer.find(wanted);
                prop_assert_eq!(found.is_some(), model.contains(&wanted));
                prop_assert!(found.is_none_or(|index| model[index] == wanted));
            }
        }
    }
}

#[test]
fn changes_in_order_and_in_the_opposite_order_move_each_element_once() {
    const COUNT: usize = 10_000;
    let mut buffer = GapBuffer::new((0..COUNT as u32).collect());
    let mut sum = 0;
    for index in 0..COUNT {
        sum += moved(&mut buffer, |buffer| buffer.replace(2 * index..2 * index, &[7]));
    }
    assert_eq!(buffer.len(), 2 * COUNT);
    assert!(sum <= 4 * COUNT, "inserted in order: {sum}");
    sum = 0;
    for index in (0..COUNT).rev() {
        sum += moved(&mut buffer, |buffer| buffer.replace(2 * index..2 * index + 1, &[]));
    }
    assert_eq!(all(&buffer), (0..COUNT as u32).collect::<Vec<_>>());
    assert!(sum <= 4 * COUNT, "removed in the opposite order: {sum}");
    sum = 0;
    for index in [5, 9_000, 17, 4_000].into_iter().cycle().take(COUNT) {
        sum += moved(&mut buffer, |buffer| buffer.replace(index..index + 2, &[1, 2]));
    }
    assert_eq!(sum, 0, "as many as there were");
}

#[test]
fn what_lies_near_the_last_change_is_found_first() {
    let mut buffer = GapBuffer::new(vec![1, 2, 1, 2, 1, 2]);
    assert_eq!(buffer.find(1), Some(4), "the gap is at the end");
    buffer.replace(2..2, &[7]);
    assert_eq!((buffer.find(7), buffer.find(1), buffer.find(2)), (Some(2), Some(3), Some(1)));
    assert_eq!(buffer.find(3), None);
}
