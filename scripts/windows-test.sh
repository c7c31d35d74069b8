#!/usr/bin/env bash
# Runs the tests of the codec, of files, threads and the tool as built for Windows, and loads and unloads the extension,
# all in Wine. Closes with one line: "N passed, N failed".
#
#   scripts/windows-test.sh [--long] [--library FILE] [FILTER...]
#
#   --long          kills a saving process 300 times too, for up to 10 minutes, and prints how many saves that were
#   --library FILE  loads this one instead of a release build that is made for it
#   FILTER          only the tests whose name contains it, and no extension
#
# Needs what build.sh --target needs, and Wine, see engine.sh. Exits with status 69 if one of them cannot be had here.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

long='' library=''
read_options 'long library=' "$@"
set -- ${rest[@]+"${rest[@]}"}

target=x86_64-pc-windows-gnu
need_timeout
wine=$("$root/scripts/engine.sh" wine)
need_cross "$target"
make_temporary
: | tee "$temporary/load" "$temporary/tests"
status=0

if [ $# = 0 ]; then
  if [ ! "$library" ]; then
    "$root/scripts/build.sh" --target "$target" --bin "$temporary"
    library=$temporary/varbatch.windows.x86_64.dll
  fi
  python3 -m ziglang cc -target x86_64-windows-gnu -Wall -Wextra -Werror -o "$temporary/load-extension.exe" \
    "$root/scripts/load-extension.c"
  say "loading ${library##*/}"
  "$timeout" -k 5 120 "$wine" "$temporary/load-extension.exe" "$library" 2>&1 | tr -d '\r' | tee "$temporary/load" || status=$?
  # What a user of an old Godot gets to read. A panic that was caught in the library prints it.
  if ! grep -q '^but loaded by older Godot binary, with version:  v4.3.stable.test' "$temporary/load"; then
    say "it does not say why it refuses the old engine"
    status=1
  fi
fi

cd "$root"
runner="target.$target.runner = ['$timeout', '-k', '5', '1200', '$wine']"
run() {
  say "cargo test $*"
  cargo-zigbuild test --config "$runner" --target "$target" --locked "$@" 2>&1 | tr -d '\r' | tee -a "$temporary/tests" || status=$?
}
run --package varbatch-codec --package varbatch-workers --package varbatch-storage --package varbatch-cli --tests \
  --no-fail-fast -- "$@"
if [ "$long" ] && [ $# = 0 ]; then
  export VARBATCH_KILLING_SECONDS=600
  run --package varbatch-storage --test storage -- --show-output file_crash file_rivals
fi

awk -v status="$status" '
  /^test result:/ { passed += $4; failed += $6 }
  FILENAME ~ /load$/ && /: ok$/ { passed++ }
  FILENAME ~ /load$/ && /: FAILED$/ { failed++ }
  END {
    if (status != 0 && !failed) failed = 1
    printf "%d passed, %d failed\n", passed, failed
    exit !(failed == 0 && passed > 0)
  }' "$temporary"/{load,tests}
