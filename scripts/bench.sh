#!/usr/bin/env bash
# Measures VarBatch against the engine's own functions.
#
#   scripts/bench.sh [--editor | --release-template | --both] [-- FILTER]
#
#   --both   in both engine builds; the default
#   FILTER   only the cases whose name contains it
#
# Prints tables, and writes a JSON line for each case to target/bench/ENGINE.jsonl.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-bench.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-bench.sh"

read_bench_options "$@"
bench res://bench/bench.tscn '' ${rest[@]+"${rest[@]}"}
