//! Many values by key in one file: bytes above SQLite. Knows no Variants.
//!
//! `rust/docs/STORE.md` describes the file. A [`Store`] is used by one thread at a time, as SQLite's file is.
//!
//! Invariants:
//!
//! - **What [`Store::commit`] returned is on the disk**, and all of it or nothing. So `synchronous` is always `FULL`.
//! - **A value is right or an error.** SQLite has no checksums of its pages, so each row has one, of its key and its value.
//!   An index that was damaged can hide keys: so the first key that is not found has all keys counted and summed.
//! - **One process has a file**, locked from [`Store::open`] on. So the journal's index is in memory, as browsers need it.

mod error;
mod open;
mod packed;
mod rescue;
mod store;

pub use self::error::StoreError;
pub use self::open::{ID, Lock, is_store};
pub use self::packed::Packed;
pub use self::rescue::Rescue;
pub use self::store::{Rows, Store};
