#!/usr/bin/env bash
# Prints the path of a Godot editor build with `precision=double` on stdout, and nothing else. Builds one if there is none.
#
#   scripts/double-engine.sh:  ENGINE --headless --path PROJECT [res://SCENE] [-- ARGS]
#
# It is $GODOT_DOUBLE, or the one in $VARBATCH_CACHE ("varbatch" in the user's cache folder by default). That is built
# from Debian's source package, on Debian and its relatives, in 25 minutes of processor time. Sources and libraries come from
# the package archives that this machine's own apt uses and trusts ($GODOT_SUITES: forky and sid by default, after the
# machine's own), SCons from PyPI, all without root and without installing anything. The engine has no window, and of
# the modules only those that an editor or the conformance suites need.
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

# check_version ENGINE: prints its version, if it is a Godot that is new enough and has double precision.
check_version() { "$1" --headless --version 2>/dev/null </dev/null | tail -n 1 | grep -E '^4\.([4-9]|[1-9][0-9]).*\.double\.'; }

if [ "${GODOT_DOUBLE:-}" ]; then
  path=$(command -v "$GODOT_DOUBLE") || die "GODOT_DOUBLE=$GODOT_DOUBLE is no program"
  check_version "$path" >/dev/null || die "GODOT_DOUBLE=$GODOT_DOUBLE is not a Godot 4.4 or newer with double precision"
  case $path in /*) echo "$path" ;; *) echo "$PWD/$path" ;; esac
  exit
fi

done_if_cached godot-double
for command in g++ pkg-config python3 dpkg-source; do
  command -v "$command" >/dev/null || give_up "no $command here, which builds an engine with double precision: set GODOT_DOUBLE"
done
lock_cache godot-double "build a Godot editor with precision=double and set GODOT_DOUBLE to its path"
usr=$tmp/root/usr
libraries=lib
loader=

say "fetching Debian's sources of Godot, the libraries that it needs, and SCons"
version=
# shellcheck disable=SC2086 # the suites are separate arguments
sources ${GODOT_SUITES:-forky sid} | sed 's/target=Packages/target=Sources/; s/^deb /deb-src /' >"$tmp/sources"
while read -r line; do
  echo "$line" >"$tmp/source"
  private_apt update >"$tmp/log" 2>&1 || continue
  version=$(private_apt --print-uris --only-source source godot 2>/dev/null |
    sed -nE "s/^'[^']+' godot_(4\.([4-9]|[1-9][0-9])[^ ]*)\.dsc .*/\1/p") || :
  [ -z "$version" ] || break
done <"$tmp/sources"
[ "$version" ] || give_up "no sources of Godot in this machine's package archives: $advice"
(cd "$tmp/deb" && private_apt --only-source source godot) >"$tmp/log" 2>&1 || fail "the sources cannot be had"
mv "$tmp"/deb/godot-4*/ "$tmp/godot"

# The packages of this machine's own release, as its compiler and glibc are used.
sources >"$tmp/source"
private_apt update >"$tmp/log" 2>&1 || fail "the package lists cannot be had"
needed='zlib1g|lib(brotli|freetype|mbed|pcre2|png|zstd)'
private_apt -y --no-install-recommends --print-uris install \
  zlib1g-dev lib{brotli,freetype,mbedtls,pcre2,png,zstd}-dev 2>"$tmp/log" |
  sed -nE "s/^'[^']+' (($needed)[^_]*)_.*/\1/p" >"$tmp/files" || fail "this release lacks a library"
mapfile -t packages <"$tmp/files"
(cd "$tmp/deb" && private_apt download "${packages[@]}") >"$tmp/log" 2>&1 || fail "the download failed"
for file in "$tmp"/deb/*.deb; do dpkg-deb -x "$file" "$tmp/unpacked"; done
mkdir -p "$usr/bin" "$usr/lib"
for folder in "$tmp"/unpacked{,/usr}/lib/*-linux-gnu*/; do [ ! -d "$folder" ] || cp -a "$folder." "$usr/lib/"; done
cp -a "$tmp/unpacked/usr/include" "$usr/"
# Some links name the file of an installed library.
for file in "$usr"/lib/*.so; do ln -sf "$(basename "$(readlink "$file")")" "$file"; done
# Godot expects the functions of zstd_errors.h in zstd.h, as in newer versions.
echo '#include <zstd_errors.h>' >>"$usr/include/zstd.h"
sed -i -E "s#/usr\b#$usr#; s#/lib/[^/ ]*-linux-gnu[^/ ]*#/lib#g" "$usr"/lib/pkgconfig/*.pc

python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
  --target "$tmp/scons" --requirement /dev/stdin >&2 <<'REQUIREMENTS' || give_up "SCons cannot be had here"
scons==4.11.1 --hash=sha256:454cef364348053422696e3d2ecb4fa593c96a624f955842eaaea64f95c8d11d
REQUIREMENTS

options=(
  platform=linuxbsd target=editor precision=double
  # What compiles soonest.
  optimize=none debug_symbols=no scu_build=yes warnings=no lto=none
  # What runs without a display and a sound card.
  x11=no wayland=no libdecor=no vulkan=no use_volk=no opengl3=no accesskit=no sdl=no touch=no
  dbus=no fontconfig=no udev=no speechd=no alsa=no pulseaudio=no
  # No editor is built without freetype and svg.
  modules_enabled_by_default=no
  module_{freetype,gdscript,mbedtls,regex,svg,zip}"_enabled=yes"
  # Debian's sources leave these out.
  brotli=no builtin_{certs,freetype,libpng,mbedtls,pcre2,zlib,zstd}"=no"
  "import_env_vars=PKG_CONFIG_LIBDIR,BUILD_NAME"
  "ccflags=-isystem $usr/include"
  "linkflags=-L$usr/lib -Wl,-rpath-link,$usr/lib -Wl,-rpath,$cache/$name/usr/lib"
)
say "building Godot $version with double precision in $tmp"
mkdir -p "$tmp/godot/thirdparty/certs"
: >"$tmp/godot/thirdparty/certs/ca-bundle.crt"
(
  cd "$tmp/godot"
  export PYTHONPATH=$tmp/scons PKG_CONFIG_LIBDIR=$usr/lib/pkgconfig BUILD_NAME=varbatch
  python3 "$tmp/scons/bin/scons" --jobs="$(nproc)" "${options[@]}"
) >"$tmp/log" 2>&1 || { tail -n 100 "$tmp/log" >"$tmp/end"; mv "$tmp/end" "$tmp/log"; fail "the build failed"; }
mv "$tmp"/godot/bin/godot.linuxbsd.editor.double.* "$usr/bin/godot"
rm -rf "$usr/include" "$usr"/lib/{*.a,*.so,cmake,pkgconfig}
LD_LIBRARY_PATH=$usr/lib check_version "$usr/bin/godot" >"$tmp/log" || fail "the engine does not start"
publish <<'WRAPPER'
exec "$usr/bin/godot" "$@"
WRAPPER
