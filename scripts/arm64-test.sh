#!/usr/bin/env bash
# Tests what is built for Linux on 64-bit ARM: on such a machine, or elsewhere in the processor emulator qemu.
#
#   scripts/arm64-test.sh [PART [FILTER...]]
#
#   kernels   the codec's tests of text, which compare the NEON kernels with plain code (the default)
#   crates    all tests of the codec, of files, of the workers and of the tool
#   template  the conformance suites (--quick) in the release template: emulated, 18 minutes of a fast processor, which
#             prints nothing but errors until then
#   editor    the same in the editor build, which takes longer
#   game      an exported game; instead of filters it takes arguments for export-test.sh
#   FILTER    only the tests whose name contains it. "" for all of the codec's
#
# The compiler is Zig (see build.sh --target); qemu and the engines come from the package archives (see engine.sh). Exits
# with status 69 if one of them cannot be had here. The tests of `crates` start programs of their own: emulated, that
# needs Linux 6.7 and the right to make user namespaces.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

part=${1:-kernels}
shift $(($# > 0))
target=aarch64-unknown-linux-gnu.2.28
runner=

# need_emulator: sets $runner to the command that runs a program, unless this machine does. Programs find their
# libraries among those of the engine.
need_emulator() {
  local engine
  ! is_arm64 || return 0
  runner=$("$root/scripts/engine.sh" qemu)
  engine=$("$root/scripts/engine.sh" template --arch arm64)
  QEMU_LD_PREFIX=${engine%/bin/*}/${engine##*/}/usr
  export QEMU_CPU=cortex-a53 QEMU_LD_PREFIX
}

# need_emulated_children: the same, and what a program starts is emulated too. The system does that if it is told so,
# which it is in a namespace of its own.
need_emulated_children() {
  need_emulator
  [ "$runner" ] || return 0
  ARM64_FORMAT=':arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  ARM64_FORMAT+=':\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  export ARM64_FORMAT+=:$runner:F
  make_temporary
  runner=$temporary/runner
  cat >"$runner" <<'RUNNER'
#!/bin/sh
exec unshare --user --map-root-user --mount sh -c '
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || exit
  printf %s "$ARM64_FORMAT" >/proc/sys/fs/binfmt_misc/register || exit
  exec "$@"' sh "$@"
RUNNER
  chmod 755 "$runner"
  "$runner" true || give_up "programs that tests start cannot be emulated here"
}

# cargo_test ARGS...
cargo_test() {
  need_cross "$target"
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=$runner
  say "cargo test --target $target $*"
  cd "$root"
  cargo-zigbuild test --target "$target" --locked "$@"
}

# suites ENGINE FILTER...
suites() {
  local slow=(--slow)
  ! is_arm64 || slow=()
  "$root/scripts/build.sh" --target "$target"
  "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --timeout 10800 -- \
    "$1" --headless --path "$root/godot_project" res://conformance/all.tscn -- --quick "${slow[@]}" "${@:2}"
}

case $part in
  kernels)
    [ $# -gt 0 ] || set -- text
    need_emulator
    cargo_test --package varbatch-codec --lib --test codec -- "$@"
    ;;
  crates)
    need_emulated_children
    # They measure the memory of the tool's process, most of which is the emulator's.
    if [ "$runner" ]; then
      say "skipping large::, 3 tests of the tool's memory: the emulator takes more"
      set -- --skip large:: "$@"
    fi
    cargo_test --no-fail-fast --package varbatch-codec --package varbatch-storage --package varbatch-store \
      --package varbatch-workers --package varbatch-cli -- "$@"
    ;;
  template) engine=$("$root/scripts/engine.sh" template --arch arm64) && suites "$engine" "$@" ;;
  editor) engine=$("$root/scripts/engine.sh" editor --arch arm64) && suites "$engine" "$@" ;;
  game)
    need_emulator
    "$root/scripts/build.sh" # for the editor, which exports it
    "$root/scripts/build.sh" --target "$target"
    [ -z "$runner" ] || set -- --template "$QEMU_LD_PREFIX/bin/godot-template-release" --run "$runner" "$@"
    "$root/scripts/export-test.sh" --arch arm64 "$@"
    ;;
  -h | --help) usage ;;
  *) usage_error "unknown part: $part" ;;
esac
