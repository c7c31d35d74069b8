extends RefCounted
## What BENCHMARKS.md and the table in README.md show. See benchmarks.gd.

const INTRO := """# Benchmarks

`scripts/benchmarks.sh` measures these tables and writes this page. Please do not edit it.

%s

- **Times** are medians of one call, the engine's / VarBatch's. The two take turns, and each result
  is compared with the engine's before it is timed. `~` marks rows whose rounds differed much.
- **Ratio** is the engine's time divided by ours: above 1x VarBatch is faster, below 1x the engine.
- **Floor** is the time for a new array and a plain copy of as many bytes, divided by ours, in the
  release template. Near 1.00 there is nothing left to gain.
- **Freeing apart** leaves out the time in which the engine frees the results. It is half of the
  time of many small results, and the same for both.
- **The editor build** copies numeric arrays element by element. The **release template**, which
  exported games use, copies several at a time. So ratios are smaller there.
- **Calls are repeated**, in memory that the process already has. The first call of a process takes
  fresh memory from the system and gains less: it has its own table.
- For the smallest values, the call from GDScript takes most of the time. Use a batch.
"""

const FIRST_CALL := """Each call is made in a process of its own, whose values were just made.

- **fresh**: the game still holds all that it made. **reuse**: it has just freed a result of the
  same shape.
- The save game has 40,000 dictionaries: as one value, or one value each.
- `save_vars` is compared with a loop of `store_var` and a flush."""
const SPANS := "Milliseconds: median (min to max)."

## Suffix of the file, beginning of the case's name, title, text, and what makes the table.
const TABLES: Array[Array] = [
	["", "save_game/", "A save game", "20,000 dictionaries of 6 keys, 5.4 MiB.", "_times"],
	["-cold", "cold/", "The first call of a process", FIRST_CALL, "_times"],
	["", "single/", "One small value", "", "_times"],
	["", "packed/", "One packed array", "", "_times_and_floor"],
	["", "batch/", "Many arrays", "Against a loop over the engine's function.", "_times_and_floor"],
	[
		"",
		"parts/",
		"One value out of many",
		"`get_in` and `get_in_each`, against decoding everything and looking there.",
		"_times"
	],
	[
		"-scaling",
		"scaling/count/",
		"By count",
		"Nanoseconds a value, by the number of values.",
		"_counts"
	],
	[
		"-files",
		"saving/",
		"Saving",
		SPANS + " A loop of `store_var` never flushes, `save_vars` does.",
		"_spans"
	],
	["-files", "loading/", "Loading", SPANS + " The file is in the system's cache.", "_spans"],
	[
		"-files",
		"tasks/",
		"Tasks",
		SPANS + " A game runs at 60 FPS; *call* is how long the caller is blocked.",
		"_spans"
	],
	[
		"-files",
		"compression/",
		"Compressed files",
		"Milliseconds of the engine / of VarBatch with 1 thread / with all. Nothing is flushed.",
		"_compression"
	],
	[
		"-diff",
		"diff/",
		"Differences",
		"The engine compares all bytes with `==`; of the small state, a script compares.",
		"_times"
	],
	[
		"-diff",
		"delta/",
		"Deltas",
		"The engine compresses all of the state with Zstandard, or decompresses it.",
		"_times"
	],
	[
		"",
		"undo/",
		"Undo",
		"Against a script that finds the same: with `var_to_bytes` for an edit, with `==` for two objects.",
		"_times"
	],
	[
		"",
		"memory/",
		"Memory of a call",
		"MiB beside the result, of the engine's loop / of VarBatch.",
		"_memory"
	],
	[
		"-cold",
		"cold/",
		"Memory of the first call",
		"Resident MiB before the call / at its peak / after it / after its result was freed.",
		"_resident"
	],
	[
		"-files",
		"memory/",
		"Memory of files",
		"MiB beside what was there before the call: at its peak, and after it.",
		"_growth"
	],
]

## The rows of README: text, suffix of the file, name of the case.
const ROWS: Array[Array] = [
	[
		"a save game of 20,000 dictionaries: `var_to_bytes`",
		"",
		"save_game/all_threads/one/var_to_bytes"
	],
	["… and back: `bytes_to_var`", "", "save_game/all_threads/one/bytes_to_var"],
	[
		"20,000 arrays of 64 bytes: `vars_to_frames`",
		"",
		"batch/PackedInt32Array/20000x64B/vars_to_frames"
	],
	["64 arrays of 1 MiB: `vars_to_bytes`", "", "batch/PackedInt32Array/64x1MiB/vars_to_bytes"],
	["500 arrays of 64 KiB: `bytes_to_vars`", "", "batch/PackedInt32Array/500x64KiB/bytes_to_vars"],
	["a file of 64 arrays of 4 MiB: `load_vars`", "-files", "loading/64 x 4 MiB"],
]
