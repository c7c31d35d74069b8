#!/usr/bin/env bash
# Tests old saves end to end: a real Godot 3 writes values and save files, VarBatch converts them, a real Godot 4 reads
# them, VarBatch converts them back, and the Godot 3 reads these. Closes with one line: "N passed, N failed", to which
# ", N skipped" is added if a version cannot be had here. Exits with status 69 if none can.
#
#   scripts/godot3-test.sh [--version 3.N] [--engine ENGINE] [--project FOLDER]
#
#   --version 3.N     only with that Godot 3, 3.2 or 3.6; by default with $GODOT3, or with both if that is not set
#   --engine ENGINE   the Godot 4; the editor build by default
#   --project FOLDER  godot_project by default
#
# The engines come from engine.sh. The library must be built.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version='' engine='' project=$root/godot_project
read_only_options 'version= engine= project=' "$@"
[ "$engine" ] || engine=$("$root/scripts/engine.sh")
project=$(cd "$project" && pwd)
need_timeout
vectors=$root/rust/codec/tests/vectors
versions=(3.2 3.6)
if [ "$version" ]; then
  versions=("$version")
elif [ "${GODOT3:-}" ]; then
  old=$("$root/scripts/engine.sh" godot3)
  versions=("$("$old" --version | sed -nE 's/^(3\.[0-9]+).*/\1/p')")
fi

make_temporary
# old_engine REGEX SCRIPT ARGS: runs a script of the Godot 3 project. Its last line must match, as 3.2 exits with status
# 0 even if the script does not load.
old_engine() {
  local expect=$1 status=0 last
  shift
  (unset DISPLAY; HOME=$files "$timeout" -k 5 60 "$old" --no-window --path "$project/test_projects/godot3" \
    -s "$@" </dev/null >"$files/out" 2>"$files/log") || status=$?
  last=$(awk 'NF { line = $0 } END { print line }' "$files/out" | tr -d '\r')
  [ "$status" != 0 ] || ! grep -qE -e "$expect" <<<"$last" || return 0
  printf 'exit status %s, and not /%s/ but:\n' "$status" "$expect"
  { grep -aE 'SCRIPT ERROR|Parse Error' "$files/log" || :; tail -n 5 "$files/out"; } | cut -c 1-400
  return 1
}

# reads NAME SCRIPT ARGS: runs a script of the Godot 3 project that checks many values, and counts it as one test.
reads() {
  local name=$1
  shift
  if old_engine '^[1-9][0-9]* passed, 0 failed$' "$@"; then
    good
    printf '%s: %s: %s\n' "$version" "$name" "$(tail -n 1 "$files/out")"
  else
    bad "$version: $name"
  fi
}

# Checks the recorded vectors: the engine must give the same answers again.
check_record() {
  local file other=3.2
  [ "$version" != 3.2 ] || other=3.6
  for file in godot3_encoded.txt godot3_decoded.txt; do
    awk -F ' [|] ' -v other="($other)" '/^#/ || !NF || index($1, other) { print; next } { print $1 " | " $2 }' \
      "$vectors/$file" >"$files/$file"
    ! cmp -s "$vectors/$file" "$files/$file" || bad "$version: $file has no answers"
  done
  if ! old_engine '^godot3_decoded.txt: [1-9][0-9]* vectors$' make.gd "--vectors=$files"; then bad "$version: make.gd"; return; fi
  for file in godot3_encoded.txt godot3_decoded.txt; do
    # Another build of the version may have another name.
    if diff <(grep -v '^# engine' "$vectors/$file") <(grep -v '^# engine' "$files/$file") | cut -c 1-400; then
      good
    else
      bad "$version: $file is not what the engine says"
    fi
    cp "$vectors/$file" "$files/$file"
  done
}

# The name and the options of each save that Godot 3 writes. Some have more than 2 MiB, so that they are converted in
# several pieces.
saves=("plain --entities=12000" "ids --ids" "objects --objects")
for mode in fastlz deflate zstd gzip; do saves+=("$mode --entities=12000 --compression=$mode"); done

make_saves() {
  local save name options
  for save in "${saves[@]}"; do
    read -r name options <<<"$save"
    # shellcheck disable=SC2086 # the options are separate arguments
    old_engine '^[1-9][0-9]* values written$' save.gd "--to=$files/$name.save" "--text=$files/$name.txt" $options ||
      bad "$version: save.gd, $name"
  done
  # VarBatch only reads encrypted files of Godot 3, so this one does not come back.
  old_engine '^[1-9][0-9]* values written$' save.gd "--to=$files/encrypted.save" --entities=12000 --password=seCret ||
    bad "$version: save.gd, encrypted"
}

load_saves() {
  local save name options
  for save in "${saves[@]}"; do
    read -r name options <<<"$save"
    # shellcheck disable=SC2086 # the options are separate arguments
    reads "$name save that came back" save.gd "--from=$files/$name.back" $options
  done
}

# Runs the suites of Godot 4, which write what Godot 3 reads next.
convert() {
  local log=$files/godot4.log is_bad=
  VARBATCH_GODOT3_FILES=$files VARBATCH_GODOT3_VERSION=$version \
    "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --timeout 120 --log "$log" \
    -- "$engine" --headless --path "$project" res://conformance/all.tscn -- --godot3 >/dev/null || is_bad=1
  grep -aE '^FAIL|^from_godot3' "$log" || :
  read -r p f _ <<<"$(sums_in "$log")"
  count "$p" "$f"
  [ -z "$is_bad" ] || [ "$f" -gt 0 ] || bad "$version: a run of Godot 4"
}

for version in "${versions[@]}"; do
  status=0
  old=$("$root/scripts/engine.sh" godot3 --version "$version") || status=$?
  case $status in
    0) ;;
    "$unavailable") echo "skipped: Godot $version"; count 0 0 1; continue ;;
    *) bad "$version: no such engine"; continue ;;
  esac
  files=$temporary/$version
  mkdir "$files"
  echo "Godot $("$old" --version | head -n 1) ($old)"
  check_record
  make_saves
  convert
  for file in back written; do
    reads "values that are $file" read.gd "--vectors=$vectors/godot3_encoded.txt" "--bytes=$files/$file.txt"
  done
  load_saves
done
[ "$skipped" -lt ${#versions[@]} ] || give_up "no Godot 3 can be had here: set GODOT3 to the path of a headless one"
end_tests
