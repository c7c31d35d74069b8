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
read_only_options engine= "$@"
[ "$engine" ] || engine=$("$root/scripts/engine.sh")

make_temporary
project=$temporary/project
mkdir -p "$project/addons"
cp -R "$root/addons/varbatch" "$project/addons/varbatch"
cp -R "$root/godot_project/test_projects/editor" "$project/addons/editor_test"
cp -R "$root/godot_project/examples/scatter" "$project/addons/scatter"
cat >"$project/project.godot" <<'EOF'
config_version=5

[application]

config/name="Test of the editor"

[editor_plugins]

enabled=PackedStringArray("res://addons/scatter/plugin.cfg", "res://addons/editor_test/plugin.cfg")
EOF
list_extension "$project"

# The editor's own files.
export XDG_CONFIG_HOME=$temporary/config XDG_DATA_HOME=$temporary/data XDG_CACHE_HOME=$temporary/cache
mkdir -p "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME"
"$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --no-errors --timeout 120 -- \
  "$engine" --headless --editor --path "$project"
