//! Objects as data: the list of an object's stored properties, reading them, and making an object of them.

mod allowed;
mod constant;
mod full;
mod known;
mod listed;
mod lists;
mod made;
mod make;
mod maker;
mod path;
mod properties;
mod stored;

pub use self::allowed::has_any;
pub use self::constant::{moved_by, told_by};
pub use self::full::FullObjects;
pub use self::listed::{Listed, METADATA, SCRIPT, alive, metadata_name, shown};
pub use self::lists::{List, Lists};
pub use self::make::{Makers, Step};
pub use self::path::PropertyPath;
pub use self::properties::{Names, United};

/// Forgets what is kept between calls: no name may outlive the engine's.
pub fn forget() {
    Lists::forget();
    known::Names::forget();
}
