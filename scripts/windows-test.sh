#!/usr/bin/env bash
# Runs the tests of the codec, of files, threads and the tool as built for Windows, loads and unloads the extension, and runs
# the conformance suites and an exported game in a Godot for Windows, and kills it while it saves, all in Wine. Closes with
# one line: "N passed, N failed".
#
#   scripts/windows-test.sh [--long] [--library FILE] [FILTER...]
#
#   --long          kills a saving process 300 times too, for up to 10 minutes, and prints how many saves that were; and
#                   games 500 times instead of 20
#   --library FILE  loads this one instead of a release build that is made for it
#   FILTER          only the tests whose name contains it, and no extension
#
# Needs what build.sh --target needs, Wine and such a Godot, see engine.sh. Exits with status 69 if one of them cannot be had
# here.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

long='' library=''
read_options 'long library=' "$@"
set -- ${rest[@]+"${rest[@]}"}

target=x86_64-pc-windows-gnu
need_timeout
wine=$("$root/scripts/engine.sh" wine)
[ $# != 0 ] || engine=$("$root/scripts/engine.sh" windows)
need_cross "$target"
make_temporary
: | tee "$temporary"/{load,suites,export,crash,tests}
status=0

if [ $# = 0 ]; then
  bin=$temporary/project/addons/varbatch/bin
  mkdir -p "$bin"
  if [ "$library" ]; then cp "$library" "$bin/"; else "$root/scripts/build.sh" --target "$target" --bin "$bin"; fi
  library=$bin/varbatch.windows.x86_64.dll
  # The editor that exports loads its own.
  [ -f "$root/addons/varbatch/bin/libvarbatch.linux.x86_64.so" ] || "$root/scripts/build.sh"
  cp "$root/addons/varbatch/bin/libvarbatch.linux.x86_64.so" "$bin/"
  link_project "$temporary/project"
  python3 -m ziglang cc -target x86_64-windows-gnu -Wall -Wextra -Werror -o "$temporary/load-extension.exe" \
    "$root/scripts/load-extension.c"
  say "loading ${library##*/}"
  "$timeout" -k 5 120 "$wine" "$temporary/load-extension.exe" "$library" 2>&1 | tr -d '\r' | tee "$temporary/load" || status=$?
  # What a user of an old Godot gets to read. A panic that was caught in the library prints it.
  if ! grep -q '^but loaded by older Godot binary, with version:  v4.3.stable.test' "$temporary/load"; then
    say "it does not say why it refuses the old engine"
    status=1
  fi
  "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --timeout 1800 -- "$engine" --headless \
    --path "$temporary/project/godot_project" res://conformance/all.tscn -- --quick --slow 2>&1 | tr -d '\r' |
    tee "$temporary/suites" || status=$?
  "$temporary/project/scripts/export-test.sh" --wine 2>&1 | tr -d '\r' | tee "$temporary/export" || status=$?
  "$root/scripts/crash-test.sh" --engine "$engine" --project "$temporary/project/godot_project" \
    --kills "$([ "$long" ] && echo 500 || echo 20)" 2>&1 | tr -d '\r' | tee "$temporary/crash" || status=$?
fi

cd "$root"
runner="target.$target.runner = ['$timeout', '-k', '5', '1200', '$wine']"
run() {
  say "cargo test $*"
  cargo-zigbuild test --config "$runner" --target "$target" --locked "$@" 2>&1 | tr -d '\r' | tee -a "$temporary/tests" || status=$?
}
run --package varbatch-codec --package varbatch-workers --package varbatch-storage --package varbatch-store \
  --package varbatch-cli --tests \
  --no-fail-fast -- "$@"
if [ "$long" ] && [ $# = 0 ]; then
  export VARBATCH_KILLING_SECONDS=600
  run --package varbatch-storage --test storage -- --show-output file_crash file_rivals
fi

awk -v status="$status" '
  FILENAME ~ /(suites|export|crash)$/ && /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
  /^test result:/ { passed += $4; failed += $6 }
  FILENAME ~ /load$/ && /: ok$/ { passed++ }
  FILENAME ~ /load$/ && /: FAILED$/ { failed++ }
  END {
    if (status != 0 && !failed) failed = 1
    printf "%d passed, %d failed\n", passed, failed
    exit !(failed == 0 && passed > 0)
  }' "$temporary"/{load,suites,export,crash,tests}
