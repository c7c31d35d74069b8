#!/usr/bin/env bash
# Builds the extension and puts it where Godot looks for it: addons/varbatch/bin/.
#
#   scripts/build.sh [--debug] [--double] [--no-store] [--features LIST] [--target TRIPLE] [--tool] [--bin FOLDER]
#
#   --debug          with debug assertions and without optimisation; by default a release build
#   --double         for engines built with `precision=double`: of the version of $GODOT_DOUBLE, an editor build, or of
#                    the engine that engine.sh builds, and newer ones
#   --no-store       without VarBatchStore and SQLite, which are 1 MB of the library
#   --features LIST  with features of rust/plugin/Cargo.toml
#   --target TRIPLE  for another platform, with Zig as its linker: a Rust target, also with the oldest glibc that is to
#                    load it (aarch64-unknown-linux-gnu.2.28), or universal2-apple-darwin for both kinds of Mac; and
#                    wasm32-unknown-emscripten for browsers, with Emscripten
#   --tool           builds the command line tool instead, which needs --bin
#   --bin FOLDER     puts it into that folder instead
#
# Without --target, a library for macOS holds only the architecture that was built, whatever its name says.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

debug='' double='' no_store='' features='' target='' tool='' bin=''
read_only_options 'debug double no-store features= target= tool bin=' "$@"

need_rust
triple=${target:-$(rust_host)}
profile=release crate=varbatch
[ ! "$debug" ] || profile=debug
if [ "$tool" ]; then
  crate=varbatch-cli
  [ "$bin" ] || usage_error "--tool needs --bin"
  [ -z "$double$no_store" ] || usage_error "--double and --no-store are for the library"
  case $triple in *-windows-*) names='varbatch.exe varbatch.exe' ;; *) names='varbatch varbatch' ;; esac
else
  names=$(library_names "$triple") || die "the manifest names no library for $triple"
fi
read -r built wanted <<<"$names"
# The manifest has another name for it, so that the two can lie side by side.
[ -z "$double" ] || wanted=${wanted/./.double.}
bin=${bin:-$root/addons/varbatch/bin}

command=(cargo build)
if [ "$target" = wasm32-unknown-emscripten ]; then
  need_emscripten
  command=("$emscripten" cargo build --target "$target")
elif [ "$target" ]; then
  need_cross "$target"
  command=(cargo zigbuild --target "$target")
fi
command+=(--package "$crate" --locked)
if [ "$double" ]; then
  # The bindings are made of what such an engine says of itself, as the hashes of its methods are others. Another file
  # name for other contents, as cargo looks at the name only.
  engine=$("$root/scripts/engine.sh" double) || exit
  make_temporary
  (cd "$temporary" && "$engine" --headless --dump-extension-api) >/dev/null 2>&1 || die "$engine cannot describe its API"
  GDRUST_GODOT_API_JSON=$(cargo_target_dir)/double/api-$(cksum <"$temporary/extension_api.json" | cut -d ' ' -f 1).json
  export GDRUST_GODOT_API_JSON
  mkdir -p "${GDRUST_GODOT_API_JSON%/*}"
  mv "$temporary/extension_api.json" "$GDRUST_GODOT_API_JSON"
fi
if [ "$double$no_store" ]; then
  command+=(--no-default-features)
  [ -n "$no_store" ] || features=store${features:+,$features}
  [ "$tool" ] || features=$([ "$double" ] && echo double-precision || echo api-4-4)${features:+,$features}
fi
[ "$profile" = debug ] || command+=(--release)
[ -z "$features" ] || command+=(--features "$features")
say "${command[*]}"
(cd "$root" && "${command[@]}") >&2 || exit

# Copied beside and renamed, so that no engine maps half a library or one that changes.
library=$(cargo_target_dir)/${target:+$(without_glibc "$target")/}$profile/$built
mkdir -p "$bin"
beside=$(mktemp "$bin/.$wanted.XXXXXX")
trap 'rm -rf "$beside"; remove "${temporary:-}"' EXIT
cp "$library" "$beside"
chmod 755 "$beside"
case $target in *-apple-darwin) python3 "$root/scripts/package.py" sign "$beside" ;; esac
mv -f "$beside" "$bin/$wanted"
copy_addons_if_not_linked
list_extension "$root/godot_project"
say "${bin#"$root"/}/$wanted is the $profile build${double:+ for double precision} ($(wc -c <"$bin/$wanted" | tr -d ' ') bytes)"
