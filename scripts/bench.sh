#!/usr/bin/env bash
# Measures VarBatch against the engine's own functions, in the editor build and in the release template.
#
#   scripts/bench.sh [--scaling | --diff] [--editor | --release-template | --both] [-- FILTER]
#   scripts/bench.sh --files [--editor | --release-template | --both] [-- ARGS... FILTER]
#   scripts/bench.sh --codec [-- ARGS...]
#   scripts/bench.sh --count [--update | -- FILTER]
#   scripts/bench.sh --codec --files [-- [--folder PATH] [--mib 256] [--pairs 7]]
#
#   --both    by default. Tables are shown; one JSON line a case goes to target/bench/ENGINE.jsonl
#   FILTER    only the cases whose name contains it
#   --scaling instead, how times grow with size (16 B to 256 MiB), count (1 to 1,000,000) and threads, and from which
#             size on threads pay: some minutes an engine, to target/bench/ENGINE-scaling.jsonl
#   --diff    instead, how fast the difference of two states is found, what deltas cost, and how large those of a
#             recorded motion are (FILTER motion): to target/bench/ENGINE-diff.jsonl
#   --files   instead, how fast files are saved and loaded on the disk of user://, what a game notices of tasks, and the
#             memory that all of it takes: some minutes an engine, to target/bench/ENGINE-files.jsonl. Needs six times
#             256 MiB of the disk, and on Linux a C compiler, to measure saving apart from the flush too. ARGS are
#             --mib 256, --rounds 9 and --runs 15 (of tasks); FILTER is memory, saving, tasks, loading or compression
#   --codec   instead, the codec crate's own benchmarks, which need no engine (ARGS are for cargo bench)
#   --count   instead, the instructions that the codec's hot paths take, beside the table that is kept of them in
#             rust/codec/benches/counts. Fails where one takes over 2 % more. Needs valgrind, but no quiet machine
#   --update  writes that table anew
#   --codec --files  instead, what the codec's files take against plain writes and reads of the same bytes, in turns on
#             the disk of PATH (of target/, if none is given). Takes three times --mib of memory and of the disk
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

engines=(editor release-template)
scaling=
diff=
codec=
count=
update=
files=
while [ $# -gt 0 ]; do
  case $1 in
    --both) ;;
    --editor) engines=(editor) ;;
    --release-template) engines=(release-template) ;;
    --scaling) scaling=1 ;;
    --diff) diff=1 ;;
    --codec) codec=1 ;;
    --count) count=1 ;;
    --update) update=1 ;;
    --files) files=1 ;;
    -h | --help) usage; exit ;;
    --) shift; break ;;
    *) usage_error "unknown argument: $1 (a filter comes after --)" ;;
  esac
  shift
done

if [ "$update" ] && { [ ! "$count" ] || [ $# -gt 0 ]; }; then
  usage_error "--update needs --count, and counts all cases"
fi

case $scaling$diff$files in 11*) usage_error "--scaling, --diff and --files are benches of their own" ;; esac

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

if [ "$codec" ] && [ "$files" ]; then
  need_rust
  say "cargo bench --package varbatch-codec --bench files"
  cd "$root"
  exec cargo bench --package varbatch-codec --bench files --locked -- --files "$@"
fi

if [ "$codec" ]; then
  need_rust
  say "cargo bench --package varbatch-codec"
  cd "$root"
  exec cargo bench --package varbatch-codec --locked -- "$@"
fi

"$root/scripts/build.sh"
folder=$root/target/bench
kind=${scaling:+-scaling}${diff:+-diff}${files:+-files}
scene=res://bench/bench.tscn
[ ! "$files" ] || scene=res://bench/files/files.tscn

no_flush=
if [ "$files" ]; then
  no_flush=$folder/no-flush
  mkdir -p "$folder"
  if ! cc -O2 -o "$no_flush" "$root/scripts/no-flush.c" || ! "$no_flush" true; then
    say "saving apart from the flush, and compression, are left out: that needs Linux and a C compiler"
    no_flush=
  fi
fi

# run LOG ARGS...: shows the tables, and adds the JSON lines to those of the engine. A command may be put before in $before.
run() {
  local log=$1
  shift
  say "running $scene in the $name: ${log#"$root"/}"
  ${before:+"$before"} "$root/scripts/run-godot.sh" --expect '^bench: done$' --timeout 1200 --log "$log" -- \
    "$engine" --headless --path "$root/godot_project" "$scene" -- "$@" |
    awk '!/^JSON / { print; fflush() }'
  sed -n 's/^JSON //p' "$log" >>"$out.jsonl"
}

for name in "${engines[@]}"; do
  option=
  [ "$name" = editor ] || option=--release
  engine=$("$root/scripts/godot.sh" $option)
  out=$folder/$name$kind
  rm -f "$out.jsonl"
  run "$out.log" ${scaling:+--scaling} ${diff:+--diff} "$@"
  [ ! "$no_flush" ] || before=$no_flush run "$out-no-flush.log" --no-flush "$@"
done
