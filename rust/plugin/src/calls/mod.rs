//! The work of the methods, a file for those that are alike.
//!
//! The engine's own functions encode and decode objects with class and properties. These functions can run scripts (a
//! property's getter, an object's `_init`, a `Logger` that receives an error), and a script can change the arrays of
//! the call. So the engine is only called while nothing of these arrays is borrowed: `value::full_objects` lets it
//! encode after a walk that copies all it sees, `value::build` lets it decode from a reference of its own into values
//! that nothing else can see yet, and messages are printed last of all.

pub mod change;
pub mod decode;
pub mod describe;
pub mod encode;
pub mod get_in;
pub mod load;
pub mod save;
pub mod transcode;
