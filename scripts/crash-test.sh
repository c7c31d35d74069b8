#!/usr/bin/env bash
# Kills an engine in the middle of its saves, again and again, and looks whether the save is whole each time; and
# lets one quit in the middle of them. Closes with one line: "N passed, N failed".
#
#   scripts/crash-test.sh [--kills COUNT] [--engine ENGINE] [--project FOLDER]
#
#   --kills COUNT     how often it is killed, 200 by default; 0 for quitting alone
#   --engine ENGINE   by default the release template, which starts fastest
#   --project FOLDER  godot_project by default
#
# The save must be a complete one: never older than the last call that was reported as saved, though earlier ones
# may have been under way, all of it of one generation, and beside it at most a hidden file of a save that was cut
# short. The library must be built.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kills=200
engine=
project=$root/godot_project
while [ $# -gt 0 ]; do
  case $1 in
    --kills | --engine | --project)
      [ "${2:-}" ] || usage_error "$1 needs a value"
      case $1 in --kills) kills=$2 ;; --engine) engine=$2 ;; --project) project=$2 ;; esac
      shift ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done
[ "$engine" ] || engine=$("$root/scripts/godot.sh" --release)
timeout=$(command -v timeout || command -v gtimeout) || die "'timeout' is missing: install GNU coreutils"

temporary=$(mktemp -d)
workers=()
# Each engine that is running is named in a file, so that none is left behind.
finish() {
  [ ${#workers[@]} = 0 ] || kill "${workers[@]}" 2>/dev/null || :
  for pid in $(cat "$temporary"/*/ready 2>/dev/null || :); do kill -9 "$pid" 2>/dev/null || :; done
  rm -rf "$temporary"
}
trap finish EXIT
trap 'exit 130' HUP INT TERM

# game LOG ARGS...: the scene of the test, in the engine.
game() {
  local log=$1
  shift
  "$timeout" -k 5 60 "$engine" --headless --path "$project" res://conformance/crash.tscn -- "$@" >"$log" 2>&1 </dev/null
}

# kill_one FOLDER: an engine that saves, killed up to 300 ms after it began to. Fails if it does not begin, or ends.
kill_one() {
  local folder=$1 game problem=
  rm -f "$folder/ready"
  game "$folder/log" kill "$folder" &
  game=$!
  while [ ! -s "$folder/ready" ] && kill -0 "$game" 2>/dev/null; do sleep 0.01; done
  sleep "0.$(printf %03d $((RANDOM % 300)))"
  if [ ! -s "$folder/ready" ]; then
    problem="the engine did not begin to save"
  elif ! kill -9 "$(cat "$folder/ready")"; then
    problem="the engine ended by itself"
  fi
  wait "$game" 2>/dev/null || :
  [ "$problem" ] || return 0
  echo "bad: $problem: $(tail -n 3 "$folder/log" | tr '\n' ' ')" >>"$folder/results"
  return 1
}

# kill_many FOLDER COUNT: the first look is before any kill, the last after all of them.
kill_many() {
  mkdir -p "$1"
  for _ in $(seq "$2"); do kill_one "$1" || break; done
  rm -f "$1/ready"
  game "$1/log" look "$1" || echo "bad: the last look failed: $(tail -n 3 "$1/log" | tr '\n' ' ')" >>"$1/results"
  # A first line that is bad is no look.
  sed '1{/^good/d;}' "$1/results" >"$1/looks"
}

passed=0
failed=0
count() {
  passed=$((passed + $1))
  failed=$((failed + $2))
}

if [ "$kills" -gt 0 ]; then
  # Two at once, as each waits for its engine to start most of the time.
  kill_many "$temporary/first" $((kills / 2)) &
  workers=($!)
  kill_many "$temporary/second" $((kills - kills / 2)) &
  workers+=($!)
  for worker in "${workers[@]}"; do wait "$worker" || count 0 1; done
  workers=()
  looks=("$temporary"/*/looks)
  count "$(cat "${looks[@]}" | grep -c '^good' || :)" "$(cat "${looks[@]}" | grep -c '^bad' || :)"
  grep -h '^bad' "${looks[@]}" || :
  awk '/^good/ { gsub(/,/, ""); n += $11 > 0; newer += $3 > $5; several += $11 > 1; overtaken += $13 > 0; left += $9 }
    END { printf "killed %d times: %d during a save, %d of them when it was in place, %d during several saves, ", NR, n,
      newer, several; printf "%d with one that a later save had overtaken; %d hidden files left\n", overtaken, left
      exit n < NR / 4 || several < int(NR / 50) }' "${looks[@]}" || {
    echo "bad: too few of the kills came during a save"
    count 0 1
  }
  [ $((passed + failed)) -ge "$kills" ] || { echo "bad: not every kill was looked at"; count 0 1; }
fi

# Quitting: exit status, a clean log, and every save that was begun. The engine itself complains of a project that no
# editor has opened yet.
quits() {
  "$root/scripts/run-godot.sh" --timeout 60 --expect '^(done|finished)$' --log "$temporary/log" \
    -- "$engine" --headless --path "$project" res://conformance/crash.tscn -- quit "$@" >"$temporary/out" 2>&1 || return 1
  ! grep -E '^(USER )?(ERROR|WARNING)' "$temporary/log" | grep -v 'global script cache'
}
kinds=("at once" "exit tree" close frames thread compressed held connected "listened to" awaited many
  "task, save" "save, task" "task, task" "task, cancelled" "task, spelled")
for threads in 1 2; do
  for kind in "${kinds[@]}"; do
    name="$kind, $threads"
    if quits "$temporary/quit/$name" "$kind" "$threads"; then
      count 1 0
    else
      echo "bad: quit $name: $(tail -n 3 "$temporary/log")"
      count 0 1
    fi
  done
done
game "$temporary/log" verify "$temporary/quit" || count 0 1
grep '^bad' "$temporary/log" || :
count "$(grep -c '^good' "$temporary/log" || :)" "$(grep -c '^bad' "$temporary/log" || :)"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
