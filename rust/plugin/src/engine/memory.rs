//! The machine's memory: cache lines, and huge pages of Linux for large new memory.
//!
//! Memory of the system arrives page by page, as it is first written; with huge pages, 512 times as long, in a third of
//! the time. Programs must ask for them if `transparent_hugepage` is `madvise`; otherwise nothing is asked.
//!
//! Only memory that is filled right away is asked for, and huge pages inside it: hardly more is resident than without.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Min bytes to ask for: at least one huge page lies inside.
const FROM: usize = 4 << 20;

/// Max bytes between two blocks that are taken for one: what the C library of Linux puts between them.
const MAX_GAP: usize = 8 << 10;

/// Max small pages of a huge one that may be written already: the heads of blocks.
const MAX_WRITTEN: usize = 64;

/// Huge pages that are made in one call.
const MAX_PAGES: usize = 4;

/// How long a huge page may take. It is 0.2 ms; small pages are faster where the system waits for other processors.
const SLOW: Duration = Duration::from_micros(600);

/// Blocks that will be filled together. Each may be shorter than a huge page if its neighbours are among them.
#[derive(Default)]
pub struct Pages(Vec<Range<usize>>);

impl Pages {
    pub fn add(&mut self, memory: &mut [MaybeUninit<u8>]) {
        let memory = memory.as_ptr_range();
        let block = memory.start.addr()..memory.end.addr();
        match self.0.last_mut() {
            Some(last) if last.end <= block.start && block.start - last.end <= MAX_GAP => last.end = block.end,
            Some(last) if block.end <= last.start && last.start - block.end <= MAX_GAP => last.start = block.start,
            _ => self.0.push(block),
        }
    }

    /// Gets huge pages where hardly any page was written yet.
    pub fn prepare(self) {
        let page_len = page_len();
        if page_len == 0 {
            return;
        }
        let mut begun: Vec<Range<usize>> = Vec::new();
        for range in self.0.into_iter().filter(|range| range.len() >= FROM) {
            for at in inside(range, page_len).step_by(page_len) {
                match (written(at, page_len), begun.last_mut()) {
                    (Some(0), _) => advise(at..at + page_len, HUGE),
                    (Some(1..=MAX_WRITTEN), Some(last)) if last.end == at => last.end = at + page_len,
                    (Some(1..=MAX_WRITTEN), _) => begun.push(at..at + page_len),
                    _ => {}
                }
            }
        }
        // Few pages at a time, as the system may become slow, and not one by one: each call waits for all processors.
        let mut count = 1;
        for range in begun {
            let mut at = range.start;
            while at < range.end {
                let (started, end) = (Instant::now(), range.end.min(at + count * page_len));
                advise(at..end, COLLAPSE);
                if started.elapsed() > SLOW * ((end - at) / page_len) as u32 {
                    return;
                }
                (at, count) = (end, MAX_PAGES);
            }
        }
    }
}

pub fn why_no_huge_pages() -> Option<&'static str> {
    let why = if cfg!(target_os = "linux") { "transparent_hugepage is not at madvise" } else { "they are Linux's" };
    (page_len() == 0).then_some(why)
}

/// Asks for huge pages for new memory of which nothing was written yet.
#[inline]
pub fn prepare(start: *const u8, len: usize) {
    if len >= FROM {
        ask(start.addr()..start.addr() + len);
    }
}

#[cold]
fn ask(range: Range<usize>) {
    let page_len = page_len();
    if page_len > 0 {
        advise(inside(range, page_len), HUGE);
    }
}

fn inside(range: Range<usize>, page_len: usize) -> Range<usize> {
    range.start.next_multiple_of(page_len)..range.end / page_len * page_len
}

use system::{COLLAPSE, HUGE, advise, page_len, written};

#[cfg(target_os = "linux")]
mod system {
    use std::ops::Range;
    use std::sync::OnceLock;

    use super::FROM;

    /// Small pages in a huge page on most systems.
    const SMALL_PAGES: usize = 512;

    /// Returns the length of the huge pages that programs have to ask for; 0 if there are none, or only larger ones.
    pub fn page_len() -> usize {
        static PAGE_LEN: OnceLock<usize> = OnceLock::new();
        *PAGE_LEN.get_or_init(|| {
            let read = |name| std::fs::read_to_string(format!("/sys/kernel/mm/transparent_hugepage/{name}")).ok();
            let is_asked_for = read("enabled").is_some_and(|setting| setting.contains("[madvise]"));
            let len = read("hpage_pmd_size").and_then(|len| len.trim().parse().ok());
            len.filter(|&len| is_asked_for && len <= FROM / 2).unwrap_or(0)
        })
    }

    /// Makes pages huge when they are first written.
    pub const HUGE: i32 = libc::MADV_HUGEPAGE;
    /// Makes pages huge at once. Does nothing before Linux 6.1.
    pub const COLLAPSE: i32 = libc::MADV_COLLAPSE;

    pub fn advise(range: Range<usize>, advice: i32) {
        if !range.is_empty() {
            let start = std::ptr::without_provenance_mut(range.start);
            // SAFETY: such advice changes no contents, whatever the range is. An error is ignored: it is only advice.
            _ = unsafe { libc::madvise(start, range.len(), advice) };
        }
    }

    /// Returns how many small pages of a larger one were written; `None` if the system does not say.
    pub fn written(at: usize, page_len: usize) -> Option<usize> {
        let start = std::ptr::without_provenance_mut(at);
        let mut present = [0; SMALL_PAGES];
        // SAFETY: the system writes a byte for each page, which has at least 4 KiB, and `page_len` is at most 2 MiB.
        let status = unsafe { libc::mincore(start, page_len, present.as_mut_ptr()) };
        (status == 0).then(|| present.iter().filter(|&&page| page & 1 == 1).count())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ops::Range;

    pub fn page_len() -> usize {
        0
    }

    pub fn written(_: usize, _: usize) -> Option<usize> {
        None
    }

    pub const HUGE: i32 = 0;
    pub const COLLAPSE: i32 = 0;

    pub fn advise(_: Range<usize>, _: i32) {}
}

pub const LINE: usize = 64;

/// Fetches two lines of memory from an address, which may be any.
#[inline(always)]
pub fn lines(at: *const u8) {
    line(at);
    line(at.wrapping_add(LINE));
}

#[inline(always)]
pub fn line(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction, and it does nothing with a bad address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

#[cfg(test)]
#[path = "../../tests/unit/pages.rs"]
mod tests;
