#!/usr/bin/env bash
# Measures saving and loading without an engine, against plain writes and reads of the same bytes, in turns.
#
#   scripts/bench-storage.sh [--folder PATH] [--mib 256] [--pairs 7]
#
#   --folder   on whose disk; that of target/ by default
#   --mib      size of the files. Takes three times as much memory and disk space
#   --pairs    how often each is timed
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in -h | --help) usage; exit ;; esac
need_rust
cd "$root"
say "cargo bench --package varbatch-storage --bench files"
exec cargo bench --package varbatch-storage --bench files --locked -- --files "$@"
