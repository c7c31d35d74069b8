#!/usr/bin/env bash
# Measures how fast the difference of two states is found, what deltas cost, and how large the deltas of a recorded
# motion are.
#
#   scripts/bench-diff.sh [--editor | --release-template | --both] [-- FILTER]
#
#   --both   in both engine builds; the default
#   FILTER   only the cases whose name contains it: "motion" for the recorded motion
#
# Prints tables, and writes a JSON line for each case to target/bench/ENGINE-diff.jsonl.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-bench.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-bench.sh"

read_bench_options "$@"
bench res://bench/bench.tscn -diff --diff ${rest[@]+"${rest[@]}"}
