#!/usr/bin/env bash
# Measures how fast files are saved and loaded on the disk of user://, what a game notices of tasks, and the memory
# that all of it takes. Takes some minutes for each engine, and six times --mib of disk space.
#
#   scripts/bench-files.sh [--editor | --release-template | --both] [-- [--mib 256] [--rounds 9] [--runs 15] [FILTER]]
#
#   --both     in both engine builds; the default
#   --mib      size of the saves
#   --rounds   how often each save and load is timed
#   --runs     how often each task is timed
#   FILTER     memory, saving, tasks, loading or compression
#
# Prints tables, and writes a JSON line for each case to target/bench/ENGINE-files.jsonl. On Linux with a C compiler it
# also measures saving without the flush (see no-flush.c).
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-bench.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-bench.sh"

read_bench_options "$@"
no_flush=$root/target/bench/no-flush
mkdir -p "${no_flush%/*}"
if ! cc -O2 -o "$no_flush" "$root/scripts/no-flush.c" || ! "$no_flush" true; then
  say "skipped: saving without the flush, and compression. They need Linux and a C compiler"
  no_flush=
fi
bench res://bench/files/files.tscn -files ${rest[@]+"${rest[@]}"}
