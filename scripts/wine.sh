#!/usr/bin/env bash
# Prints the path of a command that runs a program of 64-bit Windows, and nothing else: PATH PROGRAM.EXE ARGS...
#
#   scripts/wine.sh
#
# It is $WINE, or wine on PATH, which use the WINEPREFIX that is set. Otherwise it is the Wine in $VARBATCH_CACHE
# ("varbatch" in the user's cache folder by default), with a prefix of its own and without a display. That is unpacked
# from the package archives that this machine's own apt uses and trusts, see godot.sh: Debian's releases in $WINE_SUITES
# (trixie by default) are tried after the machine's own, for Wine 10 or newer. It needs user namespaces, as its libraries
# may be newer than this machine's: they lie over /usr for Wine alone. All other folders are visible under their own
# names, on drive Z:. When the program ends, everything that it has started ends too.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=lib-apt.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib-apt.sh"

case ${1:-} in
  '') ;;
  -h | --help) usage; exit ;;
  *) usage_error "unknown argument: $1" ;;
esac
if [ "${WINE:-}" ]; then command -v "$WINE" || die "WINE=$WINE is no command"; exit; fi
if command -v wine; then exit; fi

advice="install Wine 10 or newer and set WINE to its path"
[ "$(uname -sm)" = 'Linux x86_64' ] || give_up "Wine's packages are for Linux on x86-64: $advice"
# The kernel or a container may forbid them. Wine's own libraries are below /usr.
unshare --user --map-root-user --mount --pid --fork --mount-proc true 2>/dev/null ||
  give_up "Wine cannot be run here without user namespaces: $advice"
[ -L /lib64 ] || give_up "Wine's packages need a system whose libraries are all below /usr: $advice"

done_if_cached wine
lock_cache wine "$advice"
# shellcheck disable=SC2086 # the suites are separate arguments
unpack libz-mingw-w64 '' ${WINE_SUITES:-trixie}
# shellcheck disable=SC2086
unpack wine64 '[1-9][0-9]' ${WINE_SUITES:-trixie}
# What unpack leaves out: Wine's own data, and the locale that gives files names of all characters.
(cd "$tmp/deb" && private_apt download libc-bin) >"$tmp/log" 2>&1 || fail "the download failed"
data() { dpkg-deb --fsys-tarfile "$tmp"/deb/"$1"_*.deb | tar -x -C "$tmp/root" "./usr/$2"; }
data libwine share/wine
data libc-bin lib/locale

# A process namespace for each call has a Wine server of its own, so that none outlives its caller. /run is Wine's own:
# it wants /run/user/0. The server writes the registry when it is told to end, which only the making of the prefix needs.
cat >"$tmp/root/wine" <<'SCRIPT'
#!/bin/sh
unset DISPLAY WAYLAND_DISPLAY
export LC_ALL=C.UTF-8 XDG_RUNTIME_DIR=/run/user/0 WINEPREFIX="${WINEPREFIX:-${0%/*}/prefix}" WINESERVER=/usr/lib/wine/wineserver64
export WINEDEBUG="${WINEDEBUG--all}" WINEDLLOVERRIDES="${WINEDLLOVERRIDES-mscoree,mshtml=}"
exec unshare --user --map-root-user --mount --pid --fork --kill-child --mount-proc sh -c '
  mount -t tmpfs tmpfs /run && mkdir -p "$XDG_RUNTIME_DIR" && mount --bind "$0" /usr || exit 1
  /usr/lib/wine/wine64 "$@"
  status=$?
  [ "$1" != wineboot ] || "$WINESERVER" --kill
  exit $status' "${0%/*}/usr" "$@"
SCRIPT
chmod 755 "$tmp/root/wine"
# Wine's libraries need this one. It must be in their folder while the prefix is made, and in the prefix ever after.
zlib=$tmp/root/usr/x86_64-w64-mingw32ucrt/lib/zlib1.dll
cp "$zlib" "$tmp/root/usr/$libraries/wine/x86_64-windows/"
# It fails for want of the parts that run 32-bit programs; the last step here finds any other fault.
timeout -k 1 300 "$tmp/root/wine" wineboot --init >"$tmp/log" 2>&1 </dev/null || :
system=$tmp/root/prefix/drive_c/windows/system32
cp "$zlib" "$system/"
# The prefix has copies of all others.
for file in "$tmp/root/usr/$libraries"/wine/x86_64-windows/*; do
  copy=$system/${file##*/}
  ! cmp -s "$file" "$copy" || ln -f "$file" "$copy"
done
"$tmp/root/wine" cmd /c echo works 2>&1 </dev/null | tee -a "$tmp/log" | grep -q ^works ||
  fail "the unpacked one does not start"
publish <<'WRAPPER'
exec "${usr%/usr}/wine" "$@"
WRAPPER
