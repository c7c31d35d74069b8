#!/usr/bin/env bash
# Runs the demo, the engine beside VarBatch: a world of chunks to bytes and back, saves of 256 MiB while a game runs
# at 60 frames a second, and a world that is saved once a second while one flies over it: what has changed with
# VarBatchStore, and all of it. Then the undo demo, in which nodes are dragged around, and a list of
# what an instance of a scene overrides, with revert.
#
#   scripts/demo.sh [--window] [--undo] [-- ARGS...]
#
#   --window  in a window with a tab for each part; by default as text
#   --undo    only undo: in a window you drag the nodes, without one the demo does; then the list, in a window of its own
#   ARGS      for the demo, e.g.  scripts/demo.sh -- --chunks 64 --mib 16 --save-rounds 1
#             or  scripts/demo.sh --window -- --tab saves
#             or  scripts/demo.sh --window -- --tab world, with a button that kills the process
#
# The saves take 771 MiB in the project's user:// folder, the world 260 MiB. They are removed at the end; only a window
# that was killed leaves its world there, and the next one shows and removes it.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

window='' undo=''
read_options 'window undo' "$@"
# A window stays until the user closes it, and its drivers may report errors that are not ours.
display=(--headless)
rules=(--no-errors)
[ ! "$window" ] || { display=(); rules=(--timeout 0); }

# demo SCENE LAST_LINE ARGS... with a scene of godot_project, without .tscn
demo() {
  local scene=$1 last_line=$2
  shift 2
  say "running res://$scene.tscn"
  "$root/scripts/run-godot.sh" --expect "$last_line" "${rules[@]}" --log "$root/target/$scene.log" -- \
    "$engine" ${display[@]+"${display[@]}"} --path "$root/godot_project" "res://$scene.tscn" -- "$@"
}

engine=$("$root/scripts/engine.sh")
"$root/scripts/build.sh"
[ "$undo" ] || demo demo/demo '^demo: .*equal' ${rest[@]+"${rest[@]}"}
if [ ! "$window" ]; then
  demo demo/undo '^undo: [1-9].* as they were$' --auto
  demo examples/overrides '^overrides: .* when that is undone [1-9]'
elif [ "$undo" ]; then
  # The user closes the windows, so no last line can be expected.
  demo demo/undo '^' ${rest[@]+"${rest[@]}"}
  demo examples/overrides '^'
fi
