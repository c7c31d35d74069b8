#!/usr/bin/env bash
# Measures the first call of a process, as a game makes it: each call in a process of its own, the engine and VarBatch
# in turns. Takes some minutes for each engine, and 1.5 GiB of disk space.
#
#   scripts/bench-cold.sh [--editor | --release-template | --both] [--library FILE] [-- [--rounds 7] [FILTER...]]
#
#   --both          in both engine builds; the default
#   --library FILE  measures that library too, beside the one that is built, in the same turns
#   --rounds        how many processes make each call
#   FILTER          only the cases whose name contains it, as in bytes_to_vars or _reuse
#
# Prints a table, and writes a JSON line for each case to target/bench/ENGINE-cold.jsonl.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-bench.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-bench.sh"

options=()
other=()
while [ $# -gt 0 ]; do
  case $1 in
    --library)
      [ -f "${2:-}" ] || usage_error "--library needs a file"
      read -r _ name <<<"$(library_names "$(rust_host)")"
      folder=$root/target/bench/other
      rm -rf "$folder"
      mkdir -p "$folder/addons/varbatch/bin"
      cp "$2" "$folder/addons/varbatch/bin/$name"
      link_project "$folder"
      other=(--other "$folder/godot_project")
      shift ;;
    *) options+=("$1") ;;
  esac
  shift
done
read_bench_options ${options[@]+"${options[@]}"}
bench res://bench/cold/cold.tscn -cold --engine ENGINE ${other[@]+"${other[@]}"} ${rest[@]+"${rest[@]}"}
