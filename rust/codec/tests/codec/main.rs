//! The codec crate from outside: one program, so that it links once. Each module says what it guards.

mod allocation;
mod costs;
mod delta;
mod delta_damage;
mod describe;
mod dialects;
mod diff;
mod diff_shapes;
mod diff_told;
mod errors;
mod fill;
mod frames;
mod held;
mod hostile;
mod key;
mod key_damage;
mod lookup;
mod pandemonium_vectors;
mod patch;
mod patch_model;
mod paths;
mod plan;
mod reader;
#[cfg(feature = "serde")]
mod serde_types;
#[cfg(feature = "serde")]
mod serde_value;
mod support;
mod text_kernels;
mod transcode_errors;
mod transcode_losses;
mod transcode_pandemonium;
mod value;
mod vectors;
mod writer;
