# shellcheck shell=bash
# Shared by the scripts that build for other platforms. Sourced after lib.sh, never run.

# need_cross TRIPLE...: makes `cargo zigbuild --target TRIPLE` work for these Rust targets, in this shell and what it
# starts. Zig compiles and links C for all of them. It and cargo-zigbuild, pinned in cross-requirements.txt, go into the
# cache; the targets of Rust come from rustup.
need_cross() {
  local triple installed requirements=$root/scripts/cross-requirements.txt cache tools
  need_rust
  command -v python3 >/dev/null || give_up "python3 is missing, which installs Zig"
  cache=${VARBATCH_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/varbatch}
  mkdir -p "$cache"
  tools=$(cd "$cache" && pwd)/cross-$(cksum <"$requirements" | cut -d ' ' -f 1)
  (
    ! command -v flock >/dev/null || flock 9
    [ ! -d "$tools" ] || exit 0
    say "installing cargo-zigbuild into $tools"
    rm -rf "$tools.new"
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
      --target "$tools.new" --requirement "$requirements" >&2 && mv "$tools.new" "$tools"
  ) 9>"$cache/cross.lock" || give_up "cargo-zigbuild cannot be had here"
  export PATH=$tools/bin:$PATH PYTHONPATH=$tools${PYTHONPATH:+:$PYTHONPATH}
  # Else the library asks for the system that this Zig was made on.
  export MACOSX_DEPLOYMENT_TARGET=11.0
  for triple; do
    installed=$(rustc --print sysroot)/lib/rustlib/$triple/lib
    [ ! -d "$installed" ] || continue
    say "rustup target add $triple"
    ! command -v rustup >/dev/null || rustup target add "$triple" >&2 || :
    [ -d "$installed" ] || give_up "the Rust target $triple cannot be had here"
  done
}
