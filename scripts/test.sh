#!/usr/bin/env bash
# Tests everything, step by step, and closes with one line: "N passed, N failed". ", N skipped" is added to it if this
# machine cannot have all that the tests need.
#
#   scripts/test.sh [--ci | --long] [--suites | --only FILTER]
#
#   (none)          what takes at most 10 minutes on two cores: 40 killed games, and in the conformance suites fewer
#                   sizes and thread counts and a tenth of the generated values
#   --ci            also compiles for Android and the web, and times each method with more and more; 200 killed games, 10
#                   power cuts on each file system (for root), all sizes and thread counts, and fewer with the debug
#                   library and without threads
#   --long          all there is: also 30 power cuts, 1,000 killed appends, all generated values and damaged buffers,
#                   Miri, the NEON kernels under qemu, and what is built for Windows in Wine
#   --suites        only the conformance suites
#   --only FILTER   only the conformance tests whose "folder/suite/test" contains FILTER, in all sizes and thread counts
#
# What needs no engine runs beside what does. Each step runs even if an earlier one failed. The sums count the tests of
# cargo, of the conformance suites and of the scripts that count theirs, and 1 for each other step. A step that cannot
# run because an earlier one failed counts as failed; one that needs what cannot be had here says so and counts as
# skipped. Each step's output is kept in target/test/. On a terminal the last line shows what the running step prints.
#
# Without apt, set GODOT to a Godot of 4.4 or newer, GODOT_TEMPLATE to a release template and GODOT3 to a headless
# Godot 3. The last two are skipped if they are not set.

# shellcheck disable=SC2317,SC2329 # called by name
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ci='' long='' suites='' only=''
read_only_options 'ci long suites only=' "$@"
filter=()
[ ! "$only" ] || { filter=("$only") suites=1; }

# Beside the steps: suites and linkers use one core for most of the time. Compilers first, as they find most faults.
beside=(format lints shell_lints cargo_tests bits_32 documentation crate)
steps=(library editor_build release_template editor_suites template_suites crashes editor_plugin godot3 server demo
  package exported_games)
kills=40
append_kills=60
# Seconds that a run of suites may take: four times what the slowest takes.
limit=1200
options=(--quick)
case ${long:+long}${ci:+ci} in
  ci) kills=200 cuts=10 beside+=(targets) steps+=(linear power_cuts debug_suites threadless_suites) options=() ;;
  long*)
    kills=200 cuts=30 append_kills=1000 limit=3600 options=(--long)
    beside+=(targets) steps+=(linear power_cuts debug_suites threadless_suites miri arm64 windows) ;;
esac
[ ! "$suites" ] || beside=() steps=(library editor_build release_template editor_suites template_suites)
[ ! "$only" ] || [ "$ci$long" ] || options=()

need_rust
need_timeout
copy_addons_if_not_linked
cd "$root"
export CARGO_TERM_COLOR=never
logs=$root/target/test
rm -rf "$logs"
mkdir -p "$logs"

