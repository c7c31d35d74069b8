//! The kernels that take text of any length. Written once, compiled for each instruction set by `kernels`.

pub(super) mod decode;
pub(super) mod encode;
pub(super) mod lanes;
