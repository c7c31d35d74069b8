//! What several test modules use.

pub mod agree;
pub mod canary;
pub mod edited;
pub mod edits;
pub mod folder;
pub mod foreign;
pub mod model;
pub mod naive;
pub mod nearly;
pub mod numbers;
pub mod random;
pub mod steps;
pub mod value;
pub mod vectors;
pub mod wire;
