#!/usr/bin/env bash
# Runs the tests of the unsafe code under Miri, which finds undefined behaviour: the codec's text kernels and its filling
# of buffers, and the gate between threads. Takes some minutes.
#
#   scripts/miri.sh [FILTER...]
#
#   FILTER   only the tests of rust/codec/tests whose name contains it
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
[ $# -gt 0 ] || set -- text_kernels:: reader::texts writer::
cd "$root"
CARGO_TARGET_DIR=$(cargo_target_dir)/miri
# Tests read recorded vectors and the time. Backtraces of expected panics would take minutes.
export CARGO_TARGET_DIR MIRIFLAGS=-Zmiri-disable-isolation RUST_BACKTRACE=0
# To Miri, the processor has no other vector instructions than these.
case $(rust_host) in x86_64-*) export RUSTFLAGS=-Ctarget-cpu=x86-64-v3 ;; esac

miri() {
  say "cargo miri test $*"
  cargo +nightly miri test --locked "$@"
}
miri --package varbatch-workers --test workers -- gate::
miri --package varbatch-codec --test codec -- "$@"
