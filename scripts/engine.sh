#!/usr/bin/env bash
# Prints the path of an engine or an emulator on stdout, and nothing else. Fetches it into a cache if there is none.
#
#   scripts/engine.sh [editor] [--arch arm64]      the editor build:     ENGINE --headless --path PROJECT [SCENE] [-- ARGS]
#   scripts/engine.sh template [--arch arm64]      the release template: takes the same arguments, in this order
#   scripts/engine.sh godot3 [--version 3.N]       a Godot 3 without a display:  ENGINE --path PROJECT -s SCRIPT.gd [ARGS]
#   scripts/engine.sh double                       an editor build with `precision=double`
#   scripts/engine.sh windows                      a release template for 64-bit Windows, in Wine; it takes --path
#   scripts/engine.sh web                          a release template for browsers: the zip, for exports
#   scripts/engine.sh official VERSION editor|template [PLATFORM]    an official Godot: 4.4.1, 4.5.1, 4.6.3 or 4.7.2
#   scripts/engine.sh qemu                         qemu-aarch64, which runs programs of Linux on 64-bit ARM
#   scripts/engine.sh wine                         a command that runs a program of 64-bit Windows:  WINE PROGRAM.EXE ARGS...
#   scripts/engine.sh emscripten                   a command that runs another, with Emscripten's compilers on its PATH
#
#   --arch arm64   one for Linux on 64-bit ARM: elsewhere it runs in qemu, some 20 times as slow
#   PLATFORM       linux.x86_64, linux.arm64, windows.x86_64, macos or web; this machine's by default
#
# Yours comes first. editor: $GODOT, or godot4 or godot on PATH (4.4 or newer). template: $GODOT_TEMPLATE (on Windows not
# the console program). godot3: $GODOT3, or godot3-server, godot3-headless or godot3 on PATH. double: $GODOT_DOUBLE. qemu:
# qemu-aarch64 on PATH. windows: $GODOT_WINDOWS, a command that takes an engine's arguments. web: $GODOT_WEB. wine: $WINE, or
# wine on PATH, which use the WINEPREFIX that is set. emscripten: emcc on PATH (4 or newer).
#
# Otherwise it is the one in $VARBATCH_CACHE ("varbatch" in the user's cache folder by default). That is filled from the
# package archives that this machine's own apt uses and trusts, without root and without installing anything. Releases of
# Debian are tried after the machine's own: $GODOT_SUITES (forky and sid by default), $GODOT3_SUITES (bookworm, with 3.2,
# and sid, with 3.6), $QEMU_SUITES and $WINE_SUITES (trixie). These engines come without GPU drivers: without --headless
# they use the machine's. Exits with status 69 where there is no apt, or nothing in its archives.
#
# The engines with double precision, for Windows and for browsers are built from Debian's source packages, on Debian and
# its relatives, in some 30 minutes of processor time each, with SCons from PyPI, and MinGW-w64 or Emscripten. Only that for
# browsers has a window, and of the modules they have those that the conformance suites need. Wine needs user namespaces, as
# its libraries may be newer than this machine's: they lie over /usr for Wine alone. All other folders are visible under
# their own names, on drive Z:. When the program ends, all that it has started ends too. Official engines are downloads
# whose SHA-256 is in engines.txt, else the exit status is 69; all platforms' templates are one archive of 1.2 GB. They
# need curl, unzip, and sha256sum or shasum.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-apt.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-apt.sh"
# shellcheck source=lib-engines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-engines.sh"

what=editor
case ${1:-} in '' | -*) ;; *) what=$1; shift ;; esac
arch='' version=''
case $what in
  editor | template) read_only_options arch= "$@" ;;
  godot3) read_only_options version= "$@" ;;
  official) read_options '' "$@" ;;
  *) read_only_options '' "$@" ;;
esac
case $arch in '' | arm64) ;; *) usage_error "--arch needs arm64" ;; esac
[[ $version =~ ^(3\.[0-9]+)?$ ]] || usage_error "--version needs 3 and a number: 3.6"

