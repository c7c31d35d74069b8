//! The work of the methods, a file for those that are alike.
//!
//! The engine can run scripts (getters, `_init`, a `Logger`), and these can change the arrays of the call. So the
//! engine is only called while nothing of these is borrowed: `objects` reads properties before the walk, `value::build`
//! makes objects from its own reference to the bytes, in values that nothing else sees, and messages are last.

pub mod advice;
pub mod change;
pub mod decode;
pub mod describe;
pub mod encode;
pub mod get_in;
pub mod line;
pub mod load;
pub mod save;
#[cfg(feature = "store")]
pub mod store;
pub mod stream;
pub mod transcode;

/// Returns a count or an index, unless it is negative. With 32 bits, as in browsers, a larger one becomes the largest.
fn count_of(number: i64) -> Option<usize> {
    u64::try_from(number).ok().map(|count| usize::try_from(count).unwrap_or(usize::MAX))
}
