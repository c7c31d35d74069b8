#!/usr/bin/env bash
# Kills games while they save, and checks each time that the save is whole. Then lets games quit while they save.
# Closes with one line: "N passed, N failed".
#
#   scripts/crash-test.sh [--kills COUNT [--secret] | --power [--cuts COUNT]] [--store [--player]] [--engine ENGINE]
#     [--project FOLDER]
#
#   --kills COUNT     how many games are killed, 200 by default; 0 only quits
#   --secret          all of them save encrypted files and keep backups, which else only every second one does
#   --power           cuts the power instead: a game that saves and appends on a disk of its own is stopped, the disk is
#                     copied as it is then, and the copy is mounted and looked at; on ext4, and on XFS if it is here.
#                     Needs Linux and root
#   --cuts COUNT      how often on each file system, 30 by default
#   --store           all of it with a VarBatchStore, which also shrinks, is copied, closed, renamed and begins anew; half of
#                     those that are killed compress. Opening 19 of 20 must take at most 100 ms
#   --player          after each kill, a player puts back an old copy of the store, or another world, removes or renames
#                     only one of its files, or puts files of different times together. No game quits
#   --engine ENGINE   the release template by default, which starts fastest; or the one for Windows, in Wine
#   --project FOLDER  godot_project by default
#
# A save is whole if all of it is of one generation, which is not older than the last save that was reported as done. A
# backup is whole too, and not newer. At most a hidden file of a save that was cut short may lie beside them. A record of a
# log must be there once its append was reported as done. A store holds what one commit and all before it left, no less;
# after a player, what any one commit of the world that lies there left, or it reports an error. Its files of faults go to
# target/crash-test. The library must be built.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kills=200 secret='' power='' cuts=30 store='' player='' engine='' project=$root/godot_project
read_only_options 'kills= secret power cuts= store player engine= project=' "$@"
[ ! "$player" ] || { [ "$store" ] && [ ! "$power" ]; } || usage_error "--player needs --store, and no power cuts"
[ "$engine" ] || engine=$("$root/scripts/engine.sh" template)
need_timeout

# In Wine, this machine's files are on drive Z.
drive=
! grep -qsIE '(^|[ /])wine(64)?[ )]' "$engine" || drive=Z:

# The process id that an engine reports is none of this shell's on Windows.
kill_engine() {
  case $OSTYPE in
    msys* | cygwin*) taskkill //F //PID "$1" >/dev/null ;;
    *) kill -9 -- "$1" ;;
  esac
}

