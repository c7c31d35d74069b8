# shellcheck shell=bash
# shellcheck disable=SC2154 # lib.sh sets $cache
# A cache of engines and tools, filled from the package archives that this machine's own apt uses and trusts, without root
# and without installing anything. For engine.sh and lib.sh. Sourced, never run. Call the functions in the order in which
# they stand here.

# Engines for another processor: its name in the archives, and the command that emulates it. Set both before lock_cache.
architecture=
emulator=()

# done_if_cached NAME: if the command NAME is in the cache, prints its path and ends the script. Sets $cache.
done_if_cached() {
  need_cache
  mkdir -p "$cache/bin"
  if [ -x "$cache/bin/$1" ]; then echo "$cache/bin/$1"; exit; fi
}

# lock_cache NAME ADVICE: one caller fills the cache, the others wait and find it filled. Removes the remains of a
# killed run. Gives up where there is no apt. Sets $name, $advice (for users who get no engine here) and $tmp.
lock_cache() {
  local command
  name=$1
  advice=$2
  for command in apt-get dpkg-deb flock; do
    command -v "$command" >/dev/null || give_up "no $name here, and no $command to fetch it with: $advice"
  done
  exec 9>"$cache/$name.lock"
  flock 9
  done_if_cached "$name"
  tmp=$cache/$name.tmp
  rm -rf "$tmp"
  trap 'rm -rf "$tmp"' EXIT
  trap 'exit 1' HUP INT TERM
  mkdir -p "$tmp"/{lists/partial,archives/partial,deb,root} && : >"$tmp/status"
}

fail() { cat "$tmp/log" >&2; die "$name: $*"; }

# Runs apt-get with a state of its own, in which nothing is installed, so that it names every library.
private_apt() {
  apt-get -q ${architecture:+-o APT::Architecture="$architecture" -o APT::Architectures="$architecture"} \
    -o Dir::State="$tmp" -o Dir::State::status="$tmp/status" -o Dir::State::lists="$tmp/lists" \
    -o Dir::Cache="$tmp" -o Dir::Etc::sourcelist="$tmp/source" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o APT::Sandbox::User= \
    -o APT::Update::Error-Mode=any -o Acquire::Languages=none -o Acquire::Retries=3 "$@" </dev/null
}

# sources SUITE...: prints a source line for each archive of this machine and each release to try, its own and the given
# ones, with the key that the machine already trusts.
sources() {
  # shellcheck disable=SC2016 # apt fills these in
  apt-get indextargets --no-release-info 'Created-By: Packages' \
    --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SOURCESENTRY)' |
    while read -r uri release component entry; do
      case $component in main) components=main ;; universe) components='main universe' ;; *) continue ;; esac
      key=$(sed -nE '/^[^#]*[Ss]igned-[Bb]y *[=:] *(\/[^] ]+).*/{s//\1/p;q}' "${entry%:*}" || :)
      for suite in "$release" "$@"; do
        echo "deb [target=Packages${key:+ signed-by=$key}] $uri $suite $components"
      done
    done | awk '!seen[$0]++'
}

# unpack PACKAGE VERSION SUITE...: unpacks the first PACKAGE whose version begins with VERSION (a regular expression),
# and its libraries, or those packages of which $wanted is the beginning (a regular expression), with all their files.
# Gives up only if all archives were read and none has it. Sets $package, and $loader and $libraries below its usr folder,
# unless it is linked statically.
wanted=
unpack() {
  local version='' unread=
  package=$1
  sources "${@:3}" >"$tmp/sources"
  while read -r line; do
    echo "$line" >"$tmp/source"
    if ! private_apt update >"$tmp/log" 2>&1; then
      # Most archives have only some of the releases.
      grep -q 'does not have a Release file' "$tmp/log" || unread=$(tail -n 1 "$tmp/log")
      continue
    fi
    private_apt -y --no-install-recommends --print-uris install "$package" 2>/dev/null |
      sed -nE "s/^'[^']+' ([^ ]+) .*/\1/p" >"$tmp/files" || continue
    version=$(sed -nE "s/^${package}_($2[^_]*)_.*/\1/p" "$tmp/files")
    [ -z "$version" ] || break
  done <"$tmp/sources"
  if [ ! "$version" ] && [ "$unread" ]; then die "no $name here, and not all package archives could be read: $unread"; fi
  [ "$version" ] || give_up "no $name here, nor in this machine's package archives: $advice"
  say "unpacking $package $version into $cache"

  # Without GPU drivers, fonts and maintenance tools, which do not matter without a window.
  mapfile -t packages < <(sed 's/_.*//' "$tmp/files" | grep -E "^(${wanted:-lib|zlib|$package})" |
    if [ "$wanted" ]; then cat; else
      grep -Ev '^lib(llvm|z3-|gallium|gl1-mesa|glx-mesa|egl-mesa|sensors|pam|c-gconv|c-bin)'
    fi)
  (cd "$tmp/deb" && private_apt download "${packages[@]}") >"$tmp/log" 2>&1 || fail "the download failed"
  for file in "$tmp"/deb/*.deb; do dpkg-deb -x "$file" "$tmp/root"; done
  [ "$wanted" ] || rm -rf "$tmp/root/usr/share" "$tmp/root/usr/include"
  # Older packages have some libraries outside usr.
  if [ -d "$tmp/root/lib" ]; then cp -a "$tmp/root/lib/." "$tmp/root/usr/lib/" && rm -rf "$tmp/root/lib"; fi

  cd "$tmp/root/usr" || fail "nothing was unpacked"
  for loader in lib/*/ld-*.so.*; do break; done
  [ -e "$loader" ] || return 0
  libraries=${loader%/*}
  for library in "$libraries"/pulseaudio/*.so; do ln -sf "pulseaudio/${library##*/}" "$libraries/"; done
}

# unpacked ARGS...: runs the engine before it is in its place, through its own dynamic loader: this machine's libraries
# may be older.
unpacked() {
  "${emulator[@]}" "$tmp/root/usr/$loader" --library-path "$tmp/root/usr/$libraries" "$tmp/root/usr/bin/$package" "$@"
}

# publish <SCRIPT: puts the engine in its place, and SCRIPT as the command that callers get. SCRIPT can use $usr, and
# $loader and $libraries below it, and $emulator. Prints the path of the command.
publish() {
  cd "$cache" || exit
  rm -rf "${cache:?}/$name"
  mv "$tmp/root" "$cache/$name"
  {
    echo '#!/usr/bin/env bash'
    printf 'usr=%q loader=%q libraries=%q emulator=(%s)\n' "$cache/$name/usr" "$loader" "$libraries" "${emulator[*]@Q}"
    cat
  } >"$tmp/wrapper"
  chmod 755 "$tmp/wrapper"
  mv "$tmp/wrapper" "$cache/bin/$name"
  echo "$cache/bin/$name"
}
