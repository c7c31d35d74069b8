# shellcheck shell=bash
# Shared by all scripts. Sourced, never run. Sets $root, the top folder of the repository.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# A shell that is older than its Rust does not have it on PATH.
[ ! -d "${HOME:-}/.cargo/bin" ] || PATH=$PATH:$HOME/.cargo/bin

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }
die() { say "$*"; exit 1; }

# The exit status of a test that needs a tool that cannot be had here.
unavailable=69
give_up() { say "$*"; exit "$unavailable"; }

# The comment at the top of a script is its usage text.
usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }
usage_error() { say "$*"; usage >&2; exit 2; }

need_rust() {
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    die "Rust is missing: install it with rustup (https://rustup.rs), then run this again"
  fi
}

# Sets $timeout to the GNU command. Windows has another one of that name.
need_timeout() {
  for timeout in timeout gtimeout; do
    ! "$timeout" -k 1 5 true >/dev/null 2>&1 </dev/null || return 0
  done
  die "GNU timeout is missing: install GNU coreutils (on macOS: brew install coreutils)"
}

# Sets $cache to the folder for engines and tools, which is made if it is missing.
need_cache() {
  cache=${VARBATCH_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/varbatch}
  mkdir -p "$cache"
  cache=$(cd "$cache" && pwd)
}

# need_python_tools NAME: puts the tools that NAME-requirements.txt pins into the cache, once, and sets $tools to their
# folder. Gives up where they cannot be had.
need_python_tools() {
  local requirements=$root/scripts/$1-requirements.txt
  command -v python3 >/dev/null || give_up "python3 is missing, which installs $1"
  need_cache
  tools=$cache/$1-$(cksum <"$requirements" | cut -d ' ' -f 1)
  (
    ! command -v flock >/dev/null || flock 9
    [ ! -d "$tools" ] || exit 0
    say "installing $1 into $tools"
    rm -rf "$tools.new"
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
      --only-binary :all: --target "$tools.new" --requirement "$requirements" >&2 && mv "$tools.new" "$tools"
  ) 9>"$cache/$1.lock" || give_up "$1 cannot be had here"
}

# link FILE NAME: makes NAME another name of a file or a folder. On Windows it is a copy, as links need rights there.
link() {
  case $OSTYPE in
    msys* | cygwin*) cp -RL "$1" "$2" ;;
    *) ln -s "$1" "$2" ;;
  esac
}

# Git on Windows makes a small file of the link godot_project/addons unless core.symlinks is on. Then a copy of what it
# names takes its place, and is brought up to date here.
copy_addons_if_not_linked() {
  local copy=$root/godot_project/addons
  [ ! -L "$copy" ] || return 0
  [ -d "$copy" ] || rm -f "$copy"
  mkdir -p "$copy"
  cp -R "$root/addons/." "$copy/"
}

# True if this machine runs programs for Linux on 64-bit ARM.
is_arm64() { case $(uname -sm) in 'Linux aarch64' | 'Linux arm64') ;; *) return 1 ;; esac; }

rust_host() { rustc -vV | sed -n 's/^host: //p'; }

# Prints the folder that cargo builds into, which CARGO_TARGET_DIR and cargo's own settings may move. On Windows, JSON
# has two backslashes for one.
cargo_target_dir() {
  (cd "$root" && cargo metadata --locked --no-deps --format-version 1) |
    sed -E 's/.*"target_directory":"([^"]*)".*/\1/; s/\\\\/\//g'
}

# Prints the name of the library that cargo writes and that of the manifest, for a target triple.
library_names() {
  case $1 in
    x86_64-*-linux-*) echo libvarbatch.so libvarbatch.linux.x86_64.so ;;
    aarch64-*-linux-*) echo libvarbatch.so libvarbatch.linux.arm64.so ;;
    x86_64-*-windows-*) echo varbatch.dll varbatch.windows.x86_64.dll ;;
    *-apple-darwin) echo libvarbatch.dylib libvarbatch.macos.universal.dylib ;;
    *) return 1 ;;
  esac
}

# list_extension PROJECT: names the extension in the project's list, without which Godot does not load it. The editor
# writes that list when it first scans a project.
list_extension() {
  local list=$1/.godot/extension_list.cfg manifest=res://addons/varbatch/varbatch.gdextension
  ! grep -qxF "$manifest" "$list" 2>/dev/null || return 0
  mkdir -p "$1/.godot"
  echo "$manifest" >"$list"
}

# make_project FOLDER OPTIONS...: makes a project of links to the files of this one, around a library that build.sh builds
# with these options. The library of this project stays in its place.
make_project() {
  local folder=$1
  shift
  rm -rf "$folder"
  mkdir -p "$folder/addons/varbatch"
  "$root/scripts/build.sh" "$@" --bin "$folder/addons/varbatch/bin" || return
  link_project "$folder"
}

# link_project FOLDER: puts links to the files of this project around the library that is already in the folder.
link_project() {
  local folder=$1 part file
  mkdir -p "$folder/godot_project"
  for part in . addons/varbatch godot_project; do
    for file in "$root/$part"/*; do
      case ${file##*/} in addons | godot_project | target | bin) ;; *) link "$file" "$folder/$part/${file##*/}" ;; esac
    done
  done
  link "$folder/addons" "$folder/godot_project/addons"
  list_extension "$folder/godot_project"
}
