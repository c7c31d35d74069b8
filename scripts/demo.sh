#!/usr/bin/env bash
# Runs the demo: a world of chunks to bytes and back, and saves of 256 MiB while a game runs at 60 frames
# a second; each by the engine and by VarBatch, side by side.
#
#   scripts/demo.sh [--window] [-- ARGS...]
#
#   --window  with a window and a tab for each; by default as text
#   ARGS      for the demo, e.g.  scripts/demo.sh -- --chunks 64 --mib 16 --save-rounds 1
#             or  scripts/demo.sh --window -- --tab saves
#
# The saves go to the project's user:// folder, need 771 MiB there, and are removed at the end.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# A window stays until it is closed, and its drivers may report errors that are not ours.
display=(--headless)
rules=(--no-errors)
case ${1:-} in
  --window) display=(); rules=(--timeout 0); shift ;;
  -h | --help) usage; exit ;;
esac
case ${1:-} in
  '') ;;
  --) shift ;;
  *) usage_error "unknown argument: $1 (arguments for the demo come after --)" ;;
esac

"$root/scripts/build.sh"
engine=$("$root/scripts/godot.sh")
say "running res://demo/demo.tscn"
"$root/scripts/run-godot.sh" --expect '^demo: .*equal' "${rules[@]}" --log "$root/target/demo/demo.log" -- \
  "$engine" ${display[@]+"${display[@]}"} --path "$root/godot_project" res://demo/demo.tscn -- "$@"
