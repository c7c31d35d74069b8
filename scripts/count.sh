#!/usr/bin/env bash
# Counts the instructions of the codec's hot paths under valgrind, and compares them with the table in
# rust/codec/benches/counts. Fails if a path takes over 2 % more. Needs valgrind, but no quiet machine.
#
#   scripts/count.sh [--update | FILTER]
#
#   --update   writes the table anew
#   FILTER     only the paths whose name contains it
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in -h | --help) usage; exit ;; esac
[ $# -le 1 ] || usage_error "unknown argument: $2"
need_rust
command -v valgrind >/dev/null ||
  die "valgrind is missing: install it (apt-get install valgrind, dnf install valgrind, ...), then run this again"
cd "$root"
# valgrind finds the counted function by its symbol, and callgrind_annotate needs line numbers; a release has neither.
export CARGO_PROFILE_BENCH_STRIP=none CARGO_PROFILE_BENCH_DEBUG=line-tables-only
say "cargo bench --package varbatch-codec --bench counts"
exec cargo bench --package varbatch-codec --bench counts --locked -- --count "$@"
