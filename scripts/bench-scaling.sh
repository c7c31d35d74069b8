#!/usr/bin/env bash
# Measures how times grow with size (16 B to 256 MiB), count (1 to 1,000,000) and threads, and from which size on
# threads pay. Takes some minutes for each engine.
#
#   scripts/bench-scaling.sh [--editor | --release-template | --both] [-- FILTER]
#
#   --both   in both engine builds; the default
#   FILTER   only the cases whose name contains it
#
# Prints tables, and writes a JSON line for each case to target/bench/ENGINE-scaling.jsonl.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-bench.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-bench.sh"

read_bench_options "$@"
bench res://bench/bench.tscn -scaling --scaling ${rest[@]+"${rest[@]}"}
