#!/usr/bin/env bash
# Runs the codec's own benchmarks, which need no engine.
#
#   scripts/bench-codec.sh [ARGS...]
#
#   ARGS   for the benchmarks: a filter, or divan's options
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in -h | --help) usage; exit ;; esac
need_rust
cd "$root"
say "cargo bench --package varbatch-codec --package varbatch-storage"
exec cargo bench --package varbatch-codec --package varbatch-storage --locked -- "$@"
