//! Values of the engine that are made or filled in place.

pub mod containers;
pub mod set;
pub mod write;
