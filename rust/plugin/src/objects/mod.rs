//! Objects as data: the list of an object's stored properties, reading them, and making an object of them.

mod constant;
mod full;
mod lists;
mod make;

pub use self::full::FullObjects;
pub use self::make::{Makers, has_any};
