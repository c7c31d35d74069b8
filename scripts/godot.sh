#!/usr/bin/env bash
# Prints the path of a Godot engine on stdout, and nothing else. Unpacks one into a cache if there is none.
#
#   scripts/godot.sh            the editor build:      ENGINE --headless --path PROJECT [res://SCENE] [-- ARGS]
#   scripts/godot.sh --release  the release template:  takes the same arguments, in this order
#
#   --arch arm64   one for Linux on 64-bit ARM: elsewhere it runs in the emulator of qemu.sh, some 20 times as slow
#
# The editor build is $GODOT, or godot4 or godot on PATH (4.4 or newer). Otherwise, and for the release template, it is
# the one in $VARBATCH_CACHE ("varbatch" in the user's cache folder by default). That is filled from the package
# archives that this machine's own apt uses and trusts, without root and without installing anything. Debian's newer
# releases have Godot 4, so $GODOT_SUITES (forky and sid by default) are tried after the machine's own. These engines
# come without GPU drivers: without --headless they use the machine's.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-apt.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-apt.sh"

want=godot
foreign=
while [ $# -gt 0 ]; do
  case $1 in
    --release) want=godot-template-release ;;
    --arch)
      [ "${2:-}" = arm64 ] || usage_error "--arch needs arm64"
      case $(uname -sm) in 'Linux aarch64' | 'Linux arm64') ;; *) foreign=1 ;; esac
      shift ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done

# installed COMMAND: prints its absolute path, if it is a Godot that is new enough.
installed() {
  local path
  path=$(command -v "$1") || return 1
  case $("$path" --headless --version 2>/dev/null </dev/null | tail -n 1 || :) in
    4.[4-9]* | 4.[1-9][0-9]*) ;;
    *) return 1 ;;
  esac
  case $path in /* | [A-Za-z]:*) echo "$path" ;; *) echo "$PWD/$path" ;; esac
}

if [ "$want" = godot ] && [ ! "$foreign" ]; then
  if installed "${GODOT:-godot4}"; then exit; fi
  [ -z "${GODOT:-}" ] || die "GODOT=$GODOT is not a Godot 4.4 or newer"
  if installed godot; then exit; fi
fi

done_if_cached "$want${foreign:+-arm64}"
advice="install Godot 4.4 or newer and set GODOT to its path"
[ "$want" = godot ] || advice="the release template comes from Debian's archives only"
if [ "$foreign" ]; then
  advice="these come from Debian's archives only"
  architecture=arm64
  # Among the oldest processors that Debian's packages run on.
  emulator=("$("$root/scripts/qemu.sh")" -cpu cortex-a53)
fi
lock_cache "$want${foreign:+-arm64}" "$advice"
# shellcheck disable=SC2086 # the suites are separate arguments
unpack "$want" 4 ${GODOT_SUITES:-forky sid}
unpacked --headless --version >"$tmp/log" 2>&1 || fail "the unpacked engine does not start"

# The editor build needs no help. The template must find its project in its own folder.
if [ "$want" = godot ]; then publish <<'WRAPPER'
exec "${emulator[@]}" "$usr/$loader" --argv0 "$0" --library-path "$usr/$libraries" "$usr/bin/godot" "$@"
WRAPPER
else publish <<'WRAPPER'
# This template refuses --path and ignores the working directory: its project is the folder of /proc/self/exe. So a
# copy of the dynamic loader, beside links to the project's files, starts it.
set -euo pipefail
headless=() project=. scene=
if [ "${1:-}" = --headless ]; then headless=(--headless); shift; fi
if [ "${1:-}" = --path ]; then project=$2; shift 2; fi
case ${1:-} in res://*) scene=$1; shift ;; esac
project=$(cd "$project" && pwd)
folder=$(mktemp -d)
trap 'trap "" HUP INT TERM; rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
for file in "$project"/* "$project"/.godot; do [ ! -e "$file" ] || ln -s "$file" "$folder/"; done
if [ "$scene" ]; then
  rm -f "$folder/override.cfg"
  printf '[application]\nrun/main_scene="%s"\n' "$scene" >"$folder/override.cfg"
fi
cp "$usr/$loader" "$folder/.engine"
"${emulator[@]}" "$folder/.engine" --library-path "$usr/$libraries" "$usr/bin/godot-template-release" \
  "${headless[@]}" "$@"
WRAPPER
fi
