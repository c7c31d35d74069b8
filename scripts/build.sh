#!/usr/bin/env bash
# Builds the extension and puts it where Godot looks for it: addons/varbatch/bin/.
#
#   scripts/build.sh [--debug] [--features LIST] [--target TRIPLE] [--bin FOLDER]
#
#   --debug          with debug assertions and without optimisation; by default a release build
#   --features LIST  with features of rust/plugin/Cargo.toml
#   --target TRIPLE  for another platform (its Rust target and a linker for it must be there)
#   --bin FOLDER     puts it into that folder instead
#
# On macOS the library holds only the architecture that was built, whatever its name says.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

profile=release
features=
target=
bin=$root/addons/varbatch/bin
while [ $# -gt 0 ]; do
  case $1 in
    --debug) profile=debug ;;
    --features) [ "${2:-}" ] || usage_error "--features needs a list"; features=$2; shift ;;
    --target) [ "${2:-}" ] || usage_error "--target needs a triple"; target=$2; shift ;;
    --bin) [ "${2:-}" ] || usage_error "--bin needs a folder"; bin=$2; shift ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done

need_rust
triple=${target:-$(rust_host)}
names=$(library_names "$triple") || die "the manifest names no library for $triple"
read -r built wanted <<<"$names"

flags=(--package varbatch --locked)
[ "$profile" = debug ] || flags+=(--release)
[ -z "$features" ] || flags+=(--features "$features")
[ -z "$target" ] || flags+=(--target "$target")
say "cargo build ${flags[*]}"
(cd "$root" && cargo build "${flags[@]}") >&2 || exit

# Copied beside and renamed, so that no engine maps half a library or one that changes.
library=$(cargo_target_dir)/${target:+$target/}$profile/$built
mkdir -p "$bin"
beside=$(mktemp "$bin/.$wanted.XXXXXX")
trap 'rm -f "$beside"' EXIT
cp "$library" "$beside"
chmod 755 "$beside"
mv -f "$beside" "$bin/$wanted"
copy_addons_if_not_linked
list_extension "$root/godot_project"
say "${bin#"$root"/}/$wanted is the $profile build ($(wc -c <"$bin/$wanted" | tr -d ' ') bytes)"
