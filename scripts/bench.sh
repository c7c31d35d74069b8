#!/usr/bin/env bash
# Measures VarBatch against the engine's own functions, in the editor build and in the release template.
#
#   scripts/bench.sh [--editor | --release-template | --both] [-- FILTER]
#   scripts/bench.sh --codec [-- ARGS...]
#
#   --both    by default. Tables are shown; one JSON line a case goes to target/bench/ENGINE.jsonl
#   FILTER    only the cases whose name contains it
#   --codec   instead, the codec crate's own benchmarks, which need no engine (ARGS are for cargo bench)
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

engines=(editor release-template)
codec=
while [ $# -gt 0 ]; do
  case $1 in
    --both) ;;
    --editor) engines=(editor) ;;
    --release-template) engines=(release-template) ;;
    --codec) codec=1 ;;
    -h | --help) usage; exit ;;
    --) shift; break ;;
    *) usage_error "unknown argument: $1 (a filter comes after --)" ;;
  esac
  shift
done

if [ "$codec" ]; then
  need_rust
  say "cargo bench --package varbatch-codec"
  cd "$root"
  exec cargo bench --package varbatch-codec --locked -- "$@"
fi

"$root/scripts/build.sh"
folder=$root/target/bench
for name in "${engines[@]}"; do
  option=
  [ "$name" = editor ] || option=--release
  engine=$("$root/scripts/godot.sh" $option)
  say "running res://bench/bench.tscn in the $name: ${folder#"$root"/}/$name.log and .jsonl"
  rm -f "$folder/$name.jsonl"
  "$root/scripts/run-godot.sh" --expect '^bench: done$' --timeout 1200 --log "$folder/$name.log" -- \
    "$engine" --headless --path "$root/godot_project" res://bench/bench.tscn -- "$@" |
    awk '!/^JSON / { print; fflush() }'
  sed -n 's/^JSON //p' "$folder/$name.log" >"$folder/$name.jsonl"
done
