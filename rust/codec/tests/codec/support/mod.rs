//! What several test modules use.

pub mod agree;
pub mod arrays;
pub mod edited;
pub mod edits;
pub mod foreign;
pub mod keeper;
pub mod looked_up;
pub mod memory;
pub mod model;
pub mod naive;
pub mod nearly;
pub mod numbers;
pub mod random;
pub mod shown;
pub mod steps;
pub mod tree;
pub mod value;
pub mod vectors;
pub mod wire;

use std::path::Path;

/// `few` under Miri, which is slow.
pub const fn times(many: usize, few: usize) -> usize {
    if cfg!(miri) { few } else { many }
}

/// What `work` gives, on a thread with a stack of this size. Where the package is tested alone nothing optimises it, and it
/// takes more.
pub fn on_a_stack<T: Send>(len: usize, work: impl FnOnce() -> T + Send) -> T {
    let is_alone = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml.orig")).exists();
    let len = if is_alone { 32 * len } else { len };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(len).spawn_scoped(scope, work).expect("a thread");
        thread.join().expect("enough stack")
    })
}
