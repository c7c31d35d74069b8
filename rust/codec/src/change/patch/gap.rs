//! A sequence with a gap at its last change: changes in ascending or descending order move each element once.

use std::ops::Range;

/// A ring: the elements after the gap, then the `front` ones before it. The gap is between its ends; rotating moves it.
#[derive(Debug)]
pub(super) struct GapBuffer<T> {
    items: std::collections::VecDeque<T>,
    front: usize,
}

impl<T: Copy> GapBuffer<T> {
    pub fn new(items: Vec<T>) -> Self {
        Self { front: items.len(), items: items.into() }
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn get(&self, index: usize) -> Option<T> {
        (index < self.len()).then(|| self.items[self.offset(index)])
    }

    /// Returns the elements of a range, in pieces. Panics if the range is out of bounds.
    pub fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[T]> {
        assert!(range.end <= self.len(), "a range of the sequence");
        let [before, after] = split(range, self.front);
        let back = self.len() - self.front;
        let (first, second) = self.items.as_slices();
        [back + before.start..back + before.end, after].into_iter().flat_map(move |range| {
            let [one, two] = split(range, first.len());
            [&first[one], &second[two]]
        })
    }

    /// Replaces a range by `with`; by as many elements, the gap does not move. Panics if the range is out of bounds.
    pub fn replace(&mut self, range: Range<usize>, with: &[T]) {
        let Range { start, end } = range;
        assert!(start <= end && end <= self.len(), "a range of the sequence");
        if range.len() == with.len() && (end <= self.front || start >= self.front) {
            let at = self.offset(start);
            self.items.range_mut(at..at + with.len()).zip(with).for_each(|(item, with)| *item = *with);
            return;
        }
        match start.checked_sub(self.front) {
            Some(further) => self.items.rotate_left(further),
            None => self.items.rotate_right(self.front - start),
        }
        self.items.drain(..end - start);
        self.items.extend(with);
        self.front = start + with.len();
    }

    fn offset(&self, index: usize) -> usize {
        if index < self.front { self.len() - self.front + index } else { index - self.front }
    }
}

impl<T: Copy + PartialEq> GapBuffer<T> {
    /// Finds an element. Searches near the last change first.
    pub fn find(&self, wanted: T) -> Option<usize> {
        let is_wanted = |&index: &usize| self.get(index) == Some(wanted);
        (0..self.len()).find_map(|distance| {
            let before = self.front.checked_sub(distance + 1).filter(is_wanted);
            before.or_else(|| Some(self.front + distance).filter(is_wanted))
        })
    }
}

/// Returns the parts of a range before and after `cut`; the latter counts from there.
fn split(range: Range<usize>, cut: usize) -> [Range<usize>; 2] {
    let Range { start, end } = range;
    [start.min(cut)..end.min(cut), start.max(cut) - cut..end.max(cut) - cut]
}

#[cfg(test)]
#[path = "../../../tests/unit/gap.rs"]
mod tests;
