# shellcheck shell=bash
# What the scripts share; sourced, never run. Sets $root, the top of the repository.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Rust that was installed a minute ago is not on PATH yet.
[ ! -d "${HOME:-}/.cargo/bin" ] || PATH=$PATH:$HOME/.cargo/bin

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }
die() { say "$*"; exit 1; }

# The exit status of a test that cannot run here, for want of a tool that cannot be had.
unavailable=69
give_up() { say "$*"; exit "$unavailable"; }

# The comment at the top of a script is its usage text.
usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }
usage_error() { say "$*"; usage >&2; exit 2; }

need_rust() {
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    die "Rust is missing: install it with rustup (https://rustup.rs), then run this again"
  fi
}

rust_host() { rustc -vV | sed -n 's/^host: //p'; }

# The folder that cargo builds into; CARGO_TARGET_DIR and cargo's own settings may have moved it.
cargo_target_dir() {
  (cd "$root" && cargo metadata --locked --no-deps --format-version 1) |
    sed -E 's/.*"target_directory":"([^"]*)".*/\1/'
}

# The names of the library that cargo writes and that the manifest asks for, for a target triple.
library_names() {
  case $1 in
    x86_64-*-linux-*) echo libvarbatch.so libvarbatch.linux.x86_64.so ;;
    aarch64-*-linux-*) echo libvarbatch.so libvarbatch.linux.arm64.so ;;
    x86_64-*-windows-*) echo varbatch.dll varbatch.windows.x86_64.dll ;;
    *-apple-darwin) echo libvarbatch.dylib libvarbatch.macos.universal.dylib ;;
    *) return 1 ;;
  esac
}

# Godot loads an extension only if this file of the project names it. Normally the editor's first scan
# writes it; a project that was never opened in the editor has none.
list_extension() {
  local list=$1/.godot/extension_list.cfg manifest=res://addons/varbatch/varbatch.gdextension
  ! grep -qxF "$manifest" "$list" 2>/dev/null || return 0
  mkdir -p "$1/.godot"
  echo "$manifest" >"$list"
}
