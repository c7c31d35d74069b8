#!/usr/bin/env bash
# Runs the benchmarks that need no engine.
#
#   scripts/bench-rust.sh [ARGS...]
#   scripts/bench-rust.sh --files [--folder PATH] [--mib 256] [--pairs 7]
#
#   ARGS       for the benchmarks of the codec and of small files: a filter, or divan's options
#   --files    saving and loading, against plain writes and reads of the same bytes, in turns
#   --folder   on whose disk; that of target/ by default
#   --mib      size of the files. Takes three times as much memory and disk space
#   --pairs    how often each is timed
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

benches=(--package varbatch-codec --package varbatch-storage)
case ${1:-} in
  -h | --help) usage; exit ;;
  --files) benches=(--package varbatch-storage --bench files) ;;
esac
need_rust
cd "$root"
say "cargo bench ${benches[*]}"
exec cargo bench "${benches[@]}" --locked -- "$@"
