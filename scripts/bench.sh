#!/usr/bin/env bash
# Measures VarBatch against the engine's own functions, or against another library.
#
#   scripts/bench.sh [--cold | --files [--slow-flush MSEC]] [--editor | --release-template] [--against LIBRARY [--turns 5]]
#     [-- ARGS...]
#   scripts/bench.sh --write [--only-write]
#   scripts/bench.sh --linear [-- FILTER...]
#   scripts/bench.sh --rust [-- ARGS...]
#   scripts/bench.sh --count [--update] [FILTER]
#
#   (none)              calls in memory that the process already has: takes some minutes for each engine
#   --cold              the first call of a process, as a game makes it: each call in a process of its own. Takes some
#                       minutes for each engine, and 1.5 GiB of disk space. ARGS: [--rounds 7] [FILTER...]
#   --files             how fast files are saved and loaded on the disk of user://, and what a game notices of tasks.
#                       Takes some minutes for each engine, and ten times --mib of disk space. On Linux with a C compiler
#                       also saving without the flush. ARGS: [--mib 256] [--rounds 9] [--runs 15] [FILTER...]
#                       A million keys of a store are only measured with the filter store/million
#   --slow-flush MSEC   of files, also what a game waits for while each flush of a store takes that much longer, as on a
#                       hard disk or a phone. Needs Linux and a C compiler
#   --editor            only in the editor build; by default in both engine builds
#   --release-template  only in the release template
#   --against LIBRARY   compares the library that is built with that file, in turns: processes with that one, this one,
#                       and that one again. Prints for each case the new time divided by the old one, of the smallest
#                       times and of the medians, and the same for the old one against itself. Needs python3
#   --turns             how many processes with each
#   ARGS                FILTER keeps the cases whose name contains it, as in bytes_to_vars or packed/PackedColorArray
#   --write             measures all of these in both engines, and writes rust/docs/BENCHMARKS.md and the table in
#                       README.md. Takes half an hour or more. --only-write writes them from the numbers of the last run.
#                       Needs a quiet machine, and python3
#   --linear            times each method with an input, twice and four times as much, and fails if one takes over 5.5
#                       times as long for the last, or has no case. Takes half a minute, in the editor build
#   --rust              the benchmarks that need no engine. ARGS: a filter, or divan's options; or for saving and loading
#                       against plain writes and reads of as many bytes, --files [--folder PATH] [--mib 256] [--pairs 7]
#   --count             counts the instructions of the codec's hot paths under valgrind, and compares them with the table
#                       in rust/codec/benches/counts. Fails if a path takes over 2 % more. Needs no quiet machine
#   --update            writes that table anew
#
# Prints tables, and writes a JSON line for each case to target/bench/ENGINE.jsonl, ENGINE-cold.jsonl or
# ENGINE-files.jsonl.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cold='' files='' linear='' slow_flush='' both='' editor='' release_template='' against='' turns=5
write='' only_write='' rust='' count='' update=''
read_options 'cold files linear slow-flush= both editor release-template against= turns= write only-write rust count update' "$@"
[ ! "$slow_flush" ] || { [ "$files" ] && [[ $slow_flush =~ ^[1-9][0-9]*$ ]]; } ||
  usage_error "--slow-flush needs --files, and a number of milliseconds"
bench=$root/target/bench
engines=(editor release-template)
[ ! "$editor" ] || engines=(editor)
[ ! "$release_template" ] || engines=(release-template)
[ ! "$both" ] || engines=(editor release-template)

if [ "$rust" ]; then
  benches=(--package varbatch-codec --package varbatch-storage)
  [ "${rest[0]:-}" != --files ] || benches=(--package varbatch-storage --bench files)
  need_rust
  cd "$root"
  say "cargo bench ${benches[*]}"
  exec cargo bench "${benches[@]}" --locked -- ${rest[@]+"${rest[@]}"}
fi

if [ "$linear" ]; then
  "$root/scripts/build.sh"
  engine=$("$root/scripts/engine.sh")
  exec "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' -- \
    "$engine" --headless --path "$root/godot_project" res://bench/linear/linear.tscn -- ${rest[@]+"${rest[@]}"}
fi

