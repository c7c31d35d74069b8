#!/usr/bin/env bash
# Runs the demo: a world of chunks to bytes and back, by the engine and by VarBatch, side by side.
#
#   scripts/demo.sh [--window] [-- ARGS...]
#
#   --window  with a window; by default as text
#   ARGS      for the demo, e.g.  scripts/demo.sh -- --chunks 64
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
