#!/usr/bin/env bash
# Tests the library for engines with double precision in such an engine, which engine.sh finds or builds. Closes
# with one line: "N passed, N failed".
#
#   scripts/double-test.sh
#
# It compares the recorded vectors with what this engine writes, runs the conformance suites, and starts engines of each
# precision with the library for the other: they must say what they lack, and go on.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

read_only_options '' "$@"
need_timeout
double=$("$root/scripts/engine.sh" double) || exit
single=$("$root/scripts/engine.sh") || exit

make_temporary
project=$root/target/double-project
GODOT_DOUBLE=$double make_project "$project" --double

# Checks the recorded vectors: the engine must give the same answers again.
check_record() {
  local vectors=$root/rust/codec/tests/vectors file=double_encoded.txt
  cp "$vectors/make.gd" "$temporary/"
  awk -F ' [|] ' '/^#/ || !NF { print; next } { print $1 " | " $2 }' "$vectors/$file" >"$temporary/$file"
  "$timeout" -k 10 60 "$double" --headless --path "$temporary" --script make.gd
  # Another build of the version may have another name.
  diff <(grep -v '^# engine' "$vectors/$file") <(grep -v '^# engine' "$temporary/$file")
}

run_suites() {
  local log=$temporary/log p f status=0
  "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --timeout 3600 -- \
    "$double" --headless --path "$project/godot_project" res://conformance/all.tscn -- --quick | tee "$log" || status=$?
  read -r p f _ <<<"$(sums_in "$log")"
  count "$p" "$f"
  [ "$status" = 0 ] || [ "$f" -gt 0 ] || bad "suites: exit status $status"
}

# refuses NAME ENGINE PROJECT: the engine must report that the project lacks its library, and go on.
refuses() {
  local name=$1 engine=$2 from=$3 log=$temporary/refused status=0
  printf 'extends SceneTree\nfunc _init() -> void:\n\tprint("alive, with VarBatch: ", %s)\n\tquit()\n' \
    'ClassDB.class_exists(&"VarBatch")' >"$temporary/alive.gd"
  "$timeout" -k 10 60 "$engine" --headless --path "$from/godot_project" --script "$temporary/alive.gd" \
    >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" = 0 ] && grep -q '^alive, with VarBatch: false' "$log" && grep -q 'GDExtension dynamic library not found' "$log"; then
    good
  else
    cat "$log"
    bad "$name: exit status $status"
  fi
}

"$double" --headless --version
if check_record; then good; else bad "double_encoded.txt is not what the engine says"; fi
run_suites
refuses "the double library in an engine of single precision" "$single" "$project"
make_project "$temporary/single"
refuses "the single library in an engine of double precision" "$double" "$temporary/single"
end_tests