# In memory, where many calls end between two cuts, if there is room for the disks.
[ ! "$power" ] || [ "$(df -Pm /dev/shm 2>/dev/null | awk 'END { print $4 + 0 }')" -lt 1500 ] || TMPDIR=/dev/shm
make_temporary
workers=()
# A file names each running engine, so that none stays behind.
tidy() {
  [ ${#workers[@]} = 0 ] || kill "${workers[@]}" 2>/dev/null || :
  for pid in $(cat "$temporary"/*/ready 2>/dev/null || :); do kill_engine "$pid" 2>/dev/null || :; done
  for disk in "$temporary"/*/saves "$temporary"/*/copy/saves; do
    ! mountpoint -q "$disk" 2>/dev/null || umount "$disk" || :
  done
}

# game LOG ARGS...: runs the game of this test, conformance/files/crash_game.gd, store_game.gd or player_game.gd.
script=crash_game
[ ! "$store" ] || script=store_game
[ ! "$player" ] || script=player_game
crash=(res://conformance/all.tscn -- --run "files/$script")
game() {
  local log=$1
  shift
  "$timeout" -k 5 60 "$engine" --headless --path "$project" "${crash[@]}" "${@/#$temporary/$drive$temporary}" \
    >"$log" 2>&1 </dev/null
}

# copy_open FOLDER: sometimes copies a store while the game saves: first what it had saved by then, the file last. Fails
# where others may not read an open file.
copy_open() {
  local name
  rm -rf "$1/taken"
  [ $((RANDOM % 3)) != 0 ] || return 0
  mkdir "$1/taken"
  for name in notes saves/game.save-wal saves/game.save; do
    [ ! -f "$1/$name" ] || cp "$1/$name" "$1/taken/" || rm -rf "$1/taken"
  done 2>/dev/null
  sleep "0.$(printf %03d $((RANDOM % 100)))"
}

# kill_one FOLDER [PASSWORD]: starts a game that saves and kills it up to 300 ms after its first save began. Fails if the
# game does not begin to save, or ends by itself.
kill_one() {
  local folder=$1 game problem=
  rm -f "$folder/ready"
  # Bash tells of a command that is killed with its group.
  game "$folder/log" kill "$@" 2>/dev/null &
  game=$!
  while [ ! -s "$folder/ready" ] && kill -0 "$game" 2>/dev/null; do sleep 0.01; done
  # The id there is Wine's own. All its processes are of the group that `timeout` makes.
  [ ! "$drive" ] || [ ! -s "$folder/ready" ] || ps -o pid= --ppid "$game" | sed 's/^ */-/' >"$folder/ready"
  sleep "0.$(printf %03d $((RANDOM % 300)))"
  [ ! "$player" ] || [ ! -s "$folder/ready" ] || copy_open "$folder"
  if [ ! -s "$folder/ready" ]; then
    problem="the engine did not begin to save"
  elif ! kill_engine "$(cat "$folder/ready")"; then
    problem="the engine ended by itself"
  fi
  wait "$game" 2>/dev/null || :
  [ "$problem" ] || return 0
  echo "bad: $problem: $(tail -n 3 "$folder/log" | tr '\n' ' ')" >>"$folder/results"
  return 1
}

# kill_many COUNT FOLDER [PASSWORD]: each game looks at the save that the killed one before it left; one more looks at the
# last.
kill_many() {
  local count=$1
  shift
  mkdir -p "$1"
  for _ in $(seq "$count"); do kill_one "$@" || break; done
  rm -f "$1/ready"
  game "$1/log" look "$@" || echo "bad: the last look failed: $(tail -n 3 "$1/log" | tr '\n' ' ')" >>"$1/results"
  # The first game found nothing. Drop its line, unless it is bad.
  sed '1{/^good/d;}' "$1/results" >"$1/looks"
}

# begin_to_write FOLDER: starts a game that writes to the disk until it is ended, and sets $game and $pid.
begin_to_write() {
  local folder=$1 arguments=("${power_game[@]}" write "$1/saves" "$1/notes") began=notes
  [ ! "$store" ] || arguments=("${crash[@]}" kill "$folder") began=ready
  "$timeout" -k 5 1800 "$engine" --headless --path "$project" "${arguments[@]}" >"$folder/log" 2>&1 </dev/null &
  game=$!
  while ! grep -Eqs '^(done|[0-9])' "$folder/$began" && kill -0 "$game" 2>/dev/null; do sleep 0.01; done
  [ "$store" ] || sed -n 's/^pid //p' "$folder/notes" >"$folder/ready"
  pid=$(cat "$folder/ready")
}

# begin_anew FOLDER: the same with a new store, of which the first save is soon under way.
begin_anew() {
  kill_engine "$pid"
  wait "$game" 2>/dev/null || :
  rm -f "$1"/saves/game* "$1/notes" "$1/ready"
  sync -f "$1/saves"
  begin_to_write "$1"
}

# cut_power SYSTEM OPTIONS: a game on a disk with this file system. After each cut, the copy is mounted with the options.
cut_power() {
  local system=$1 options=loop$2 folder=$temporary/$1 game pid cut most done=0 all=0
  local look=("${power_game[@]}" look "$folder/copy/saves" "$folder/copy/notes")
  [ ! "$store" ] || look=("${crash[@]}" look "$folder/copy")
  mkdir -p "$folder/saves" "$folder/copy/saves"
  truncate -s 320M "$folder/disk"
  if ! "mkfs.$system" -q "$folder/disk" >&2 || ! mount -o loop "$folder/disk" "$folder/saves"; then
    echo "skipped: $system: no such file system or loop device here"
    count 0 0 1
    return
  fi
  begin_to_write "$folder"
  for cut in $(seq "$cuts"); do
    most=300
    [ ! "$store" ] || [ $((cut % 5)) != 0 ] || { begin_anew "$folder" && most=40 && all=$((all + done)); }
    sleep "0.$(printf %03d $((RANDOM % most)))"
    if ! kill -STOP "$pid"; then
      echo "bad: $system: the game ended: $(tail -n 3 "$folder/log")"
      count 0 1
      return
    fi
    # A call into the system that is under way ends first.
    while grep -hs '^State:' "/proc/$pid/task/"*/status | grep -qv 'T (stopped)'; do sleep 0.005; done
    cp --sparse=always "$folder/disk" "$folder/copy/disk"
    cp "$folder/notes" "$folder/copy/notes"
    kill -CONT "$pid"
    mount -o "$options" "$folder/copy/disk" "$folder/copy/saves"
    "$timeout" -k 5 60 "$engine" --headless --path "$project" "${look[@]}" >"$folder/look" 2>&1 </dev/null || :
    umount "$folder/copy/saves"
    if grep -q '^good' "$folder/look"; then
      count 1 0
      done=$(sed -n 's/^good: \([0-9]*\) done$/\1/p; s/^good: .* saved \([0-9]*\),.*/\1/p' "$folder/look")
    else
      echo "bad: $system: $(grep -vE '^(Godot|Initialize|ERROR|WARNING|   at|$)' "$folder/look" | head -n 5 | tr '\n' ';')"
      count 0 1
    fi
  done
  kill_engine "$pid"
  wait "$game" 2>/dev/null || :
  rm -f "$folder/ready"
  umount "$folder/saves"
  rm -f "$folder/disk" "$folder/copy/disk"
  echo "$system: the power was cut $cuts times; $((all + done)) saves and appends were done by the last time"
}

# Of the stores that were opened after an end at any moment: the longest time. A busy machine has exceptions.
look_at_opens() {
  [ "$store" ] || return 0
  awk '$2 { n++; slow += $1 > 100000; if ($1 > worst) worst = $1 }
    END {
      printf "opened %d times with a journal that was left, in at most %.1f ms, %d times in over 100\n", n, worst / 1000, slow
      exit !n || slow > n / 20
    }' "$@" || { echo "bad: opening a store takes too long"; count 0 1; }
}

if [ "$power" ]; then
  [[ $OSTYPE = linux* && $EUID = 0 ]] || give_up "power cuts need Linux and root"
  for tool in losetup mkfs.ext4 mountpoint; do
    command -v "$tool" >/dev/null || give_up "power cuts need $tool"
  done
  losetup -f >/dev/null 2>&1 || give_up "power cuts need loop devices"
  power_game=(res://conformance/all.tscn -- --run files/power_game)
  cut_power ext4 ""
  # Both disks have one id.
  cut_power xfs ,nouuid
  look_at_opens "$temporary"/*/copy/opens
  end_tests
  exit
fi

if [ "$kills" -gt 0 ]; then
  # Two at once: each mostly waits for its engine to start.
  kill_many $((kills / 2)) "$temporary/first" ${secret:+password} &
  workers=($!)
  kill_many $((kills - kills / 2)) "$temporary/second" password &
  workers+=($!)
  for worker in "${workers[@]}"; do wait "$worker" || count 0 1; done
  workers=()
  looks=("$temporary"/*/looks)
  count "$(cat "${looks[@]}" | grep -c '^good' || :)" "$(cat "${looks[@]}" | grep -c '^bad' || :)"
  grep -h '^bad' "${looks[@]}" || :
  awk '
    /^good/ {
      gsub(/,/, "")
      n += $11 > 0; newer += $3 > $5; several += $11 > 1; overtaken += $13 > 0; left += $9
    }
    END {
      printf "killed %d times: %d during a save, %d of them when it was in place, %d during several saves, ", NR, n, newer, several
      printf "%d with one that a later save had overtaken; %d hidden files left\n", overtaken, left
      exit n < NR / 4 || several < int(NR / 50)
    }' "${looks[@]}" || {
    echo "bad: too few of the kills came during a save"
    count 0 1
  }
  [ $((passed + failed)) -ge "$kills" ] || { echo "bad: not every kill was looked at"; count 0 1; }
  look_at_opens "$temporary"/*/opens
fi

if [ "$player" ]; then
  # How often each thing was done, and how it ended.
  awk -F , -v kills="$kills" '
    { n[$1]++; errors[$1] += $2 != "generation"; aside[$1] += $3; all += $3 }
    END {
      split("copied,template,renamed,replaced,no file,no journal,parts,taken", names)
      for (i = 1; i in names; i++) {
        name = names[i]
        printf "%s %d times: %d errors, %d journals set aside\n", name, n[name], errors[name], aside[name]
        few += n[name] < int(kills / 20)
      }
      exit few || all < int(kills / 10)
    }' "$temporary"/*/players || { echo "bad: too few of what a player does"; count 0 1; }
  for folder in "$temporary"/*/bad-*; do
    [ ! -d "$folder" ] || { mkdir -p "$root/target/crash-test" && cp -R "$folder" "$root/target/crash-test/"; }
  done
  end_tests
  exit
fi

# quits ARGS...: a game that quits must exit with status 0 and a clean log, and have done every save that it began. The
# engine itself complains about a project that no editor has opened yet.
quits() {
  "$root/scripts/run-godot.sh" --timeout 60 --expect '^(done|finished)$' --log "$temporary/log" \
    -- "$engine" --headless --path "$project" "${crash[@]}" quit "$@" >"$temporary/out" 2>&1 || return 1
  ! grep -E '^(USER )?(ERROR|WARNING)' "$temporary/log" | grep -v 'global script cache'
}
kinds=("at once" "exit tree" close frames thread held connected "listened to" awaited)
[ "$store" ] || kinds+=(compressed many "task, save" "save, task" "task, task" "task, cancelled" "task, spelled"
  "task, append" "task, append at once")
for threads in 1 2; do
  for kind in "${kinds[@]}"; do
    name="$kind, $threads"
    if quits "$drive$temporary/quit/$name" "$kind" "$threads"; then
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

end_tests
