#!/usr/bin/env bash
# Tests everything, step by step, and closes with one line: "N passed, N failed".
#
#   scripts/test.sh                 all steps; each one runs even if an earlier one failed
#   scripts/test.sh --only FILTER   only the conformance tests whose "suite/test" contains FILTER
#
# Counted are the tests of cargo and of the conformance suites, and 1 for each other step. A step that cannot
# run because of an earlier one counts as failed. Each step's output is kept in target/test/.

# shellcheck disable=SC2317 # what "step" calls by name
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

filter=()
case $#,${1:-} in
  0,) ;;
  2,--only) filter=(-- "$2") ;;
  *,-h | *,--help) usage; exit ;;
  *) usage_error "unknown arguments: $*" ;;
esac
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
document() { RUSTDOCFLAGS='-D warnings' cargo doc --package varbatch-codec --no-deps --locked; }

# conformance NAME BUILT ENGINE SECONDS
conformance() {
  if [ -z "$2" ]; then cannot "$1" "the library"; return; fi
  if [ -z "$3" ]; then cannot "$1" "an engine"; return; fi
  step count_suites "$1" "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --timeout "$4" -- \
    "$3" --headless --path "$root/godot_project" res://conformance/all.tscn ${filter[@]+"${filter[@]}"}
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
conformance "conformance, editor build" "$built" "$editor" 600
conformance "conformance, release template" "$built" "$template" 600
[ ${#filter[@]} = 0 ] || finish

debug_in_place=1
step count_step "debug build" "$root/scripts/build.sh" --debug
conformance "conformance, debug library" "$ok" "$editor" 1200
step count_step "release build put back" "$root/scripts/build.sh"
if [ "$ok" ]; then
  debug_in_place=
  step count_step "demo" "$root/scripts/demo.sh" -- --chunks 16
  step count_step "package" "$root/scripts/package.sh"
else
  cannot "demo" "the library"
  cannot "package" "the library"
fi
if [ "$is_checkout" ]; then step count_step "git status unchanged" same_status; fi
finish
