//! A sequence in blocks: a change moves the elements of one block, wherever the change before it was.

use std::ops::Range;

/// The usual length of a block, in bytes. A block has at most twice as many.
const BLOCK_LEN: usize = 16 << 10;

#[derive(Debug)]
pub(super) struct Blocks<T> {
    /// At least one. No other one is empty.
    blocks: Vec<Block<T>>,
    /// The index of the first element of each block, then the number of all elements.
    starts: Vec<usize>,
    /// The number of blocks that were ever made.
    made: u32,
}

#[derive(Debug)]
struct Block<T> {
    number: u32,
    items: Vec<T>,
}

impl<T: Copy> Blocks<T> {
    const MAX: usize = 2 * BLOCK_LEN / size_of::<T>();

    pub fn new(items: &[T]) -> Self {
        let mut blocks = Self { blocks: vec![Block { number: 0, items: Vec::new() }], starts: vec![0, 0], made: 0 };
        blocks.replace(0..0, items);
        blocks
    }

    pub fn len(&self) -> usize {
        self.starts[self.blocks.len()]
    }

    pub fn get(&self, index: usize) -> Option<T> {
        let block = self.block_at(index);
        self.blocks[block].items.get(index - self.starts[block]).copied()
    }

    /// Returns the index of the block that has an element; the last block if there is no such element.
    fn block_at(&self, index: usize) -> usize {
        self.starts[..self.blocks.len()].partition_point(|&start| start <= index) - 1
    }

    /// Returns the elements of a range, in pieces. Panics if the range is out of bounds.
    pub fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[T]> {
        assert!(range.end <= self.len(), "a range of the sequence");
        let first = self.block_at(range.start);
        let blocks = self.blocks[first..].iter().zip(&self.starts[first..]);
        blocks.take_while(move |&(_, &start)| start < range.end).map(move |(block, &start)| {
            &block.items[range.start.saturating_sub(start)..block.items.len().min(range.end - start)]
        })
    }

    /// Replaces a range by `with`. Panics if the range is out of bounds.
    pub fn replace(&mut self, range: Range<usize>, with: &[T]) {
        self.replace_noting(range, with, |_, _| {});
    }

    /// Does the same, and calls `put` with each element that gets into a block, and the block's number.
    pub fn replace_noting(&mut self, range: Range<usize>, with: &[T], mut put: impl FnMut(T, u32)) {
        assert!(range.start <= range.end && range.end <= self.len(), "a range of the sequence");
        let first = self.block_at(range.start);
        let last = self.block_at(range.start.max(range.end.saturating_sub(1)));
        let (from, to) = (range.start - self.starts[first], range.end - self.starts[last]);
        let len = self.starts[last + 1] - self.starts[first] - range.len() + with.len();
        if first == last && len <= Self::MAX && (len > 0 || self.blocks.len() == 1) {
            let Block { number, items } = &mut self.blocks[first];
            items.splice(from..to, with.iter().copied());
            with.iter().for_each(|&item| put(item, *number));
            if with.len() != range.len() {
                self.starts[first + 1..].iter_mut().for_each(|start| *start = *start + with.len() - range.len());
            }
            return;
        }
        let all = [&self.blocks[first].items[..from], with, &self.blocks[last].items[to..]].concat();
        // All about as long, so that none is soon too long or empty.
        let block_len = all.len().div_ceil(all.len().div_ceil(Self::MAX / 2).max(1)).max(1);
        let new = all.chunks(block_len).map(|items| {
            self.made += 1;
            items.iter().for_each(|&item| put(item, self.made));
            Block { number: self.made, items: items.to_vec() }
        });
        self.blocks.splice(first..=last, new);
        if self.blocks.is_empty() {
            *self = Self::new(&[]);
        }
        self.starts.truncate(first + 1);
        for block in &self.blocks[first..] {
            self.starts.push(self.starts[self.starts.len() - 1] + block.items.len());
        }
    }
}

impl<T: Copy + PartialEq> Blocks<T> {
    /// Returns the index of an element that is in the block with this number.
    pub fn index_of(&self, item: T, number: u32) -> Option<usize> {
        let block = self.blocks.iter().position(|block| block.number == number)?;
        let index = self.blocks[block].items.iter().position(|&other| other == item)?;
        Some(self.starts[block] + index)
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/blocks.rs"]
mod tests;