if [ "$count" ]; then
  [ ${#rest[@]} -le 1 ] || usage_error "unknown argument: ${rest[1]}"
  need_rust
  command -v valgrind >/dev/null ||
    die "valgrind is missing: install it (apt-get install valgrind, dnf install valgrind, ...), then run this again"
  cd "$root"
  # valgrind finds the counted function by its symbol, and callgrind_annotate needs line numbers; a release has neither.
  export CARGO_PROFILE_BENCH_STRIP=none CARGO_PROFILE_BENCH_DEBUG=line-tables-only
  say "cargo bench --package varbatch-codec --bench counts"
  exec cargo bench --package varbatch-codec --bench counts --locked -- --count ${update:+--update} ${rest[@]+"${rest[@]}"}
fi

if [ "$write$only_write" ]; then
  command -v python3 >/dev/null || give_up "python3 is missing, which writes the tables"
  if [ ! "$only_write" ]; then
    "$0"
    "$0" --cold
    "$0" --files --slow-flush 100
  fi
  exec python3 "$root/scripts/benchmarks.py" write "$root"
fi

# run_once PROJECT LOG ARGS...: one run in $engine, behind the command in $before. Adds its JSON lines to $out.
before=()
run_once() {
  local project=$1 log=$2
  shift 2
  say "running the bench in the $build: ${log#"$root"/}"
  ${before[@]+"${before[@]}"} "$root/scripts/run-godot.sh" --expect '^bench: done$' --timeout 3600 --log "$log" -- \
    "$engine" --headless --path "$project" res://bench/bench.tscn -- "$@" ${rest[@]+"${rest[@]}"} |
    awk '!/^JSON / { print; fflush() }'
  sed -n 's/^JSON //p' "$log" >>"$out.jsonl"
}

# compare SET_OPTIONS...: the library that is built and the other one, in turns.
compare() {
  local turn library order project
  for ((turn = 1; turn <= turns; turn++)); do
    order=(old new again)
    [ $((turn % 2)) = 1 ] || order=(again new old)
    for library in "${order[@]}"; do
      project=$bench/other/godot_project
      [ "$library" != new ] || project=$root/godot_project
      out=$bench/$build$set-$library
      [ "$turn" != 1 ] || rm -f "$out.jsonl"
      run_once "$project" "$out.log" --alone "$@" >/dev/null
    done
  done
  python3 "$root/scripts/benchmarks.py" against "$bench/$build$set"
}

set=
[ ! "$cold" ] || set=-cold
[ ! "$files" ] || set=-files
options=(${set:+"-$set"})
"$root/scripts/build.sh"
if [ "$against" ]; then
  [ -f "$against" ] || usage_error "--against needs a library"
  command -v python3 >/dev/null || give_up "python3 is missing, which compares the times"
  read -r _ library <<<"$(library_names "$(rust_host)")"
  rm -rf "$bench/other"
  mkdir -p "$bench/other/addons/varbatch/bin"
  cp "$against" "$bench/other/addons/varbatch/bin/$library"
  link_project "$bench/other"
fi
mkdir -p "$bench"
for build in "${engines[@]}"; do
  case $build in
    editor) engine=$("$root/scripts/engine.sh") ;;
    *) engine=$("$root/scripts/engine.sh" template) ;;
  esac
  [ ! "$cold" ] || options=(--cold --engine "$engine")
  if [ "$against" ]; then compare ${options[@]+"${options[@]}"}; continue; fi
  out=$bench/$build$set
  rm -f "$out.jsonl"
  run_once "$root/godot_project" "$out.log" ${options[@]+"${options[@]}"}
  [ "$files" ] || continue
  if cc -O2 -o "$bench/no-flush" "$root/godot_project/bench/files/no-flush.c" && "$bench/no-flush" true; then
    before=("$bench/no-flush")
    run_once "$root/godot_project" "$out-no-flush.log" ${options[@]+"${options[@]}"} --no-flush
    before=()
  else
    say "skipped: saving without the flush, and compression. They need Linux and a C compiler"
  fi
  if [ "$slow_flush" ]; then
    if [[ $OSTYPE = linux* ]] && cc -O2 -shared -fPIC -o "$bench/slow-flush.so" "$root/scripts/slow-flush.c" -ldl; then
      before=(env "LD_PRELOAD=$bench/slow-flush.so" "VARBATCH_SLOW_FLUSH=$slow_flush")
      run_once "$root/godot_project" "$out-slow-flush.log" ${options[@]+"${options[@]}"} --slow-flush "$slow_flush"
      before=()
    else
      say "skipped: what a game waits for with a slow flush. That needs Linux and a C compiler"
    fi
  fi
  [ -s "$out.jsonl" ] || die "no case matches the filter"
done
