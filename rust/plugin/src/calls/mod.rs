//! The work of the methods, a file for those that are alike.
//!
//! The engine can run scripts (a property's getter, an object's `_init`, a `Logger` that receives an error), and a script
//! can change the arrays of the call. So the engine is only called while nothing of these arrays is borrowed: `objects`
//! reads the properties of all objects before the walk, `value::build` makes objects from a reference of its own to the
//! bytes in values that nothing else can see yet, and messages are printed last of all.

pub mod advice;
pub mod change;
pub mod decode;
pub mod describe;
pub mod encode;
pub mod get_in;
pub mod load;
pub mod save;
pub mod stream;
pub mod transcode;

/// Returns a count or an index, unless it is negative. Where addresses have 32 bits, as in a browser, a larger one is as good
/// as the largest.
fn count_of(number: i64) -> Option<usize> {
    u64::try_from(number).ok().map(|count| usize::try_from(count).unwrap_or(usize::MAX))
}
