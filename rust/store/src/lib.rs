//! Many values by key in one file: bytes above SQLite. Knows no Variants.
//!
//! `rust/docs/STORE.md` describes the file. One thread at a time uses the [`Store`], which writes, and each [`Reader`]; readers
//! see the last commit, and wait for none.
//!
//! Invariants:
//!
//! - **What [`Store::commit`] returned is on the disk**, and all of it or nothing. So `synchronous` is always `FULL`.
//! - **A value is right or an error.** SQLite has no checksums of its pages, so each row has one, of its key and its value. An
//!   index that was damaged can hide keys: so all keys between two fences are summed before one of them is said to be missing.
//! - **A journal belongs to one file.** Each commit has a random number. The first commit in a journal notes the one that the
//!   file holds; a journal that lies beside another file is set aside.
//! - **One process has a file**, locked from [`Store::open`] on, before SQLite looks at it.

mod bytes;
mod error;
mod fence;
mod files;
mod format;
mod journal;
mod mark;
mod new;
mod open;
mod packed;
mod place;
mod reader;
mod rescue;
mod store;
mod writer;

pub use self::error::StoreError;
pub use self::files::{Copy, remove, rename};
pub use self::format::{ID, SIDE_FILES, is_store};
pub use self::journal::set_aside_name;
pub use self::packed::Packed;
pub use self::reader::{Budget, Reader, Readers, Rows, Walk};
pub use self::rescue::Rescue;
pub use self::store::Store;

type Result<T> = std::result::Result<T, StoreError>;
