# shellcheck shell=bash
# Shared by the scripts that build for other platforms. Sourced after lib.sh, never run.

# Prints a target as Rust knows it: aarch64-unknown-linux-gnu for aarch64-unknown-linux-gnu.2.28.
without_glibc() { echo "${1%%.[0-9]*}"; }

# need_cross TARGET...: makes `cargo zigbuild --target TARGET` work for these, in this shell and what it starts. A target
# is one of Rust, with or without a glibc version, or universal2-apple-darwin. Zig compiles and links C for all of them.
# It and what else comes from PyPI is pinned in cross-requirements.txt and goes into the cache.
need_cross() {
  local target
  need_rust
  need_python_tools cross
  # shellcheck disable=SC2154 # lib.sh sets $tools
  export PATH=$tools/bin:$PATH PYTHONPATH=$tools${PYTHONPATH:+:$PYTHONPATH}
  # Else the library asks for the system that this Zig was made on.
  export MACOSX_DEPLOYMENT_TARGET=11.0
  hide_machine
  for target; do
    case $target in
      universal2-apple-darwin) need_rust_target aarch64-apple-darwin; need_rust_target x86_64-apple-darwin ;;
      *) need_rust_target "$(without_glibc "$target")" ;;
    esac
  done
}

# Keeps this machine's paths and clock out of what is built, so that the same sources give the same bytes anywhere.
hide_machine() {
  local flags=() folder home=${CARGO_HOME:-$HOME/.cargo}
  # shellcheck disable=SC2154 # lib.sh sets $root
  (cd "$root" && cargo fetch --locked --quiet) >&2 || exit
  for folder in "$home"/registry/src/*/; do flags+=("--remap-path-prefix=${folder%/}=/cargo"); done
  flags+=("--remap-path-prefix=$root=/varbatch" "--remap-path-prefix=$(cargo_target_dir)=/varbatch/target")
  CARGO_ENCODED_RUSTFLAGS=$(printf '%s\x1f' "${flags[@]}")
  # 1980, the oldest time of a zip. The linker for Windows takes it.
  export CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%?} SOURCE_DATE_EPOCH=315532800
}

# need_rust_target TRIPLE: its standard library comes from rustup. Where there is no rustup, cargo builds it.
need_rust_target() {
  local installed
  installed=$(rustc --print sysroot)/lib/rustlib/$1/lib
  [ ! -d "$installed" ] || return 0
  if command -v rustup >/dev/null; then
    say "rustup target add $1"
    rustup target add "$1" >&2 || give_up "the Rust target $1 cannot be had here"
    return
  fi
  # shellcheck disable=SC2155 # the next line looks at it
  export RUSTC=$(rustc_with_source)
  [ "$RUSTC" ] || give_up "the Rust target $1 cannot be had here without rustup"
  # Only nightly versions of cargo build the standard library, unless they are told to be one.
  export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind
  CARGO_ENCODED_RUSTFLAGS+=$'\x1f'--remap-path-prefix=$("$RUSTC" --print sysroot)/lib/rustlib/src/rust=/rust
}

# Prints the path of a rustc that has the sources of its standard library beside it, from the package archives.
rustc_with_source() (
  local version compiler host sysroot
  # shellcheck source=lib-apt.sh
  . "$root/scripts/lib-apt.sh"
  version=$(rustc --version | cut -d ' ' -f 2)
  done_if_cached "rustc-$version"
  lock_cache "rustc-$version" "install rustup (https://rustup.rs)"
  compiler=$(command -v rustc)
  host=$(rustc --print sysroot)/lib/rustlib/$(rust_host)
  unpack rust-src "${version//./\\.}" forky sid
  sysroot=$tmp/root/usr/sysroot/lib/rustlib
  mkdir -p "$sysroot/src/rust"
  ln -s "$host" "$sysroot/"
  mv "$tmp/root/usr/src/rustc-$version/library" "$sysroot/src/rust/"
  rm -rf "$tmp/root/usr/src"
  publish <<WRAPPER
exec $(printf %q "$compiler") --sysroot "\$usr/sysroot" "\$@"
WRAPPER
)
