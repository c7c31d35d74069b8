#!/usr/bin/env bash
# Checks that the library compiles without a warning for Android, which has no package yet, and for the web
# without threads. Nothing is linked, and no C is compiled, so neither the NDK nor Emscripten is needed.
#
#   scripts/check-targets.sh
#
# Missing Rust targets are fetched with rustup; exits with status 69 if that fails.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

read_only_options '' "$@"

targets=(aarch64-linux-android wasm32-unknown-emscripten)
need_rust
for target in "${targets[@]}"; do need_rust_target "$target"; done
cd "$root"
# Else the build script of zstd-sys compiles its C.
export TARGET_CC=true TARGET_AR=true
for target in "${targets[@]}"; do
  say "cargo clippy --package varbatch --target $target"
  cargo clippy --package varbatch --target "$target" --locked -- -D warnings
done
