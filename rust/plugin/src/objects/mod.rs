//! Objects as data: the list of an object's stored properties, reading them, and making an object of them.

mod allowed;
mod constant;
mod full;
mod lists;
mod make;

pub use self::full::FullObjects;
pub use self::make::{Has, Makers, has_any};

/// The property that holds the script.
pub const SCRIPT: &str = "script";
