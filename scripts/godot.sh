#!/usr/bin/env bash
# Prints the path of a Godot engine, and nothing else, on stdout; unpacks one into a cache if there is none.
#
#   scripts/godot.sh            the editor build:      ENGINE --headless --path PROJECT [res://SCENE] [-- ARGS]
#   scripts/godot.sh --release  the release template:  takes the same arguments, in this order
#
# The editor build is $GODOT, or godot4 or godot on PATH (4.4 or newer). Failing those, and for the release
# template, it is the one in $VARBATCH_CACHE (by default "varbatch" in the user's cache folder), which is
# filled from the package archives that this machine's own apt uses and trusts: without root, installing
# nothing. Debian's newer releases carry Godot 4, so those are tried after the machine's own; $GODOT_SUITES
# names them. An engine from there has no GPU drivers: without --headless it uses the machine's, if there are any.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in
  '') want=godot ;;
  --release) want=godot-template-release ;;
  -h | --help) usage; exit ;;
  *) usage_error "unknown argument: $1" ;;
esac

# The absolute path of a command that is a Godot new enough for the extension.
installed() {
  local path
  path=$(command -v "$1") || return 1
  case $("$path" --headless --version 2>/dev/null </dev/null | tail -n 1 || :) in
    4.[4-9]* | 4.[1-9][0-9]*) ;;
    *) return 1 ;;
  esac
  case $path in /* | [A-Za-z]:*) echo "$path" ;; *) echo "$PWD/$path" ;; esac
}

if [ "$want" = godot ]; then
  if installed "${GODOT:-godot4}"; then exit; fi
  [ -z "${GODOT:-}" ] || die "GODOT=$GODOT is not a Godot 4.4 or newer"
  if installed godot; then exit; fi
fi

cache=${VARBATCH_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/varbatch}
mkdir -p "$cache/bin"
cache=$(cd "$cache" && pwd)
engine=$cache/bin/$want
done_if_cached() { if [ -x "$engine" ]; then echo "$engine"; exit; fi; }
done_if_cached

advice="install Godot 4.4 or newer and set GODOT to its path"
[ "$want" = godot ] || advice="the release template comes from Debian's archives only"
for command in apt-get dpkg-deb flock; do
  command -v "$command" >/dev/null || die "no $want here, and no $command to fetch it with: $advice"
done

# One caller fills the cache; the others wait and find it filled. What a killed run left behind goes.
exec 9>"$cache/$want.lock"
flock 9
done_if_cached
tmp=$cache/$want.tmp
rm -rf "$tmp"
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$tmp"/{lists/partial,archives/partial,deb,root} && : >"$tmp/status"

fail() { cat "$tmp/log" >&2; die "$want: $*"; }

# An apt with a state of its own that believes nothing is installed, so that it names every library.
private_apt() {
  apt-get -q -o Dir::State="$tmp" -o Dir::State::status="$tmp/status" -o Dir::State::lists="$tmp/lists" \
    -o Dir::Cache="$tmp" -o Dir::Etc::sourcelist="$tmp/source" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o APT::Sandbox::User= \
    -o APT::Update::Error-Mode=any -o Acquire::Languages=none -o Acquire::Retries=3 "$@" </dev/null
}

# One source line for each archive of this machine and each release to try, with the key it already trusts.
sources() {
  # shellcheck disable=SC2016 # apt fills these in
  apt-get indextargets --no-release-info 'Created-By: Packages' \
    --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SOURCESENTRY)' |
    while read -r uri release component entry; do
      case $component in main) components=main ;; universe) components='main universe' ;; *) continue ;; esac
      key=$(sed -nE '/^[^#]*[Ss]igned-[Bb]y *[=:] *(\/[^] ]+).*/{s//\1/p;q}' "${entry%:*}" || :)
      for suite in "$release" ${GODOT_SUITES:-forky sid}; do
        echo "deb [target=Packages${key:+ signed-by=$key}] $uri $suite $components"
      done
    done | awk '!seen[$0]++'
}

sources >"$tmp/sources"
version=
while read -r line; do
  echo "$line" >"$tmp/source"
  private_apt update >"$tmp/log" 2>&1 || continue
  private_apt -y --no-install-recommends --print-uris install "$want" 2>/dev/null |
    sed -nE "s/^'[^']+' ([^ ]+) .*/\1/p" >"$tmp/files" || continue
  version=$(sed -nE "s/^${want}_(4[^_]*)_.*/\1/p" "$tmp/files")
  [ -z "$version" ] || break
done <"$tmp/sources"
[ "$version" ] || die "no $want here, nor in this machine's package archives: $advice"
say "unpacking $want $version into $cache"

# Godot and its libraries; not the GPU drivers, fonts and maintenance tools, which --headless does without.
mapfile -t packages < <(sed 's/_.*//' "$tmp/files" | grep -E '^(lib|zlib|godot)' |
  grep -Ev '^lib(llvm|z3-|gallium|gl1-mesa|glx-mesa|egl-mesa|sensors|pam|c-gconv|c-bin)')
(cd "$tmp/deb" && private_apt download "${packages[@]}") >"$tmp/log" 2>&1 || fail "the download failed"
for package in "$tmp"/deb/*.deb; do dpkg-deb -x "$package" "$tmp/root"; done
rm -rf "$tmp/root/usr/share" "$tmp/root/usr/include"

# Started through its own dynamic loader, it needs nothing of this machine's libraries, which may be older.
cd "$tmp/root/usr"
loader=$(printf '%s\n' lib/*/ld-*.so.* | sed -n 1p)
libraries=${loader%/*}
for library in "$libraries"/pulseaudio/*.so; do ln -sf "pulseaudio/${library##*/}" "$libraries/"; done
"$PWD/$loader" --library-path "$PWD/$libraries" "bin/$want" --headless --version >"$tmp/log" 2>&1 ||
  fail "the unpacked engine does not start"
cd "$cache"
rm -rf "${cache:?}/$want"
mv "$tmp/root" "$cache/$want"

# The command that callers get: the editor build as it is, the template with its project brought to it.
{
  echo '#!/usr/bin/env bash'
  printf 'usr=%q loader=%q libraries=%q\n' "$cache/$want/usr" "$loader" "$libraries"
  if [ "$want" = godot ]; then cat <<'WRAPPER'
exec "$usr/$loader" --argv0 "$0" --library-path "$usr/$libraries" "$usr/bin/godot" "$@"
WRAPPER
  else cat <<'WRAPPER'
# This template refuses --path and ignores the working directory: its project is the folder of
# /proc/self/exe. So a copy of the dynamic loader goes beside links to the project's files and starts it.
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
"$folder/.engine" --library-path "$usr/$libraries" "$usr/bin/godot-template-release" "${headless[@]}" "$@"
WRAPPER
  fi
} >"$tmp/wrapper"
chmod 755 "$tmp/wrapper"
mv "$tmp/wrapper" "$engine"
echo "$engine"
