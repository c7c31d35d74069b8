//! Thresholds of calls, measured on two cores.

/// Min containers for which several threads walk them.
pub const CONTAINERS_PARALLEL_FROM: usize = 2000;

/// Min other values for which several threads plan them for a task.
pub const HELD_PARALLEL_FROM: usize = 5000;

/// Min other values for which several threads make their buffers, in engines that do not count allocations.
pub const BUFFERS_PARALLEL_FROM: usize = 5000;

/// Values that each thread plans and fills at a time, if several threads work.
pub const SHARED_RUN: usize = 250;

/// Values that one thread plans at a time, so that the plan stays small compared to their bytes.
pub const SINGLE_RUN: usize = 4000;

/// Min average bytes of an output for which several threads fill what one thread planned: for shorter outputs,
/// allocating is most of the work.
pub const PARALLEL_VALUE: usize = 1 << 10;

/// Min average bytes of values that are filled over threads for which the calling thread allocates the memory of all:
/// it reuses what the game has freed. Allocating shorter ones takes as long as filling them.
pub const LARGE_VALUE: usize = 4 << 10;

/// Min values of any kind for which several threads plan frames.
pub const FRAMES_PARALLEL_FROM: usize = 15_000;

/// Frames that one thread and several threads plan at a time, while they are shorter than [`LARGE_FRAME`] bytes on
/// average.
pub const STREAM_RUN: usize = 500;
pub const SHARED_STREAM_RUN: usize = 32_000;
pub const LARGE_FRAME: usize = 1 << 10;

/// Values after which the room for the remaining values is estimated.
pub const ROOM_SAMPLE: usize = 64;

/// Values of a file that each thread plans first, and max values planned at a time by one thread and by several
/// threads.
pub const FIRST_RUN: usize = 16;
pub const MAX_ALONE: usize = 500;
pub const MAX_SHARED: usize = 100_000;

/// Bytes of plans that wait to be written, per planning thread.
pub const PLANNED: usize = 1 << 20;

/// Bytes between flushes while a file is written, if one long flush at the end would hold up the game.
pub const FLUSHED: usize = 4 << 20;

/// Min bytes of a replaced file that the system takes long to free.
pub const SLOW_TO_FREE: u64 = 4 << 20;

/// Min bytes of one value, or of inputs that are mostly containers, for which several threads build them.
pub const DECODE_PARALLEL_FROM: usize = 256 << 10;

/// The same for other inputs, in bytes of work: each input adds [`VALUE_WORK`] bytes. On two cores this much takes 0.25
/// ms.
pub const FLAT_PARALLEL_FROM: usize = 5 << 20;
pub const VALUE_WORK: usize = 1 << 10;

/// Min average bytes of an input for which a second thread pays off in engines that count allocations: for shorter
/// inputs, allocating is most of the work.
pub const COUNTED_VALUE: usize = 1 << 10;

/// Inputs that are sampled to decide if most are containers.
pub const KIND_SAMPLE: usize = 16;

/// Min bytes of a file for which several threads read and decode it.
pub const LOAD_PARALLEL_FROM: u64 = 2 << 20;

/// Max pieces of a file per thread that are decoded before their values are put together. It is large enough that
/// threads seldom wait for each other.
pub const PIECES: usize = 64;

/// Min total bytes of pairs of buffers, and of buffers to validate, for which several threads work on them.
pub const PAIRS_PARALLEL_FROM: usize = 256 << 10;
pub const VALIDATE_PARALLEL_FROM: usize = 1 << 20;
