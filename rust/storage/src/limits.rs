//! Thresholds, with their units and the reasons for them. `rust/docs/DECISIONS.md` has the measurements.

/// Bytes of one call's output from which several threads fill it. Below, waking them costs more than it gains.
///
/// `scripts/bench-storage.sh` prints the crossing point. On two cores it lay at 0.5 to 1 MiB where calls follow each
/// other and the helping thread is awake, and at 4 to 8 MiB where it sleeps and comes after some 40 µs.
pub const PARALLEL_FROM: usize = 8 << 20;

/// The same for threads that are [awake](varbatch_workers::Threads::awake), in bytes.
pub(crate) const PARALLEL_AWAKE_FROM: usize = 1 << 20;

/// Bytes that are read at a time, unless a frame is longer: they stay in the cache until they are decoded.
pub(crate) const PIECE_LEN: usize = 1 << 20;

/// Bytes of a longer frame that are read at a time.
pub(crate) const PART_LEN: usize = 4 << 20;

/// Bytes at the start of a stream that a guess looks at.
pub(crate) const SAMPLE_LEN: usize = 1 << 20;

/// Bytes that must be text in a text file.
pub(crate) const TEXT_LEN: usize = 256;

/// Bytes below which chunks are gathered before they are written: each call of the system takes as long.
pub(crate) const GATHERED_LEN: usize = 4 << 10;

/// Max slices that the system takes in one call: `IOV_MAX` of Linux and others.
pub(crate) const MAX_SLICES: usize = 1024;

/// Bytes of a translated file that are written at a time.
pub(crate) const WRITE_LEN: usize = 1 << 20;

/// Pieces that are translated together, for each thread: threads then seldom wait for each other.
pub(crate) const PIECES_A_THREAD: usize = 4;

/// Max bytes that are translated together, for each thread: fewer pieces where they are long.
pub(crate) const TRANSLATED_A_THREAD: usize = 8 << 20;

/// Bytes of the stream that a thread decompresses at a time: the engine's blocks are too short to be handed out one by one.
pub(crate) const UNPACKED_LEN: u64 = 64 << 10;

/// Bytes that are gathered before they are compressed, so that several threads have blocks to work on.
pub(crate) const PACKED_LEN: usize = 2 << 20;

/// Max blocks that are gathered.
pub(crate) const MAX_PACKED_BLOCKS: usize = 512;

/// Max symbolic links that are followed, one after the other: as many as Linux follows.
pub(crate) const MAX_LINKS: usize = 40;
