#!/usr/bin/env bash
# Packs target/package/varbatch-VERSION.zip, which a user unpacks into a project, and tries it in a new project.
#
#   scripts/package.sh
#
# The zip holds every platform whose library is in addons/varbatch/bin/: this machine's, which is built now, and those
# that build.sh --target put there before. Its manifest names no others. The same files give the same zip.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in
  '') ;;
  -h | --help) usage; exit ;;
  *) usage_error "unknown argument: $1" ;;
esac

"$root/scripts/build.sh"
engine=$("$root/scripts/godot.sh")
version=$(cd "$root" && cargo pkgid --locked --package varbatch | sed 's/.*[#@]//')
zip=$root/target/package/varbatch-$version.zip
mkdir -p "${zip%/*}"

temporary=$(mktemp -d)
trap 'rm -rf "$temporary" "$zip.new"' EXIT
trap 'exit 130' HUP INT TERM
project="$temporary/a new project"
mkdir "$project"
printf 'config_version=5\n\n[application]\nconfig/name="A new project"\n' >"$project/project.godot"

# Godot packs and unpacks, as `zip` may not be installed.
run() {
  "$root/scripts/run-godot.sh" --expect "$1" --no-errors --timeout 120 -- \
    "$engine" --headless --path "$project" "${@:2}"
}
say "packing ${zip#"$root"/}"
run '^packed [0-9]+ files$' --script "$root/scripts/package.gd" -- pack "$root/addons/varbatch" "$zip.new"
say "unpacking it into an empty project"
run '^unpacked [0-9]+ files$' --script "$root/scripts/package.gd" -- unpack "$zip.new" "$project"

say "importing that project, and comparing VarBatch with the engine there"
list_extension "$project"
run . --import
cat >"$project/check.gd" <<'EOF'
extends SceneTree


func _initialize() -> void:
	var values: Array = [null, 1, 0.5, "text", Vector3.ONE, {"key": [1]}, PackedInt32Array([1, 2])]
	var buffers: Array[PackedByteArray] = VarBatch.vars_to_bytes(values)
	var equal: bool = VarBatch.bytes_to_vars(buffers) == values
	for i: int in values.size():
		equal = equal and buffers[i] == var_to_bytes(values[i])
	print("VarBatch ", VarBatch.get_version(), " works" if equal else " differs from the engine")
	quit(0 if equal else 1)
EOF
run "^VarBatch ${version//./\\.} works\$" --script res://check.gd
mv -f "$zip.new" "$zip"
say "${zip#"$root"/} is ready ($(wc -c <"$zip" | tr -d ' ') bytes)"
