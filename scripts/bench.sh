#!/usr/bin/env bash
# Measures VarBatch against the engine's own functions, in the editor build and in the release template.
#
#   scripts/bench.sh [--scaling] [--editor | --release-template | --both] [-- FILTER]
#   scripts/bench.sh --codec [-- ARGS...]
#   scripts/bench.sh --count [--update | -- FILTER]
#
#   --both    by default. Tables are shown; one JSON line a case goes to target/bench/ENGINE.jsonl
#   FILTER    only the cases whose name contains it
#   --scaling instead, how times grow with size (16 B to 256 MiB), count (1 to 1,000,000) and threads, and from which
#             size on threads pay: some minutes an engine, to target/bench/ENGINE-scaling.jsonl
#   --codec   instead, the codec crate's own benchmarks, which need no engine (ARGS are for cargo bench)
#   --count   instead, the instructions that the codec's hot paths take, beside the table that is kept of them in
#             rust/codec/benches/counts. Fails where one takes over 2 % more. Needs valgrind, but no quiet machine
#   --update  writes that table anew
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

engines=(editor release-template)
scaling=
codec=
count=
update=
while [ $# -gt 0 ]; do
  case $1 in
    --both) ;;
    --editor) engines=(editor) ;;
    --release-template) engines=(release-template) ;;
    --scaling) scaling=1 ;;
    --codec) codec=1 ;;
    --count) count=1 ;;
    --update) update=1 ;;
    -h | --help) usage; exit ;;
    --) shift; break ;;
    *) usage_error "unknown argument: $1 (a filter comes after --)" ;;
  esac
  shift
done

if [ "$update" ] && { [ ! "$count" ] || [ $# -gt 0 ]; }; then
  usage_error "--update needs --count, and counts all cases"
fi

if [ "$count" ]; then
  need_rust
  command -v valgrind >/dev/null ||
    die "valgrind is missing: install it (apt-get install valgrind, dnf install valgrind, ...), then run this again"
  cd "$root"
  # valgrind finds what it counts by its symbol, which a release has not, and the lines for callgrind_annotate.
  export CARGO_PROFILE_BENCH_STRIP=none CARGO_PROFILE_BENCH_DEBUG=line-tables-only
  say "cargo bench --package varbatch-codec --bench counts"
  exec cargo bench --package varbatch-codec --bench counts --locked -- --count ${update:+--update} ${1:+"$*"}
fi

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
  out=$folder/$name${scaling:+-scaling}
  say "running res://bench/bench.tscn in the $name: ${out#"$root"/}.log and .jsonl"
  rm -f "$out.jsonl"
  "$root/scripts/run-godot.sh" --expect '^bench: done$' --timeout 1200 --log "$out.log" -- \
    "$engine" --headless --path "$root/godot_project" res://bench/bench.tscn -- ${scaling:+--scaling} "$@" |
    awk '!/^JSON / { print; fflush() }'
  sed -n 's/^JSON //p' "$out.log" >"$out.jsonl"
done
