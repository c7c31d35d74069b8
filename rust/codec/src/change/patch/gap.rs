//! A sequence with a gap at its last change.
//!
//! Inserting or removing at the gap moves no other elements; elsewhere it moves those in between. So changes in
//! ascending or descending order move each element once.

use std::ops::Range;

/// Invariant: `gap` is a valid range of `items`. The items in it are not part of the sequence.
#[derive(Debug)]
pub(super) struct GapBuffer<T> {
    items: Vec<T>,
    gap: Range<usize>,
}

impl<T: Copy> GapBuffer<T> {
    pub fn new(items: Vec<T>) -> Self {
        let end = items.len();
        Self { items, gap: end..end }
    }

    pub fn len(&self) -> usize {
        self.items.len() - self.gap.len()
    }

    /// Returns the elements before and after the gap.
    pub fn halves(&self) -> (&[T], &[T]) {
        (&self.items[..self.gap.start], &self.items[self.gap.end..])
    }

    pub fn get(&self, index: usize) -> Option<T> {
        self.items.get(self.offset(index)).copied()
    }

    /// Returns the elements of a range, in two pieces.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn pieces(&self, range: Range<usize>) -> (&[T], &[T]) {
        let (front, back) = self.halves();
        let cut = front.len();
        let (start, end) = (range.start, range.end);
        (&front[start.min(cut)..end.min(cut)], &back[start.max(cut) - cut..end.max(cut) - cut])
    }

    /// Replaces a range by `with`. If both have as many elements, the gap does not move.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn replace(&mut self, range: Range<usize>, with: &[T]) {
        let cut = self.gap.start;
        if range.len() == with.len() && (range.end <= cut || range.start >= cut) {
            let start = self.offset(range.start);
            self.items[start..start + with.len()].copy_from_slice(with);
            return;
        }
        assert!(range.start <= range.end && range.end <= self.len(), "a range of the sequence");
        self.move_gap(range.start);
        self.gap.end += range.len();
        if with.len() > self.gap.len() {
            // The gap is filled with copies of an element.
            let after = self.gap.end..self.items.len();
            let more = with.len().max(self.items.len());
            self.items.resize(self.items.len() + more, with[0]);
            self.gap.end += more;
            self.items.copy_within(after, self.gap.end);
        }
        self.items[self.gap.start..][..with.len()].copy_from_slice(with);
        self.gap.start += with.len();
    }

    fn move_gap(&mut self, to: usize) {
        let Range { start, end } = self.gap;
        if to < start {
            let len = start - to;
            self.items.copy_within(to..start, end - len);
            self.gap = to..end - len;
        } else {
            let len = to - start;
            self.items.copy_within(end..end + len, start);
            self.gap = to..end + len;
        }
    }

    fn offset(&self, index: usize) -> usize {
        if index < self.gap.start { index } else { index.saturating_add(self.gap.len()) }
    }
}

impl<T: Copy + PartialEq> GapBuffer<T> {
    /// Finds an element. Searches near the last change first.
    pub fn find(&self, wanted: T) -> Option<usize> {
        let (front, back) = self.halves();
        (0..front.len().max(back.len())).find_map(|distance| {
            let before = front.len().checked_sub(distance + 1);
            let before = before.filter(|&index| front[index] == wanted);
            before.or_else(|| (back.get(distance) == Some(&wanted)).then_some(front.len() + distance))
        })
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/gap.rs"]
mod tests;