format() { step count_step "cargo fmt" cargo fmt --all --check; }
lints() {
  step count_step "cargo clippy" cargo clippy --workspace --all-targets --features varbatch-codec/serde --locked -- -D warnings
  step count_step "cargo clippy, no store" cargo clippy --package varbatch --no-default-features --features api-4-4 \
    --locked -- -D warnings
}
shell_lints() { step count_step "shellcheck" scripts/lint.sh; }
cargo_tests() {
  VARBATCH_APPEND_KILLS=$append_kills step count_cargo "cargo test" cargo test --workspace --locked --no-fail-fast \
    --features varbatch-codec/serde
}
bits_32() { step count_cargo "codec, 32 bits" scripts/i686-test.sh; }
targets() { step count_step "Android and web" scripts/check-targets.sh; }
documentation() {
  RUSTDOCFLAGS='-D warnings' step count_step "cargo doc" cargo doc --package varbatch-codec \
    --package varbatch-storage --package varbatch-workers --features varbatch-codec/serde --no-deps --locked
}
crate() {
  step count_step "cargo package" cargo package --package varbatch-codec --allow-dirty --offline --quiet
  step count_step "lock file of fuzzing" cargo metadata --manifest-path rust/fuzz/Cargo.toml --locked --format-version 1
}
built=
library() {
  step count_step "release library" scripts/build.sh
  built=$ok
}
editor=
template=
editor_build() { step count_step "engine, editor build" find_editor; }
release_template() { step count_step "engine, release template" find_template; }
# There is a Godot for every desktop, so that none is a failure and nothing to skip.
find_editor() { editor=$(scripts/engine.sh) || return 1; "$editor" --headless --version; }
find_template() {
  local status=0
  template=$(scripts/engine.sh template) || status=$?
  [ "$status" != "$unavailable" ] || template=none
  [ "$status" = 0 ] || return "$status"
  "$template" --headless --version
}
editor_suites() { suites "suites, editor build" "$built" "$editor" "$root" ${options[@]+"${options[@]}"}; }
template_suites() { suites "suites, release template" "$built" "$template" "$root" ${options[@]+"${options[@]}"}; }
crashes() {
  with "$template" sums_in "games killed while saving" scripts/crash-test.sh --kills "$kills" --engine "$template"
  with "$template" sums_in "stores killed while saving" scripts/crash-test.sh --store --kills $((kills / 2)) --engine "$template"
  with "$template" sums_in "stores that players copy" scripts/crash-test.sh --store --player --kills $((kills / 2)) --engine "$template"
}
power_cuts() {
  with "$template" sums_in "power cuts" scripts/crash-test.sh --power --cuts "$cuts" --engine "$template"
  with "$template" sums_in "power cuts, stores" scripts/crash-test.sh --store --power --cuts "$cuts" --engine "$template"
}
linear() { with "$editor" sums_in "costs that are linear" scripts/bench.sh --linear; }
editor_plugin() { with "$editor" sums_in "undo in the editor" scripts/editor-test.sh --engine "$editor"; }
godot3() { with "$editor" sums_in "saves of Godot 3" scripts/godot3-test.sh --engine "$editor"; }
server() { with "$editor" sums_in "server in Rust" scripts/server-test.sh --engine "$editor"; }
demo() { with "$editor" count_step "demo" scripts/demo.sh -- --chunks 16 --mib 16 --save-rounds 1; }
package() { with "$editor" count_step "package" scripts/package.sh; }
exported_games() {
  with "$template" sums_in "exported games" scripts/export-test.sh --engine "$editor" --zip "$(newest_zip)"
}
# shellcheck disable=SC2012 # no other characters are in the names
newest_zip() { ls -t target/package/varbatch-[0-9]*[0-9].zip | head -n 1; }
debug_suites() {
  local project=$root/target/debug-project
  # The library behaves as in an engine whose dictionaries and arrays have an unknown layout, and saves as in a browser.
  step count_step "debug library" make_project "$project" --debug --features no-engine-internals,browser-files
  # Always --quick: an unoptimised library would take an hour.
  suites "suites, debug library" "$ok" "$editor" "$project" --quick --browser-files
}
# As in a browser without threads: no address space has room for such a stack, so the library starts none. The one
# suite of tasks that is missing looks at them between two frames, where none of them is worked on then.
threadless_suites() {
  RUST_MIN_STACK=1125899906842624 suites "suites, no threads" "$built" "$template" "$root" --quick files/ threads \
    tasks/{tasks,values,errors,objects,in_loads,cancel,soak}/
}
miri() { step count_cargo "Miri" scripts/miri.sh; }
arm64() { step count_cargo "NEON under qemu" scripts/arm64-test.sh; }
windows() { step sums_in "windows in Wine" scripts/windows-test.sh; }
unchanged() { step count_step "git status unchanged" same_status; }

# suites NAME BUILT ENGINE FOLDER OPTIONS...: the conformance suites of the project below FOLDER; the options are for
# their runner.
suites() {
  local name=$1 is_built=$2 engine=$3 folder=$4
  shift 4
  [ "$is_built" ] || engine=
  with "$engine" sums_in "$name" scripts/run-godot.sh --expect '^[1-9][0-9]* passed, 0 failed$' \
    --timeout "$limit" -- "$engine" --headless --path "$folder/godot_project" res://conformance/all.tscn -- \
    "$@" ${filter[@]+"${filter[@]}"}
}