# absolute COMMAND: prints its path.
absolute() {
  local path=$1
  case $path in [A-Za-z]:*) path=$(cygpath -u "$path") ;; esac
  path=$(command -v "$path") || return 1
  case $path in /*) echo "$path" ;; *) echo "$PWD/$path" ;; esac
}

# version_of ENGINE...: prints what it says of its version.
version_of() { "$@" --headless --version 2>/dev/null </dev/null | tail -n 1 || :; }
is_new() { case $1 in 4.[4-9]* | 4.[1-9][0-9]*) ;; *) return 1 ;; esac; }

# installed COMMAND: prints its absolute path, if it is a Godot that is new enough.
installed() {
  local path
  path=$(absolute "$1") && is_new "$(version_of "$path")" && echo "$path"
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

find_godot() {
  local package=$1 command path advice="install Godot 4.4 or newer and set GODOT to its path"
  [ "$package" = godot ] || advice="set GODOT_TEMPLATE to the path of a release template"
  if [ "$arch" ] && ! is_arm64; then
    advice="these come from Debian's archives only"
    architecture=arm64
  elif [ "$package" = godot ]; then
    for command in "${GODOT:-godot4}" godot; do
      if installed "$command"; then return; fi
      [ -z "${GODOT:-}" ] || die "GODOT=$GODOT is not a Godot 4.4 or newer"
    done
  elif [ "${GODOT_TEMPLATE:-}" ]; then
    path=$(installed "$GODOT_TEMPLATE") || die "GODOT_TEMPLATE=$GODOT_TEMPLATE is not a Godot 4.4 or newer"
    own_template "$path"
    return
  fi
  done_if_cached "$package${architecture:+-arm64}"
  # Among the oldest processors that Debian's packages run on.
  [ ! "$architecture" ] || emulator=("$("$root/scripts/engine.sh" qemu)" -cpu cortex-a53)
  lock_cache "$package${architecture:+-arm64}" "$advice"
  # shellcheck disable=SC2086 # the suites are separate arguments
  unpack "$package" 4 ${GODOT_SUITES:-forky sid}
  unpacked --headless --version >"$tmp/log" 2>&1 || fail "the unpacked engine does not start"
  if [ "$package" = godot ]; then
    # The editor build needs no help.
    # shellcheck disable=SC2016 # for the command
    publish <<<'exec "${emulator[@]}" "$usr/$loader" --argv0 "$0" --library-path "$usr/$libraries" "$usr/bin/godot" "$@"'
    return
  fi
  {
    cat <<'COMMAND'
program=$usr/$loader before=(--library-path "$usr/$libraries" "$usr/bin/godot-template-release") folders=
COMMAND
    template_command
  } | publish
}

# godot3_version COMMAND...: prints the version that an engine reports when it runs a script without a display, or nothing.
godot3_version() {
  local folder
  folder=$(mktemp -d)
  printf '[logging]\nfile_logging/enable_file_logging=false\nfile_logging/enable_file_logging.pc=false\n' \
    >"$folder/project.godot"
  printf 'extends SceneTree\nfunc _init():\n\tvar v = Engine.get_version_info()\n\t%s\n\tquit()\n' \
    'print("version %d.%d" % [v.major, v.minor])' >"$folder/version.gd"
  (unset DISPLAY; HOME=$folder "$@" --no-window --path "$folder" -s version.gd 2>/dev/null </dev/null) |
    sed -n 's/\r$//; s/^version //p' || :
  rm -rf "$folder" || :
}

# is_godot3 COMMAND...: true if it is one of the version that was asked for.
is_godot3() {
  local found
  found=$(godot3_version "$@")
  case $found in 3.*) [ "${version:-$found}" = "$found" ] ;; *) return 1 ;; esac
}

find_godot3() {
  local command path
  for command in "${GODOT3:-godot3-server}" godot3-headless godot3; do
    if path=$(absolute "$command") && is_godot3 "$path"; then echo "$path"; return; fi
    [ -z "${GODOT3:-}" ] || die "GODOT3=$GODOT3 is not a Godot ${version:-3} that runs without a display"
  done
  done_if_cached "godot3${version:+-$version}"
  lock_cache "godot3${version:+-$version}" "set GODOT3 to the path of a headless Godot ${version:-3}"
  # shellcheck disable=SC2086 # the suites are separate arguments
  unpack godot3-server "${version:-3\.[0-9]+}[^0-9]" ${GODOT3_SUITES:-bookworm sid}
  is_godot3 unpacked || fail "the unpacked engine does not start"
  # shellcheck disable=SC2016 # for the command
  publish <<<'exec "$usr/$loader" --argv0 "$0" --library-path "$usr/$libraries" "$usr/bin/godot3-server" "$@"'
}

# find_official VERSION editor|template [PLATFORM]
find_official() {
  local version=$1 kind=$2 platform=${3:-} archive inside nested='' folder checksum found command sum=(sha256sum)
  if [ ! "$platform" ]; then
    case $(uname -sm) in
      'Linux x86_64') platform=linux.x86_64 ;;
      'Linux aarch64') platform=linux.arm64 ;;
      Darwin\ *) platform=macos ;;
      MINGW*\ x86_64 | MSYS*\ x86_64) platform=windows.x86_64 ;;
      *) give_up "no official Godot is known for $(uname -sm)" ;;
    esac
  fi
  # $archive is the download, $inside the engine in it, and $nested an archive in that archive.
  case $kind,$platform in
    editor,linux.*) archive=$platform.zip inside=Godot_v$version-stable_$platform ;;
    editor,windows.x86_64) archive=win64.exe.zip inside=Godot_v$version-stable_win64.exe ;;
    editor,macos) archive=macos.universal.zip inside=Godot.app/Contents/MacOS/Godot ;;
    template,linux.*) archive=export_templates.tpz inside=templates/linux_release.${platform#*.} ;;
    template,windows.x86_64) archive=export_templates.tpz inside=templates/windows_release_x86_64.exe ;;
    template,web) archive=export_templates.tpz inside=templates/web_dlink_nothreads_release.zip ;;
    template,macos)
      archive=export_templates.tpz nested=templates/macos.zip
      inside=macos_template.app/Contents/MacOS/godot_macos_release.universal ;;
    *) usage_error "unknown: $kind $platform" ;;
  esac
  need_cache
  folder=$cache/official/$version-$kind-$platform
  if [ -f "$folder/$inside" ]; then echo "$folder/$inside"; return; fi
  checksum=$(sed -n "s/^$version $archive //p" "$root/scripts/engines.txt")
  [ "$checksum" ] || give_up "no checksum is known of Godot $version's $archive"
  for command in curl unzip; do command -v "$command" >/dev/null || die "$command is missing"; done

  mkdir -p "$cache/official"
  make_temporary_in "$cache/official"
  archive=Godot_v$version-stable_$archive
  say "downloading $archive"
  curl --fail --location --silent --show-error --retry 3 --proto '=https' --output "$temporary/archive" \
    "https://github.com/godotengine/godot/releases/download/$version-stable/$archive"
  command -v sha256sum >/dev/null || sum=(shasum -a 256)
  found=$("${sum[@]}" <"$temporary/archive" | cut -d ' ' -f 1)
  [ "$found" = "$checksum" ] || die "$archive has the checksum $found, not $checksum"
  archive=$temporary/archive
  if [ "$nested" ]; then
    unzip -q "$archive" "$nested" -d "$temporary"
    archive=$temporary/$nested
  fi
  case $inside in
    # The program alone does not start without the rest of its app.
    *.app/*) unzip -q "$archive" "${inside%%/*}/*" -d "$temporary/new" ;;
    *) unzip -q "$archive" "$inside" -d "$temporary/new" ;;
  esac
  chmod 755 "$temporary/new/$inside"
  # Another script may have fetched it meanwhile.
  [ -f "$folder/$inside" ] || { rm -rf "$folder" && mv "$temporary/new" "$folder"; }
  echo "$folder/$inside"
}

case $what in
  editor) find_godot godot ;;
  template) find_godot godot-template-release ;;
  godot3) find_godot3 ;;
  double) find_double ;;
  windows) find_windows ;;
  web) find_web ;;
  emscripten) find_emscripten ;;
  official)
    [ ${#rest[@]} -ge 2 ] && [ ${#rest[@]} -le 3 ] || usage_error "a version, and editor or template, are needed"
    find_official "${rest[@]}" ;;
  qemu) find_qemu ;;
  wine) find_wine ;;
  *) usage_error "unknown: $what" ;;
esac
