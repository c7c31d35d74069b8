//! The thresholds of calls, as they were measured on two cores.

/// Containers from which on several threads walk them.
pub const CONTAINERS_PARALLEL_FROM: usize = 2000;

/// Other values that get a buffer each, from which on several threads do: in engines that do not count their allocations.
pub const BUFFERS_PARALLEL_FROM: usize = 5000;

/// Values that a thread plans and fills at a time, where several do.
pub const SHARED_RUN: usize = 250;

/// Values that are planned at a time where one thread does, so that what is known of them stays small beside their bytes.
pub const SINGLE_RUN: usize = 4000;

/// Bytes of an output, on average. Where one thread planned them, shorter ones are not worth a second thread, as allocating
/// them is most of the work.
pub const PARALLEL_VALUE: usize = 1 << 10;

/// Frames that one thread plans at a time, while they are shorter than [`LARGE_FRAME`] bytes on average.
pub const STREAM_RUN: usize = 500;
pub const LARGE_FRAME: usize = 1 << 10;

/// Values after which the room for the others is guessed.
pub const ROOM_SAMPLE: usize = 64;

/// Values of a file that are planned first, for each thread, and then at most, by one thread or several.
pub const FIRST_RUN: usize = 16;
pub const MAX_ALONE: usize = 500;
pub const MAX_SHARED: usize = 100_000;

/// Bytes that the plans of values take that wait to be written, for each thread that plans them.
pub const PLANNED: usize = 1 << 20;

/// Bytes that are written to a file at a time.
pub const WRITTEN: usize = 1 << 20;

/// Bytes after which a file is flushed while it is written, where the flush at the end would hold up the game.
pub const FLUSHED: usize = 4 << 20;

/// Bytes of a file that was replaced, from which on it takes the system long to free it.
pub const SLOW_TO_FREE: u64 = 4 << 20;

/// Bytes of a value from which on it is built over threads, and of inputs that are mostly containers.
pub const DECODE_PARALLEL_FROM: usize = 256 << 10;

/// Work from which on other inputs are: each is as much as copying [`VALUE_WORK`] bytes. On two cores it takes 0.25 ms.
pub const FLAT_PARALLEL_FROM: usize = 5 << 20;
pub const VALUE_WORK: usize = 1 << 10;

/// Bytes of an input, on average. In engines that count their allocations, shorter ones are not worth a second thread, as
/// that is most of the work.
pub const COUNTED_VALUE: usize = 1 << 10;

/// Inputs that are looked at to tell the two apart.
pub const KIND_SAMPLE: usize = 16;

/// Bytes of a file from which on more than one thread reads and decodes.
pub const LOAD_PARALLEL_FROM: u64 = 2 << 20;

/// Pieces of a file that are decoded before their values are put together, for each thread, where all is loaded at once: so
/// many that the threads seldom wait for each other.
pub const PIECES: usize = 64;

/// Bytes of all pairs of buffers, and of all buffers to validate, from which on several threads work on them.
pub const PAIRS_PARALLEL_FROM: usize = 256 << 10;
pub const VALIDATE_PARALLEL_FROM: usize = 1 << 20;
