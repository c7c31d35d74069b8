//! The work of the methods, a file each.
//!
//! An object with class and properties goes through the engine's own functions. Those can run scripts (a property's
//! getter, an object's `_init`, a `Logger` that hears of an error), and a script can change the arrays of the call. So
//! the engine is only called while nothing of them is borrowed: `value::full_objects` lets it encode after a walk that copies all it
//! sees, `value::build` lets it decode from a reference of its own into what nobody else has seen, and what there is to report
//! is printed last of all.

pub mod decode;
pub mod delta;
pub mod describe;
pub mod diff;
pub mod encode;
pub mod files;
pub mod load;
pub mod pairs;
pub mod patch;
pub mod save;
pub mod transcode;
pub mod transcode_file;
pub mod validate;
