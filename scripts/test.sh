#!/usr/bin/env bash
# Tests everything, step by step, and closes with one line: "N passed, N failed".
#
#   scripts/test.sh [--long] [--only FILTER]
#
#   --long          all of the conformance suites' generated values and damaged buffers, instead of a tenth
#                   of them; not with the debug library
#   --only FILTER   only the conformance tests whose "suite/test" contains FILTER, without the debug library
#
# Each step runs even if an earlier one failed. Counted are the tests of cargo and of the conformance suites,
# and 1 for each other step. A step that cannot run because of an earlier one counts as failed. Each step's
# output is kept in target/test/.

# shellcheck disable=SC2317 # what "step" calls by name
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

filter=()
long=()
while [ $# -gt 0 ]; do
  case $1 in
    --only) [ "${2:-}" ] || usage_error "--only needs a value"; filter=("$2"); shift ;;
    --long) long=(--long) ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done
need_rust
cd "$root"
export CARGO_TERM_COLOR=never
logs=$root/target/test
rm -rf "$logs"
mkdir -p "$logs"
passed=0
failed=0

# How many tests passed and failed, as the log of a step tells it.
count_cargo() { awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }' "$1"; }
count_suites() { awk '/^[0-9]+ passed, [0-9]+ failed\r?$/ { p = $1; f = $3 } END { print p + 0, f + 0 }' "$1"; }
count_step() { if [ "$status" = 0 ]; then echo 1 0; else echo 0 1; fi; }

# step COUNT NAME COMMAND...: runs the command, adds what COUNT finds to the sums, and sets $ok if none failed.
step() {
  local count=$1 name=$2 log p f start=$SECONDS status=0
  shift 2
  log=${name//,/}
  log=$logs/${log// /-}.log
  printf -- '-- %s\n' "$name"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  read -r p f <<<"$("$count" "$log")"
  if [ "$f" = 0 ] && { [ "$p" = 0 ] || [ "$status" != 0 ]; }; then f=1; fi
  if [ "$f" != 0 ]; then tail -n 40 "$log" | sed "s/^/   | /"; fi
  record "$name" "$p" "$f" "$((SECONDS - start)) s"
}
cannot() { printf -- '-- %s\n' "$1"; record "$1" 0 1 "not run, for want of $2"; }
record() {
  passed=$((passed + $2))
  failed=$((failed + $3))
  printf '   %s: %d passed, %d failed (%s)\n' "$@"
  ok=$([ "$3" != 0 ] || echo 1)
}

finish() {
  debug_in_place=
  printf '%d passed, %d failed\n' "$passed" "$failed"
  if [ "$failed" = 0 ] && [ "$passed" -gt 0 ]; then exit 0; else exit 1; fi
}

editor=
template=
find_editor() { editor=$("$root/scripts/godot.sh") && "$editor" --headless --version; }
find_template() { template=$("$root/scripts/godot.sh" --release) && "$template" --headless --version; }
find_godot3() {
  local version
  if [ "${GODOT3:-}" ]; then "$root/scripts/godot3.sh"; return; fi
  for version in 3.2 3.6; do "$root/scripts/godot3.sh" --version "$version" || return; done
}
document() { RUSTDOCFLAGS='-D warnings' cargo doc --package varbatch-codec --no-deps --locked; }

# conformance NAME BUILT ENGINE SECONDS OPTIONS...: the options are for the suites' runner.
conformance() {
  local name=$1 built=$2 engine=$3 seconds=$4
  shift 4
  if [ -z "$built" ]; then cannot "$name" "the library"; return; fi
  if [ -z "$engine" ]; then cannot "$name" "an engine"; return; fi
  step count_suites "$name" "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' \
    --timeout "$seconds" -- "$engine" --headless --path "$root/godot_project" res://conformance/all.tscn \
    -- "$@" ${filter[@]+"${filter[@]}"}
}

is_checkout=
status_before=
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  is_checkout=1
  status_before=$(git status --porcelain)
fi
same_status() { diff <(printf %s "$status_before") <(printf %s "$(git status --porcelain)"); }

# Whatever happens while the debug build is in place, the release build is put back.
debug_in_place=
trap '[ -z "$debug_in_place" ] || "$root/scripts/build.sh"' EXIT
trap 'exit 130' HUP INT TERM

if [ ${#filter[@]} = 0 ]; then
  step count_step "cargo fmt" cargo fmt --all --check
  step count_step "cargo clippy" cargo clippy --workspace --all-targets --locked -- -D warnings
  step count_cargo "cargo test" cargo test --workspace --locked --no-fail-fast
  step count_step "cargo doc" document
fi
step count_step "release build" "$root/scripts/build.sh"
built=$ok
step count_step "engine, editor build" find_editor
step count_step "engine, release template" find_template
conformance "conformance, editor build" "$built" "$editor" 1200 ${long[@]+"${long[@]}"}
conformance "conformance, release template" "$built" "$template" 1200 ${long[@]+"${long[@]}"}
[ ${#filter[@]} = 0 ] || finish
if [ "$built" ] && [ "$template" ]; then
  step count_suites "games that are killed while they save" "$root/scripts/crash-test.sh" --engine "$template"
else
  cannot "games that are killed while they save" "the library or an engine"
fi
if [ "$built" ] && [ "$editor" ]; then
  step count_suites "undo in the editor" "$root/scripts/editor-test.sh" --engine "$editor"
else
  cannot "undo in the editor" "the library or an engine"
fi
step count_step "engines, Godot 3" find_godot3
if [ "$built" ] && [ "$editor" ] && [ "$ok" ]; then
  step count_suites "saves of Godot 3" "$root/scripts/godot3-test.sh" --engine "$editor"
else
  cannot "saves of Godot 3" "the library or an engine"
fi

# The same library as it behaves in an engine that keeps dictionaries and arrays otherwise than known.
debug_in_place=1
step count_step "debug build" "$root/scripts/build.sh" --debug --features no-engine-internals
conformance "conformance, debug library" "$ok" "$editor" 1200
step count_step "release build put back" "$root/scripts/build.sh"
if [ "$ok" ]; then
  debug_in_place=
  step count_step "demo" "$root/scripts/demo.sh" -- --chunks 16 --mib 16 --save-rounds 1
  step count_step "package" "$root/scripts/package.sh"
else
  cannot "demo" "the library"
  cannot "package" "the library"
fi
if [ "$is_checkout" ]; then step count_step "git status unchanged" same_status; fi
finish