# with ENGINE COUNT NAME COMMAND...: a step that needs the library and an engine.
with() {
  local engine=$1
  shift
  if [ "$built" ] && [ "$engine" ] && [ "$engine" != none ]; then step "$@"; return; fi
  heading "$2"
  if [ "$built" ] && [ "$engine" ]; then skip "$2" "there is no such engine here"; return; fi
  record "$2" 0 1 0 "not run, for want of the library or an engine"
}

# How many tests passed, failed and were skipped, from the log of a step.
count_cargo() { LC_ALL=C awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0, 0 }' "$1"; }
count_step() { if [ "$status" = 0 ]; then echo 1 0 0; else echo 0 1 0; fi; }

# step COUNT NAME COMMAND...: runs the command, adds what COUNT finds to the sums, and sets $ok if none failed.
step() {
  local count=$1 name=$2 log p f s start=$SECONDS status=0
  shift 2
  heading "$name"
  log=${name//,/}
  log=$logs/${log// /-}.log
  : >"$log"
  show_progress "$log"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  hide_progress
  if [ "$status" = "$unavailable" ]; then skip "$name" "$(tail -n 1 "$log")"; return; fi
  read -r p f s <<<"$("$count" "$log")"
  if [ "$f" = 0 ] && { [ "$p" = 0 ] || [ "$status" != 0 ]; }; then f=1; fi
  # What failed may stand far above the end of a long log.
  if [ "$f" != 0 ]; then
    { LC_ALL=C grep -aE -m 20 '^FAIL |FAILED$' "$log" || :; tail -n 40 "$log"; } | LC_ALL=C sed 's/^/   | /'
  fi
  [ "$s" = 0 ] || sed -n 's/^skipped:/   skipped:/p' "$log"
  record "$name" "$p" "$f" "$s" "$((SECONDS - start)) s"
}
heading() { printf -- '%s-- %s\n' "$clear" "$1"; }
# skip NAME REASON
skip() {
  count 0 0 1
  printf '%s   %s: skipped: %s\n' "$clear" "$1" "$2"
  ok=
}
# record NAME PASSED FAILED SKIPPED REMARK
record() {
  count "$2" "$3" "$4"
  printf '%s   %s: %s (%s)\n' "$clear" "$1" "$(sums "$2" "$3" "$4")" "$5"
  ok=$([ "$3" != 0 ] || echo 1)
}

# On a terminal: the seconds that the step has taken, and the last line of its log.
progress=
clear=
[ ! -t 1 ] || clear=$'\r\033[K'
show_progress() {
  [ "$clear" ] && [ -z "$is_beside" ] || return 0
  while sleep 1; do
    printf '%s   %d s  %s' "$clear" "$((SECONDS - start))" "$(tail -n 1 "$1" | LC_ALL=C tr -cd '[:print:]' | cut -c 1-100)"
  done &
  progress=$!
}
hide_progress() {
  [ "$progress" ] || return 0
  kill "$progress"
  wait "$progress" 2>/dev/null || :
  progress=
  printf %s "$clear"
}
lane=
is_beside=
finish() {
  hide_progress
  [ -z "$lane" ] || kill -- "-$lane" 2>/dev/null || :
}
trap finish EXIT
trap 'exit 130' HUP INT TERM

is_checkout=
status_before=
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  is_checkout=1
  status_before=$(git status --porcelain)
fi
same_status() { diff <(printf %s "$status_before") <(printf %s "$(git status --porcelain)"); }

# In a process group of its own, so that it ends with this script, and after what engines need, as it can use all cores.
# Its sums are left in a log that no step has.
: >"$logs/beside.log"
if [ "${beside[*]-}" ]; then
  set -m
  (
    is_beside=1
    trap - EXIT
    renice -n 10 -p "$BASHPID" >/dev/null || :
    for name in "${beside[@]}"; do "$name"; done
    sums "$passed" "$failed" "$skipped" >"$logs/beside.log"
  ) </dev/null &
  lane=$!
  set +m
fi
for name in "${steps[@]}"; do "$name"; done
if [ "$lane" ]; then
  wait "$lane" || count 0 1
  lane=
  read -r p f s <<<"$(sums_in "$logs/beside.log")"
  count "$p" "$f" "$s"
fi
[ -z "$is_checkout" ] || unchanged
end_tests
