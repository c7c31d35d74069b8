"""Reads what bench.sh has measured: the JSON lines in target/bench.

    benchmarks.py write FOLDER
    benchmarks.py against NAME

write: makes the marked tables of README.md and rust/docs/BENCHMARKS.md anew, in the folder of the repository.

against: compares NAME-old.jsonl, NAME-new.jsonl and NAME-again.jsonl, which has the old library once more. Each has the
rows of several processes.
"""

import json
import re
import statistics
import sys
from operator import truediv
from pathlib import Path

ENGINES = ["editor", "release-template"]
DOCUMENTS = ["README.md", "rust/docs/BENCHMARKS.md"]
# `<!-- bench: MAKER [PATTERN [SUFFIX]] -->`: the table that MAKER makes of the cases whose whole names match PATTERN, in the
# files ENGINE SUFFIX.jsonl.
MARK = re.compile(r"(<!-- bench: (\w+)(?: (\S+))?(?: (\S+))? -->\n).*?(<!-- /bench -->)", re.DOTALL)
MIB = 1048576.0
MACHINE = """VarBatch {version} with Godot {engine} on {processor}, {cores} cores, {system}, `transparent_hugepage` at
`{hugepages}`, measured on {date}.
"""


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def title(*cells):
    return line(cells) + "|" + "---|" * len(cells) + "\n"


def number(value):
    """Three digits that say something."""
    if 0.0 < value < 0.01:
        return f"{value:.4f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def ratio(value):
    if value >= 1000.0:
        return "over 1000x"
    return f"{value:.2f}x" if value < 2.0 else f"{value:.1f}x"


def size(count):
    if count >= MIB:
        return f"{count / MIB:.1f}".removesuffix(".0") + " MiB"
    return f"{count / 1024:.0f} KiB" if count >= 1024 else f"{count:.0f} B"


def pair(first_us, second_us):
    """Two times in the unit that fits the first."""
    if first_us >= 1000.0:
        return f"{number(first_us / 1000.0)} / {number(second_us / 1000.0)} ms"
    return f"{number(first_us)} / {number(second_us)} µs"


def time_cells(row):
    if not row:
        return ["", ""]
    return [pair(row["engine_us"], row["varbatch_us"]), ratio(row["ratio"]) + ("~" if row["noisy"] else "")]


def label(rows):
    row = next(row for row in rows if row)
    parts = [row["type"]]
    if row["count"] > 1:
        parts.append(f"{row['count']:.0f}" + (f" of {size(row['bytes'])}" if row["bytes"] else ""))
    elif row["bytes"]:
        parts.append(size(row["bytes"]))
    call, comma, rest = row["direction"].partition(",")
    if call.isidentifier():
        call = f"`{call}`"
    return f"{', '.join(parts)}: {call}{comma}{rest}"


# Each makes a table of rows: (name, row in the editor build, row in the release template).


def times(rows):
    text = title("", "editor build", "ratio", "release template", "ratio")
    return text + "".join(line([label(found)] + time_cells(found[0]) + time_cells(found[1])) for _, *found in rows)


def times_and_floor(rows):
    text = title("", "editor build", "ratio", "release template", "ratio", "floor")
    for _, *found in rows:
        floor = found[1].get("floor_ratio")
        cells = [label(found)] + time_cells(found[0]) + time_cells(found[1])
        text += line(cells + [f"{1 / floor:.2f}" if floor else ""])
    return text


# Lists that a row has only to be compared with.
COMPARED = ("idle", "plain", "vars_to_frames")


