//! What several test modules use.

pub mod canary;
pub mod model;
pub mod naive;
pub mod random;
pub mod steps;
pub mod value;
pub mod vectors;
