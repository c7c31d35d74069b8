#!/usr/bin/env bash
# Tests the codec as built for 32-bit x86, where a length or a product may not fit in a `usize`.
#
#   scripts/i686-test.sh [FILTER...]
#
#   FILTER    only the tests whose name contains it
#
# The compiler is Zig (see build.sh --target). Exits with status 69 if it cannot be had here, or if this machine runs no
# such programs.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

read_options '' "$@"

# Linux has this file where it runs them on 64-bit x86.
[ "$(uname -sm)" = 'Linux i686' ] || [ -e /proc/sys/abi/vsyscall32 ] ||
  give_up "this machine runs no programs for 32-bit x86"
# With musl, the programs need no libraries of the system.
target=i686-unknown-linux-musl
need_cross "$target"
cd "$root"
cargo-zigbuild test --target "$target" --locked --no-fail-fast --package varbatch-codec --lib --test codec \
  -- ${rest[@]+"${rest[@]}"}
