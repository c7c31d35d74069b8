//! Compressed files, as `FileAccess.open_compressed` writes and reads them.
//!
//! ```text
//! "GCPF"  u32 mode  u32 block size  u32 total  u32 compressed size of each block  blocks  "GCPF"
//! ```
//!
//! Numbers are little-endian. The uncompressed stream of `total` bytes is cut into blocks of the block size. Each block
//! is compressed alone, so that threads can work on many at once. There are `total / block size + 1` blocks: the last
//! one is shorter than the others, and empty if the block size divides the total. Source:
//! `core/io/file_access_compressed.cpp` of Godot 4.6.3.
//!
//! FastLZ is only read, as nothing needs it written. Brotli is refused, as the engine itself cannot write it.

mod block;
mod decoder;
mod encoder;
mod error;
mod fastlz;
mod format;
mod layout;

pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::CompressedError;
pub use format::{BLOCK_LEN, Compression, MAGIC, MAX_BLOCK_LEN, MAX_TOTAL, is_compressed};
