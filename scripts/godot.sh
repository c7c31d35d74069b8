#!/usr/bin/env bash
# Prints the path of a Godot engine on stdout, and nothing else. Unpacks one into a cache if there is none.
#
#   scripts/godot.sh            the editor build:      ENGINE --headless --path PROJECT [res://SCENE] [-- ARGS]
#   scripts/godot.sh --release  the release template:  takes the same arguments, in this order
#
#   --arch arm64   one for Linux on 64-bit ARM: elsewhere it runs in the emulator of qemu.sh, some 20 times as slow
#
# The editor build is $GODOT, or godot4 or godot on PATH (4.4 or newer); the release template is $GODOT_TEMPLATE, an
# official one for instance (on Windows not the console program). Otherwise it is the one in $VARBATCH_CACHE ("varbatch"
# in the user's cache folder by default). That is filled from the package archives that this machine's own apt uses and
# trusts, without root and without installing anything. Debian's newer releases have Godot 4, so $GODOT_SUITES (forky
# and sid by default) are tried after the machine's own. These engines come without GPU drivers: without --headless they
# use the machine's. Exits with status 69 where there is no apt, or no Godot in its archives.
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
      is_arm64 || foreign=1
      shift ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done

# installed COMMAND: prints its absolute path, if it is a Godot that is new enough.
installed() {
  local path=$1
  case $path in [A-Za-z]:*) path=$(cygpath -u "$path") ;; esac
  path=$(command -v "$path") || return 1
  case $("$path" --headless --version 2>/dev/null </dev/null | tail -n 1 || :) in
    4.[4-9]* | 4.[1-9][0-9]*) ;;
    *) return 1 ;;
  esac
  case $path in /*) echo "$path" ;; *) echo "$PWD/$path" ;; esac
}

# The command for a template that takes no --path. It needs $emulator, $program, which it starts beside the project's
# files, $before, the arguments that come first, and $folders, for the folders of these files (the system's for temporary
# ones if it is empty).
template_command() {
  cat <<'COMMAND'
# The engine takes no --path and ignores the working directory: its project is in the folder of its own program, which
# on Linux is /proc/self/exe. So that is started from a folder of links to the project's files.
set -euo pipefail
headless=() project=. scene=
if [ "${1:-}" = --headless ]; then headless=(--headless); shift; fi
if [ "${1:-}" = --version ]; then
  exec ${emulator[@]+"${emulator[@]}"} "$program" ${before[@]+"${before[@]}"} --headless --version
fi
if [ "${1:-}" = --path ]; then project=$2; shift 2; fi
case ${1:-} in res://*) scene=$1; shift ;; esac
VARBATCH_PROJECT=$(cd "$project" && pwd)
export VARBATCH_PROJECT
folder=$(mktemp -d ${folders:+"$folders/XXXXXX"})
# Windows may keep a library of an engine that was killed for a moment longer.
trap 'trap "" HUP INT TERM; rm -rf "$folder" || :' EXIT
trap 'exit 1' HUP INT TERM
# Links need rights on Windows.
link=(ln -s)
case $OSTYPE in msys* | cygwin*) link=(cp -RL) ;; esac
for file in "$VARBATCH_PROJECT"/* "$VARBATCH_PROJECT"/.godot; do
  [ ! -e "$file" ] || "${link[@]}" "$file" "$folder/"
done
if [ "$scene" ]; then
  rm -f "$folder/override.cfg"
  printf '[application]\nrun/main_scene="%s"\n' "$scene" >"$folder/override.cfg"
fi
engine=$folder/.engine
case $program in *.exe) engine=$engine.exe ;; esac
ln "$program" "$engine" 2>/dev/null || cp "$program" "$engine"
${emulator[@]+"${emulator[@]}"} "$engine" ${before[@]+"${before[@]}"} ${headless[@]+"${headless[@]}"} "$@"
COMMAND
}

# own_template ENGINE: prints the command for a template that is installed. Since 4.6 they take no --path, unless they
# were built to.
own_template() {
  local name program
  case $("$1" --headless --help 2>/dev/null </dev/null || :) in *--path*) echo "$1"; return ;; esac
  need_cache
  name=template-$(printf %s "$1" | cksum | cut -d ' ' -f 1)
  program=$cache/$name/${1##*/}
  mkdir -p "$cache/bin" "$cache/$name"
  if ! cmp -s "$1" "$program"; then
    cp "$1" "$program.$$"
    mv -f "$program.$$" "$program"
  fi
  {
    echo '#!/usr/bin/env bash'
    printf 'emulator=() program=%q before=() folders=%q\n' "$program" "$cache/$name"
    template_command
  } >"$cache/bin/$name.$$"
  chmod 755 "$cache/bin/$name.$$"
  mv -f "$cache/bin/$name.$$" "$cache/bin/$name"
  echo "$cache/bin/$name"
}

if [ "$want" != godot ] && [ "${GODOT_TEMPLATE:-}" ] && [ ! "$foreign" ]; then
  template=$(installed "$GODOT_TEMPLATE") || die "GODOT_TEMPLATE=$GODOT_TEMPLATE is not a Godot 4.4 or newer"
  own_template "$template"
  exit
fi
if [ "$want" = godot ] && [ ! "$foreign" ]; then
  if installed "${GODOT:-godot4}"; then exit; fi
  [ -z "${GODOT:-}" ] || die "GODOT=$GODOT is not a Godot 4.4 or newer"
  if installed godot; then exit; fi
fi

done_if_cached "$want${foreign:+-arm64}"
advice="install Godot 4.4 or newer and set GODOT to its path"
[ "$want" = godot ] || advice="set GODOT_TEMPLATE to the path of a release template"
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

# The editor build needs no help.
if [ "$want" = godot ]; then publish <<'COMMAND'
exec "${emulator[@]}" "$usr/$loader" --argv0 "$0" --library-path "$usr/$libraries" "$usr/bin/godot" "$@"
COMMAND
else
  {
    cat <<'COMMAND'
program=$usr/$loader before=(--library-path "$usr/$libraries" "$usr/bin/godot-template-release") folders=
COMMAND
    template_command
  } | publish
fi
