//! Translates values of one engine into those of another: a [`Reader`](crate::Reader) of one dialect drives a
//! [`Writer`](crate::Writer) of another.
//!
//! No value is built. A part that the other engine has no type for is an error. A part that it can only keep partly is
//! written as far as possible, and reported as a [`Loss`].

mod arrays;
mod classes;
mod keys;
mod loss;
mod objects;
mod translation;

pub use loss::{Loss, Losses, Lost};
pub use translation::{RUN_LEN, TranslatedRun, Translation};
