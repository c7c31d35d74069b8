//! Thresholds, with their units and reasons. `rust/docs/DECISIONS.md` has the measurements.

use std::time::Duration;

/// Min bytes of one call's output for filling it with several threads. Below, waking them costs more than it gains.
///
/// `scripts/bench.sh --rust -- --files` prints the crossing point. On two cores it was 0.5 to 1 MiB for consecutive
/// calls, when the helping thread is awake, and 4 to 8 MiB when it sleeps and arrives after some 40 µs.
pub const PARALLEL_FROM: usize = 8 << 20;

/// The same for threads that are [awake](varbatch_workers::Threads::awake), in bytes.
pub(crate) const PARALLEL_AWAKE_FROM: usize = 1 << 20;

/// Min bytes that are copied in pieces, by one thread too: the C library copies many MiB at once past the cache, which is
/// slower where the destination is in it.
pub(crate) const CUT_FROM: usize = 1 << 20;

/// Runs of consecutive pieces that each thread fills, at least, and max bytes of a run: a huge page.
pub(crate) const RUNS_A_THREAD: usize = 4;
pub(crate) const MAX_RUN_LEN: usize = 2 << 20;

/// Bytes that are read at a time, unless a frame is longer: they stay in the cache until they are decoded.
pub(crate) const PIECE_LEN: usize = 1 << 20;

/// Bytes of a longer frame that are read at a time.
pub(crate) const PART_LEN: usize = 4 << 20;

/// Bytes that are read at a time to find frames by their lengths: at first and behind long frames, and at most.
pub(crate) const FIRST_WALK_LEN: usize = 512;
pub(crate) const WALK_LEN: usize = 64 << 10;

/// Average bytes of frames from which each is jumped over. Reading shorter ones takes no longer than a system call.
pub(crate) const JUMP_FROM: u64 = 4 << 10;

/// Max offsets that a walk keeps to go back to.
pub(crate) const MAX_MARKS: usize = 1024;

/// Max reads in one step of a walk, so that a step takes about a millisecond.
pub(crate) const MAX_WALK_READS: usize = 256;

/// Max zeros in a plain file that a load passes to find out what follows: they would be 16 million empty frames.
pub(crate) const MAX_ZEROS_LEN: u64 = 64 << 20;

/// Bytes at the start of a stream that a guess examines, and of a record that an append reads at first.
pub(crate) const SAMPLE_LEN: usize = 1 << 20;

/// Bytes at the start of a file that must be text in a text file.
pub(crate) const TEXT_LEN: usize = 256;

/// Chunks shorter than this are gathered before they are written, in bytes: each system call takes as long.
pub(crate) const GATHERED_LEN: usize = 4 << 10;

/// Max slices in one system call: `IOV_MAX` of Linux and others.
pub(crate) const MAX_SLICES: usize = 1024;

/// Bytes of a file that are read at a time to find where its records end: at first, and while they are short.
pub(crate) const WALKED_LEN: usize = 4 << 10;
pub(crate) const MAX_WALKED_LEN: usize = 64 << 10;

/// Max length of a torn record of which fewer than [`SEEN_LEN`] bytes remain, in bytes. A text has letters there, and so a
/// length of more than 512 MiB; a checksum mostly has one of more than this.
pub(crate) const MAX_UNSEEN_LEN: u32 = 16 << 20;
pub(crate) const SEEN_LEN: u64 = 512;

/// Files whose last end is known, so that a log need not be read at each append.
pub(crate) const KNOWN_ENDS: usize = 16;

/// How often an append looks again if another process appends, and how long it waits between: two seconds together.
pub(crate) const LOCK_ATTEMPTS: u32 = 400;
pub(crate) const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Bytes of a translated file that are written at a time.
pub(crate) const WRITE_LEN: usize = 1 << 20;

/// Pieces that are translated together, per thread, so that threads seldom wait for each other.
pub(crate) const PIECES_A_THREAD: usize = 4;

/// Max bytes that are translated together, per thread: fewer pieces if they are long.
pub(crate) const TRANSLATED_A_THREAD: usize = 8 << 20;

/// Bytes of the stream that a thread decompresses at a time: the engine's blocks are too short to hand out one by one.
pub(crate) const UNPACKED_LEN: u64 = 64 << 10;

/// Bytes that are gathered before they are compressed, so that several threads have blocks to work on.
pub(crate) const PACKED_LEN: usize = 2 << 20;

/// Max blocks that are gathered.
pub(crate) const MAX_PACKED_BLOCKS: usize = 512;

/// Max symbolic links to follow, one after another: as many as Linux follows.
pub(crate) const MAX_LINKS: usize = 40;

/// Names that the first save in a folder looks at for leftovers. A killed process leaves as many as it had saves under
/// way.
pub(crate) const SWEPT_NAMES: u32 = 64;

/// Max names to try after one was refused, before the folder itself is believed to be closed.
pub(crate) const MAX_REFUSED: u32 = 8;

/// How long a save on Windows waits for programs that have the old file open: the sum of its pauses. Virus scanners take
/// some tenths of a second.
#[cfg(windows)]
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(2);

/// Pauses between attempts: each is twice as long as the one before, up to the longest.
#[cfg(windows)]
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(1);
#[cfg(windows)]
pub(crate) const MAX_PAUSE: Duration = Duration::from_millis(8);
