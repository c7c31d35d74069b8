//! The paths of `cases` under divan.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

use crate::cases::Count;

/// Times the one path that `case` hands out, which is about so many bytes and items.
pub fn timed(bencher: Bencher<'_, '_>, bytes: usize, items: usize, case: impl FnOnce(Count<'_>)) {
    let bencher = bencher.counter(BytesCount::new(bytes));
    let mut bencher = Some(if items > 1 { bencher.counter(ItemsCount::new(items)) } else { bencher });
    case(&mut |path| bencher.take().expect("one path").bench_local(&mut *path));
}
