#!/usr/bin/env bash
# Tests VarBatchUndoRecorder with the editor's own undo history: runs an editor plugin in a project made for it. Closes
# with one line: "N passed, N failed".
#
#   scripts/editor-test.sh [--engine ENGINE]
#
#   --engine ENGINE   the editor build by default
#
# The library must be built.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

engine=
while [ $# -gt 0 ]; do
  case $1 in
    --engine) [ "${2:-}" ] || usage_error "$1 needs a value"; engine=$2; shift ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done
[ "$engine" ] || engine=$("$root/scripts/godot.sh")

project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
trap 'exit 130' HUP INT TERM
mkdir "$project/addons"
cp -R "$root/addons/varbatch" "$project/addons/varbatch"
cp -R "$root/scripts/editor-test" "$project/addons/editor_test"
cp -R "$root/godot_project/examples/scatter" "$project/addons/scatter"
cat >"$project/project.godot" <<'EOF'
config_version=5

[application]

config/name="Test of the editor"

[editor_plugins]

enabled=PackedStringArray("res://addons/scatter/plugin.cfg", "res://addons/editor_test/plugin.cfg")
EOF
list_extension "$project"

# The editor's own files go into the project too, and are removed with it.
export XDG_CONFIG_HOME=$project/.home/config XDG_DATA_HOME=$project/.home/data XDG_CACHE_HOME=$project/.home/cache
mkdir -p "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME"
"$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --no-errors --timeout 120 -- \
  "$engine" --headless --editor --path "$project"
