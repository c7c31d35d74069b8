#!/usr/bin/env bash
# Runs the codec's tests as built for 64-bit ARM, in the processor emulator qemu: they compare the NEON kernels with
# plain code.
#
#   scripts/arm64-test.sh [FILTER...]
#
#   FILTER   only the tests whose name contains it; by default those of text. "" for all of them, which takes long
#
# Needs the Rust target aarch64-unknown-linux-gnu (fetched with rustup if it is missing), a C compiler for it
# (aarch64-linux-gnu-gcc) and qemu-aarch64. Exits with status 69 if one of them is missing.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in -h | --help) usage; exit ;; esac
need_rust
target=aarch64-unknown-linux-gnu
[ $# -gt 0 ] || set -- text

for command in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v "$command" >/dev/null ||
    give_up "$command is missing: install it (apt-get install gcc-aarch64-linux-gnu qemu-user), then run this again"
done
has_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; }
if ! has_target; then
  say "rustup target add $target"
  ! command -v rustup >/dev/null || rustup target add "$target" >&2 || :
  has_target || give_up "the Rust target $target cannot be had here"
fi

cd "$root"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
# The C compiler's own libraries: $(...)/libc.so.6 and the loader beside it.
libraries=$(aarch64-linux-gnu-gcc -print-file-name=libc.so.6)
libraries=$(cd "$(dirname "$libraries")/.." && pwd)
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L $libraries"
say "cargo test --target $target --package varbatch-codec -- $*"
cargo test --target "$target" --package varbatch-codec --lib --test codec --locked -- "$@"
