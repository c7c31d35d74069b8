//! Thresholds of calls, measured on two cores.

/// Min containers for which several threads walk them; and min other values for which several plan them for a task, or make
/// their buffers, in engines that do not count allocations.
pub const CONTAINERS_PARALLEL_FROM: usize = 2000;
pub const HELD_PARALLEL_FROM: usize = 5000;
pub const BUFFERS_PARALLEL_FROM: usize = 5000;

/// Values that each of several threads plans and fills at a time, and that one plans: the plan is small against their bytes.
pub const SHARED_RUN: usize = 250;
pub const SINGLE_RUN: usize = 4000;

/// Min average bytes of outputs that several threads fill from one plan; of inputs for a second thread in engines that count
/// allocations; and of outputs for which the calling thread allocates all memory, as it reuses what the game has freed: most
/// work on shorter ones is allocating.
pub const PARALLEL_VALUE: usize = 1 << 10;
pub const COUNTED_VALUE: usize = 1 << 10;
pub const LARGE_VALUE: usize = 4 << 10;

/// Min values of any kind for which several threads plan frames; and frames that one thread and several plan at a time, while
/// their average is less than [`LARGE_FRAME`] bytes.
pub const FRAMES_PARALLEL_FROM: usize = 15_000;
pub const STREAM_RUN: usize = 500;
pub const SHARED_STREAM_RUN: usize = 32_000;
pub const LARGE_FRAME: usize = 1 << 10;

/// Values of a file that each thread plans first, and max values that one thread and several plan at a time.
pub const FIRST_RUN: usize = 16;
pub const MAX_ALONE: usize = 500;
pub const MAX_SHARED: usize = 100_000;

/// Bytes of plans that wait to be written, per planning thread; those between flushes, if one long flush at the end would hold
/// up the game; and those from which on the system takes long to free a replaced file.
pub const PLANNED: usize = 1 << 20;
pub const FLUSHED: usize = 4 << 20;
pub const SLOW_TO_FREE: u64 = 4 << 20;

/// Min bytes of one value, or of inputs that are mostly containers, for which several threads build them; and of other inputs,
/// to each of which [`VALUE_WORK`] bytes of work are added: so much takes 0.25 ms.
pub const DECODE_PARALLEL_FROM: usize = 256 << 10;
pub const FLAT_PARALLEL_FROM: usize = 5 << 20;
pub const VALUE_WORK: usize = 1 << 10;

/// Values after which the room for the others is estimated, and inputs that are sampled to decide if most are containers.
pub const ROOM_SAMPLE: usize = 64;
pub const KIND_SAMPLE: usize = 16;

/// Min bytes of a file that several threads read and decode, and its max pieces per thread, decoded before their values are put
/// together: so many that threads seldom wait.
pub const LOAD_PARALLEL_FROM: u64 = 2 << 20;
pub const PIECES: usize = 64;

/// Min total bytes of pairs of buffers, and of buffers to validate, for which several threads work on them.
pub const PAIRS_PARALLEL_FROM: usize = 256 << 10;
pub const VALIDATE_PARALLEL_FROM: usize = 1 << 20;
