#!/usr/bin/env bash
# Prints the path of a Godot 3 that runs without a display on stdout, and nothing else. Unpacks one into a cache if
# there is none. For vectors and tests of the dialect of old saves.
#
#   scripts/godot3.sh [--version 3.N]:  ENGINE --path PROJECT -s SCRIPT.gd [ARGS]
#
#   --version 3.N   that version; by default any
#
# It is $GODOT3, or godot3-server, godot3-headless or godot3 on PATH, or else the one in $VARBATCH_CACHE ("varbatch" in
# the user's cache folder by default). That is filled as by godot.sh, and the exit status is 69 where it cannot be.
# $GODOT3_SUITES names the releases of Debian to try after the machine's own: bookworm (3.2) and sid (3.6) by default.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-apt.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-apt.sh"

version=
while [ $# -gt 0 ]; do
  case $1 in
    --version)
      [[ ${2:-} =~ ^3\.[0-9]+$ ]] || usage_error "--version needs 3 and a number: 3.6"
      version=$2
      shift ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done

# version_of COMMAND...: prints the version that an engine reports when it runs a script without a display, or nothing.
version_of() {
  local folder
  folder=$(mktemp -d)
  printf '[logging]\nfile_logging/enable_file_logging=false\nfile_logging/enable_file_logging.pc=false\n' \
    >"$folder/project.godot"
  printf 'extends SceneTree\nfunc _init():\n\tvar v = Engine.get_version_info()\n\t%s\n\tquit()\n' \
    'print("version %d.%d" % [v.major, v.minor])' >"$folder/version.gd"
  (unset DISPLAY; HOME=$folder "$@" --no-window --path "$folder" -s version.gd 2>/dev/null </dev/null) |
    sed -n 's/\r$//; s/^version //p' || :
  rm -rf "$folder"
}

# fits VERSION: true if that version was asked for.
fits() { case $1 in 3.*) [ "${version:-$1}" = "$1" ] ;; *) return 1 ;; esac; }

# installed COMMAND: prints its absolute path, if it is a Godot 3 of the version that was asked for.
installed() {
  local path=$1
  case $path in [A-Za-z]:*) path=$(cygpath -u "$path") ;; esac
  path=$(command -v "$path") || return 1
  fits "$(version_of "$path")" || return 1
  case $path in /*) echo "$path" ;; *) echo "$PWD/$path" ;; esac
}

if [ "${GODOT3:-}" ]; then
  installed "$GODOT3" || die "GODOT3=$GODOT3 is not a Godot ${version:-3} that runs without a display"
  exit
fi
for command in godot3-server godot3-headless godot3; do
  if installed "$command"; then exit; fi
done

want=godot3${version:+-$version}
done_if_cached "$want"
lock_cache "$want" "set GODOT3 to the path of a headless Godot ${version:-3}"
# shellcheck disable=SC2086 # the suites are separate arguments
unpack godot3-server "${version:-3\.[0-9]+}[^0-9]" ${GODOT3_SUITES:-bookworm sid}
fits "$(version_of unpacked)" || fail "the unpacked engine does not start"
publish <<'WRAPPER'
exec "$usr/$loader" --argv0 "$0" --library-path "$usr/$libraries" "$usr/bin/godot3-server" "$@"
WRAPPER
