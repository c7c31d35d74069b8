#!/usr/bin/env bash
# Runs the conformance suites, an exported game and the demo in headless Chromium. Closes with one line: "N passed, N failed".
#
#   scripts/web-test.sh [--library FILE] [--pictures FOLDER] [--bench FILTERS] [FILTER...]
#
#   --library FILE     loads this one instead of a release build that is made for it
#   --pictures FOLDER  puts pictures of the demo there: web-bytes.png and web-saves.png
#   --bench FILTERS    prints the times of these sections of the benches, and runs nothing else
#   FILTER             only the conformance tests whose name contains it, and nothing else
#
# Needs Chromium, see browser.py; and Emscripten and a template for browsers, see engine.sh. Exits with status 69 if one of
# them cannot be had here. The game and the demo are visited twice, each time by a new browser: the second finds what the
# first one saved.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

library='' pictures='' bench=''
read_options 'library= pictures= bench=' "$@"
[ -z "$pictures" ] || mkdir -p "$pictures"
set -- ${rest[@]+"${rest[@]}"}
play=$root/scripts/browser.py
"$play" --version || give_up "Chromium is missing"
need_timeout
template=$("$root/scripts/engine.sh" web)
engine=$("$root/scripts/engine.sh")
make_temporary
project=$temporary/project
bin=$project/addons/varbatch/bin
mkdir -p "$bin"
if [ "$library" ]; then cp "$library" "$bin/"; else
  "$root/scripts/build.sh" --target wasm32-unknown-emscripten --bin "$bin"
fi
# The editor loads its own, if there is one.
cp "$root"/addons/varbatch/bin/libvarbatch.linux.*.so "$bin/" 2>/dev/null || :
link_project "$project"
# The profiles of the browser belong to a site, and so to a port.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# export_game PROJECT SCENE NAME: as $temporary/NAME/index.html, with all files of the project.
export_game() {
  local project=$1 scene=$2 out=$temporary/$3
  mkdir -p "$out"
  cat >"$project/export_presets.cfg" <<PRESET
[preset.0]

name="Web"
platform="Web"
runnable=true
export_filter="all_resources"
include_filter="*"
exclude_filter="export_presets.cfg"
script_export_mode=0

[preset.0.options]

custom_template/debug="$template"
custom_template/release="$template"
variant/extensions_support=true
variant/thread_support=false
html/canvas_resize_policy=2
PRESET
  sed -i "s#^run/main_scene=.*#run/main_scene=\"$scene\"#" "$project/project.godot"
  say "exporting $3"
  "$timeout" -k 5 300 "$engine" --headless --path "$project" --export-release Web "$out/index.html" >"$temporary/log" 2>&1 ||
    { cat "$temporary/log" >&2; die "the export failed"; }
}

# visit NAME SECONDS END OPTIONS... -- ARGS...: plays what was exported until it prints a line that matches END, which must
# be its last. The same name is the same profile of the browser.
visit() {
  local name=$1 seconds=$2 end=$3
  shift 3
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  "$root/scripts/run-godot.sh" --expect "$end" --timeout "$seconds" --log "$temporary/$name.log" -- \
    "$play" --profile "$temporary/$name.profile" --port "$port" ${options[@]+"${options[@]}"} \
    "$temporary/$name/index.html" "$@"
}

# tests NAME SECONDS ARGS...: plays it, and adds its tests to the sums.
tests() {
  local p f s status=0
  visit "$1" "$2" '^[1-9][0-9]* passed, 0 failed(, [0-9]+ skipped)?$' -- "${@:3}" || status=1
  read -r p f s <<<"$(sums_in "$temporary/$1.log")"
  [ "$status" = 0 ] || [ "$f" != 0 ] || f=1
  count "$p" "$f" "$s"
}

# demo PICTURE LINE ARGS...: shows a page of the demo. The log must have the line.
demo() {
  local picture=()
  [ -z "$pictures" ] || picture=(--picture "$pictures/$1")
  if visit demo 600 '^demo: all .* equal$' --end '^demo: (all|FAILED)' ${picture[@]+"${picture[@]}"} -- "${@:3}" &&
    grep -q "$2" "$temporary/demo.log"; then
    good
  else
    bad "the demo"
  fi
}

# A file, as the scene that is exported is named in it.
own=$project/godot_project
rm "$own/project.godot"
cp "$root/godot_project/project.godot" "$own/project.godot"
if [ "$bench" ]; then
  export_game "$own" res://bench/bench.tscn bench
  # shellcheck disable=SC2086 # separate arguments
  "$timeout" 3000 "$play" --end '^bench: ' "$temporary/bench/index.html" $bench
  exit
fi
export_game "$own" res://conformance/all.tscn suites
tests suites 2400 --quick --browser-files --slow "$@"
if [ $# = 0 ]; then
  game=$temporary/game-project
  cp -R "$root/godot_project/test_projects/export" "$game"
  ln -s "$project/addons" "$game/addons"
  list_extension "$game"
  python3 -c 'import sys; sys.stdout.buffer.write(bytes([8, 0, 0, 0, 2, 0, 0, 0, 42, 0, 0, 0]) * 50000)' >"$game/packed.dat"
  export_game "$game" res://main.tscn game
  tests game 300 first
  tests game 300 second
  export_game "$own" res://demo/demo.tscn demo
  demo web-bytes.png . --chunks 256 --rounds 5
  demo web-saves.png 'the world of the last visit is shown' --tab saves --mib 32
fi
end_tests
