#!/usr/bin/env bash
# Runs the benches in both engine builds, and writes rust/docs/BENCHMARKS.md and the table in README.md.
#
#   scripts/benchmarks.sh [--only-write]
#
#   --only-write   writes both from the numbers of the last run in target/bench/
#
# Takes half an hour or more. Run it on a quiet machine, with the disk space that bench-files.sh needs.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

measure=1
case ${1:-} in
  '') ;;
  --only-write) measure= ;;
  -h | --help) usage; exit ;;
  *) usage_error "unknown argument: $1" ;;
esac

if [ "$measure" ]; then
  for bench in bench bench-cold bench-files; do "$root/scripts/$bench.sh"; done
  "$root/scripts/bench.sh" --diff
  "$root/scripts/bench.sh" --scaling -- scaling/count
fi
engine=$("$root/scripts/engine.sh")
"$root/scripts/run-godot.sh" --expect '^wrote [0-9]+ tables$' --no-errors --timeout 60 -- \
  "$engine" --headless --path "$root/godot_project" --script "$root/scripts/benchmarks.gd" -- "$root"
