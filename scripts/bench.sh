#!/usr/bin/env bash
# Measures VarBatch against the engine's own functions.
#
#   scripts/bench.sh [--diff | --scaling] [--editor | --release-template | --both] [-- FILTER]
#
#   --diff      how fast the difference of two states is found, what deltas cost, and how large the deltas of a recorded
#               motion are ("motion")
#   --scaling   how times grow with size (16 B to 256 MiB), count (1 to 1,000,000) and threads, and from which size
#               threads pay. Takes some minutes for each engine
#   --both      in both engine builds; the default
#   FILTER      only the cases whose name contains it
#
# Prints tables, and writes a JSON line for each case to target/bench/ENGINE.jsonl, ENGINE-diff.jsonl or
# ENGINE-scaling.jsonl.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-bench.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-bench.sh"

section=
case ${1:-} in --diff | --scaling) section=$1; shift ;; esac
read_bench_options "$@"
bench res://bench/bench.tscn "${section#-}" ${section:+"$section"} ${rest[@]+"${rest[@]}"}
