#!/usr/bin/env bash
# Runs the tests of the codec's unsafe code under Miri, which finds undefined behaviour: the text kernels, filling a
# buffer, and the gate between threads. Takes some minutes.
#
#   scripts/miri.sh [FILTER...]
#
#   FILTER   only the tests whose name contains it, of tests/codec
#
# Miri needs a nightly toolchain with the components miri and rust-src. Missing ones are fetched with rustup; exits
# with status 69 if that fails.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in -h | --help) usage; exit ;; esac
need_rust
has_miri() {
  cargo +nightly miri --version >/dev/null 2>&1 && [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src" ]
}
if ! has_miri; then
  command -v rustup >/dev/null || give_up "Miri needs rustup, which is not here"
  say "rustup toolchain install nightly --component miri,rust-src"
  rustup toolchain install nightly --profile minimal --component miri,rust-src >&2 || :
  has_miri || give_up "Miri cannot be had here: rustup fetched no nightly toolchain with miri and rust-src"
fi
[ $# -gt 0 ] || set -- text:: text_kernels:: texts_split:: plan_nested::
cd "$root"
CARGO_TARGET_DIR=$(cargo_target_dir)/miri
# Tests read recorded vectors, and the time.
export CARGO_TARGET_DIR MIRIFLAGS=-Zmiri-disable-isolation

# miri RUSTFLAGS ARGS...: Miri has the instructions that RUSTFLAGS names, and no others.
miri() {
  say "RUSTFLAGS='$1' cargo miri test ${*:2}"
  RUSTFLAGS=$1 cargo +nightly miri test --locked "${@:2}"
}
if [ "$(rustc -vV | sed -n 's/^host: \([^-]*\).*/\1/p')" = x86_64 ]; then
  flags=-Ctarget-cpu=x86-64-v3
else
  flags=
fi
miri "$flags" --package varbatch-codec --lib -- text:: gate::
miri "$flags" --package varbatch-codec --test codec -- "$@"