def spans(rows):
    text = title("", "editor build", "release template")
    for name, *found in rows:
        for key, value in found[0].items():
            if isinstance(value, list) and not key.startswith(COMPARED):
                cells = [f"{name.split('/')[1]}: {key.removesuffix('_ms').replace('_ms', '')}"]
                for row in found:
                    spread = sorted(row[key])
                    cells.append("{} ({} to {})".format(*map(number, (spread[len(spread) // 2], spread[0], spread[-1]))))
                text += line(cells)
    return text


def waits(rows):
    """What loads take beside other work: of 100 the 99th, and the longest."""
    text = title("ms", "editor build", "release template")
    for _, *found in rows:
        text += line([found[0]["title"]] + [" / ".join(number(row[key]) for key in ("p99_ms", "worst_ms")) for row in found])
    return text


def compression(rows):
    text = title("release template", "MB of the engine", "MB", "save", "load")
    for name, _, row in rows:
        cells = [name.removeprefix("compression/").replace("/", ", ")]
        cells += [f"{row['engine_bytes'] / 1e6:.2f}", f"{row['varbatch_bytes'] / 1e6:.2f}"]
        for what in ("save", "load"):
            ways = ("engine", "1_thread", "all_threads")
            cells.append(" / ".join(number(row[f"{what}_{way}_ms"]) for way in ways))
        text += line(cells)
    return text


SUMMARY = {
    "a save game of 20,000 dictionaries: `var_to_bytes`": "save_game/all_threads/one/var_to_bytes",
    "… and back: `bytes_to_var`": "save_game/all_threads/one/bytes_to_var",
    "20,000 arrays of 64 bytes: `vars_to_frames`": "batch/PackedInt32Array/20000x64B/vars_to_frames",
    "64 arrays of 1 MiB: `vars_to_bytes`": "batch/PackedInt32Array/64x1MiB/vars_to_bytes",
    "a file of 64 arrays of 4 MiB: `load_vars`": "loading/64 x 4 MiB",
}


def summary(rows):
    """The table of README: of all rows, a few."""
    found = {name: both for name, *both in rows}
    text = title("", "editor build", "", "release template", "")
    for what, name in SUMMARY.items():
        cells = [what]
        for row in found[name]:
            loop, ours = row.get("get_var in a loop_ms"), row.get("load_vars_ms")
            if loop:
                row = {"engine_us": statistics.median(loop) * 1000, "varbatch_us": statistics.median(ours) * 1000}
                row |= {"ratio": statistics.median(map(truediv, loop, ours)), "noisy": False}
            cells += time_cells(row)
        text += line(cells)
    return text


def read(path):
    """Returns the rows by the name of their case, and the machine."""
    rows, machine = {}, None
    for text in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        machine = row.get("machine", machine)
        if "case" in row:
            rows[row["case"] + (", nothing flushed" if row.get("no_flush") else "")] = row
    return rows, machine


def write(root):
    found = {}
    for suffix in ("", "-cold", "-files"):
        for engine in ENGINES:
            found[engine + suffix], machine = read(root / f"target/bench/{engine}{suffix}.jsonl")
    def make(match):
        begin, maker, pattern, suffix, end = match.groups(default="")
        if maker == "machine":
            return begin + MACHINE.format(**machine | {"cores": int(machine["cores"])}) + end
        both = [found[engine + suffix] for engine in ENGINES]
        if maker == "summary":
            both = [found[engine] | found[engine + "-files"] for engine in ENGINES]
        names = [name for name in dict.fromkeys([*both[0], *both[1]]) if re.fullmatch(pattern or ".*", name)]
        return begin + globals()[maker]([(name, both[0].get(name, {}), both[1].get(name, {})) for name in names]) + end

    for name in DOCUMENTS:
        document = root / name
        text, count = MARK.subn(make, document.read_text(encoding="utf-8"))
        document.write_text(text, encoding="utf-8")
        print(f"wrote {count} tables of {name}")


# Lists in a row that are not VarBatch's times.
OTHERS = ("in a loop", "plain", "idle", "engine")


def samples(path):
    """Returns the times of each case: (the smallest one, the medians of the processes)."""
    found = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        if "varbatch_us" in row:
            times_of = {"": (row["varbatch_min_us"], row["varbatch_us"])}
        else:
            keys = [key for key in row if key.endswith("_ms") and not any(other in key for other in OTHERS)]
            lists = {": " + key: row[key] if isinstance(row[key], list) else [row[key]] for key in keys}
            times_of = {key: (min(values), statistics.median(values)) for key, values in lists.items()}
        for key, (smallest, median) in times_of.items():
            name = row["case"] + (", nothing flushed" if row.get("no_flush") else "") + key
            known = found.setdefault(name, (smallest, []))
            found[name] = (min(known[0], smallest), known[1] + [median])
    return found


def against(name):
    old, new, again = (samples(Path(f"{name}-{which}.jsonl")) for which in ("old", "new", "again"))
    print(f"{'new / old, then old / old again':72}{'smallest':>9}{'median':>9}{'smallest':>12}{'median':>9}")
    ratios = []
    for case in old:
        if case in new and case in again:
            cells = []
            for part in (new, again):
                middle = statistics.median(part[case][1]) / statistics.median(old[case][1])
                cells += [part[case][0] / old[case][0], middle]
            ratios.append(cells)
            print(f"{case:72}{cells[0]:9.3f}{cells[1]:9.3f}{cells[2]:12.3f}{cells[3]:9.3f}")
    middle = [statistics.geometric_mean(column) for column in zip(*ratios)]
    print(f"{'all, geometric mean':72}{middle[0]:9.3f}{middle[1]:9.3f}{middle[2]:12.3f}{middle[3]:9.3f}")


if __name__ == "__main__":
    {"write": lambda folder: write(Path(folder)), "against": against}[sys.argv[1]](sys.argv[2])
