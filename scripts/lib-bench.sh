# shellcheck shell=bash
# shellcheck disable=SC2154 # lib.sh sets $root
# Shared by the benches that run inside an engine. Sourced after lib.sh, never run.

# read_bench_options ARGS...: reads the options that all of these benches take. Sets $engines, and $rest to what
# follows "--".
read_bench_options() {
  engines=(editor release-template)
  while [ $# -gt 0 ]; do
    case $1 in
      --both) engines=(editor release-template) ;;
      --editor) engines=(editor) ;;
      --release-template) engines=(release-template) ;;
      -h | --help) usage; exit ;;
      --) shift; break ;;
      *) usage_error "unknown argument: $1 (a filter comes after --)" ;;
    esac
    shift
  done
  # shellcheck disable=SC2034 # for the callers
  rest=("$@")
}

# bench SCENE SUFFIX ARGS...: builds the library and runs the scene in each of $engines, whose path takes the place of
# ENGINE in ARGS. Shows its tables, and writes its JSON lines to target/bench/ENGINE$SUFFIX.jsonl. If $no_flush names a
# command, the scene runs once more behind that command, with --no-flush, and its lines are added.
bench() {
  local scene=$1 suffix=$2 name engine out
  shift 2
  "$root/scripts/build.sh"
  for name in "${engines[@]}"; do
    case $name in
      editor) engine=$("$root/scripts/engine.sh") ;;
      *) engine=$("$root/scripts/engine.sh" template) ;;
    esac
    out=$root/target/bench/$name$suffix
    rm -f "$out.jsonl"
    bench_once "$out.log" "${@/#ENGINE/$engine}"
    [ ! "${no_flush:-}" ] || bench_once "$out-no-flush.log" --no-flush "$@"
  done
}

# bench_once LOG ARGS...: one run of $scene in $engine.
bench_once() {
  local log=$1 before=()
  shift
  [ "${1:-}" != --no-flush ] || before=("$no_flush")
  say "running $scene in the $name: ${log#"$root"/}"
  ${before[@]+"${before[@]}"} "$root/scripts/run-godot.sh" --expect '^bench: done$' --timeout 1200 --log "$log" -- \
    "$engine" --headless --path "$root/godot_project" "$scene" -- "$@" |
    awk '!/^JSON / { print; fflush() }'
  sed -n 's/^JSON //p' "$log" >>"$out.jsonl"
}
