# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # lib-apt.sh shares $tmp, $loader and more, engine.sh $root
# What engine.sh unpacks or builds in several steps: qemu, Wine, and two engines. Sourced, never run.

find_qemu() {
  if command -v qemu-aarch64; then return; fi
  done_if_cached qemu-aarch64
  lock_cache qemu-aarch64 "install it (qemu-user)"
  # shellcheck disable=SC2086 # the suites are separate arguments
  unpack qemu-user '1%3a[1-9][0-9]' ${QEMU_SUITES:-trixie} # trixie's is the first that needs no libraries
  bin/qemu-aarch64 --version >"$tmp/log" 2>&1 || fail "the unpacked one does not start"
  mv bin/qemu-aarch64 "$cache/bin/"
  echo "$cache/bin/qemu-aarch64"
}

find_wine() {
  local advice zlib system file copy
  if [ "${WINE:-}" ]; then command -v "$WINE" || die "WINE=$WINE is no command"; return; fi
  if command -v wine; then return; fi
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
  dpkg-deb --fsys-tarfile "$tmp"/deb/libwine_*.deb | tar -x -C "$tmp/root" ./usr/share/wine
  dpkg-deb --fsys-tarfile "$tmp"/deb/libc-bin_*.deb | tar -x -C "$tmp/root" ./usr/lib/locale

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
}

# double_version ENGINE: prints its version, if it is a Godot that is new enough and has double precision.
double_version() { version_of "$1" | grep -E '^4\.([4-9]|[1-9][0-9]).*\.double\.'; }

find_double() {
  local path command line needed packages file folder options
  if [ "${GODOT_DOUBLE:-}" ]; then
    path=$(absolute "$GODOT_DOUBLE") || die "GODOT_DOUBLE=$GODOT_DOUBLE is no program"
    double_version "$path" >/dev/null || die "GODOT_DOUBLE=$GODOT_DOUBLE is not a Godot 4.4 or newer with double precision"
    echo "$path"
    return
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
  LD_LIBRARY_PATH=$usr/lib double_version "$usr/bin/godot" >"$tmp/log" || fail "the engine does not start"
  publish <<'WRAPPER'
exec "$usr/bin/godot" "$@"
WRAPPER
}

# For the engine for Windows: what compiles soonest, no window, and of the modules what the suites need.
# Debian's sources have no brotli and no certificates.
build_options=(
  optimize=none debug_symbols=no scu_build=yes warnings=no lto=none progress=no vulkan=no use_volk=no opengl3=no
  accesskit=no sdl=no brotli=no builtin_certs=no "import_env_vars=BUILD_NAME,LD_LIBRARY_PATH"
  modules_enabled_by_default=no module_{csg,gdscript,mbedtls,mp3,noise,regex,svg,zip}_enabled=yes
  module_godot_physics_{2,3}d_enabled=yes
)

find_windows() {
  local command path file packages needed='gcc-mingw|g\+\+-mingw|binutils|mingw-w64|lib(gmp|isl|mpc|mpfr)'
  if [ "${GODOT_WINDOWS:-}" ]; then
    path=$(absolute "$GODOT_WINDOWS") || die "GODOT_WINDOWS=$GODOT_WINDOWS is no program"
    is_new "$(version_of "$path")" || die "GODOT_WINDOWS=$GODOT_WINDOWS is not a Godot 4.4 or newer"
    echo "$path"
    return
  fi
  command=$(WINE=${WINE:-} "$root/scripts/engine.sh" wine)
  done_if_cached godot-windows
  command -v python3 >/dev/null || give_up "no python3 here, which builds an engine for Windows: set GODOT_WINDOWS"
  lock_cache godot-windows "set GODOT_WINDOWS to a command that runs a Godot for Windows"
  # The packages of this machine's own release, as the compiler is linked with its glibc.
  sources >"$tmp/source"
  private_apt update >"$tmp/log" 2>&1 || fail "the package lists cannot be had"
  private_apt -y --no-install-recommends --print-uris install g++-mingw-w64-x86-64-posix 2>"$tmp/log" |
    sed -nE "s/^'[^']+' (($needed)[^_]*)_.*/\1/p" >"$tmp/files" || fail "this release lacks MinGW-w64"
  mapfile -t packages <"$tmp/files"
  (cd "$tmp/deb" && private_apt download "${packages[@]}") >"$tmp/log" 2>&1 || fail "the download failed"
  for file in "$tmp"/deb/*.deb; do dpkg-deb -x "$file" "$tmp/mingw"; done
  for file in "$tmp"/mingw/usr/bin/*-posix; do ln -s "${file##*/}" "${file%-posix}"; done
  export PATH=$tmp/mingw/usr/bin:$PATH
  for path in "$tmp"/mingw/usr/lib/*-linux-gnu*/; do export LD_LIBRARY_PATH=$path; done

  # The template takes --path, which official ones do not.
  build_engine windows.template_release platform=windows arch=x86_64 target=template_release use_mingw=yes d3d12=no \
    disable_path_overrides=no
  emulator=("$command")
  is_new "$(version_of "$command" "$tmp/root/usr/bin/godot")" || fail "the engine does not start"
  publish <<'WRAPPER'
exec "${emulator[@]}" "$usr/bin/godot" "$@"
WRAPPER
}

# build_engine BEGINNING OPTION...: builds the engine whose file's name begins with "godot.BEGINNING", as usr/bin/godot of
# $tmp/root, from Debian's sources of Godot and of the libraries that they leave out, of upstream's.
build_engine() {
  local beginning=$1 file third=$tmp/godot/thirdparty library=$tmp/library
  shift
  # It needs no dynamic loader of its own.
  loader='' libraries=''
  say "fetching Debian's sources of Godot, the libraries that it needs, and SCons"
  # shellcheck disable=SC2086 # the suites are separate arguments
  fetch_source godot '4\.([4-9]|[1-9][0-9])' ${GODOT_SUITES:-forky sid}
  say "building Godot $version in $tmp"
  mv "$library/godot" "$tmp/godot"
  for file in freetype libpng1.6 libzstd mbedtls pcre2 zlib; do fetch_source "$file" '' trixie forky sid; done
  # What thirdparty/README.md says of each.
  mkdir -p "$third"/{certs,freetype,libpng,mbedtls,pcre2/{deps,src},zlib,zstd}
  cp -R "$library"/freetype/{include,src} "$third/freetype/"
  cp -R "$library"/libpng1.6/{*.[ch],arm,intel} "$third/libpng/"
  cp "$library/libpng1.6/scripts/pnglibconf.h.prebuilt" "$third/libpng/pnglibconf.h"
  cp -R "$library"/libzstd/lib/{common,compress,decompress,*.h} "$third/zstd/"
  cp -R "$library"/mbedtls/{include,library} "$third/mbedtls/"
  cp "$library"/pcre2/src/*.[ch] "$third/pcre2/src/"
  cp -R "$library/pcre2/deps/sljit" "$third/pcre2/deps/"
  for file in pcre2.h config.h; do cp "$library/pcre2/src/$file.generic" "$third/pcre2/src/$file"; done
  cp "$library/pcre2/src/pcre2_chartables.c.dist" "$third/pcre2/src/pcre2_chartables.c"
  cp "$library"/zlib/*.[ch] "$third/zlib/"
  : >"$third/certs/ca-bundle.crt"
  # The engine's settings of Mbed TLS were left out with it: the defaults will do.
  echo '#include <mbedtls/mbedtls_config.h>' >"$third/mbedtls/include/godot_module_mbedtls_config.h"
  # Other versions of the libraries have one file more, or two fewer.
  [ ! -f "$third/mbedtls/library/psa_crypto_random.c" ] || grep -q psa_crypto_random.c "$tmp/godot/modules/mbedtls/SCsub" ||
    sed -i 's/^\( *\)"psa_crypto_rsa.c",/&\n\1"psa_crypto_random.c",/' "$tmp/godot/modules/mbedtls/SCsub"
  for file in pcre2_compile_cgroup.c pcre2_match_next.c; do
    [ -f "$third/pcre2/src/$file" ] || sed -i "/\"$file\"/d" "$tmp/godot/modules/regex/SCsub"
  done

  python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    --target "$tmp/scons" --requirement /dev/stdin >&2 <<'REQUIREMENTS' || give_up "SCons cannot be had here"
scons==4.11.1 --hash=sha256:454cef364348053422696e3d2ecb4fa593c96a624f955842eaaea64f95c8d11d
REQUIREMENTS
  (
    cd "$tmp/godot"
    PYTHONPATH=$tmp/scons BUILD_NAME=varbatch python3 "$tmp/scons/bin/scons" --jobs="$(nproc)" "${build_options[@]}" "$@"
  ) >"$tmp/log" 2>&1 || { tail -n 100 "$tmp/log" >"$tmp/end"; mv "$tmp/end" "$tmp/log"; fail "the build failed"; }
  mkdir -p "$tmp/root/usr/bin"
  for file in "$tmp/godot/bin/godot.$beginning".*; do
    case $file in *.console.exe) ;; *) mv "$file" "$tmp/root/usr/bin/godot" ;; esac
  done
}

# fetch_source PACKAGE VERSION SUITE...: unpacks upstream's archives of the first source package whose version begins with
# VERSION (a regular expression) to $tmp/library/PACKAGE. Debian's own changes are not needed, and archives may lack them.
# Sets $version.
fetch_source() {
  local package=$1 wanted=$2 suite line file folder=$tmp/library/$1
  shift 2
  # Not of the machine's own release, whose libraries may be too old.
  for suite; do sources "$suite" | grep -F " $suite " || :; done |
    sed 's/target=Packages/target=Sources/; s/^deb /deb-src /' >"$tmp/sources"
  mkdir -p "$folder"
  while read -r line; do
    echo "$line" >"$tmp/source"
    private_apt update >"$tmp/log" 2>&1 || continue
    version=$(private_apt --print-uris --only-source source "$package" 2>/dev/null |
      sed -nE "s/^'[^']+' ${package}_(${wanted}[^ ]*)\.dsc .*/\1/p") || :
    [ "$version" ] || continue
    (cd "$tmp/deb" && private_apt --download-only --only-source source "$package") >"$tmp/log" 2>&1 || :
    for file in "$tmp/deb/${package}"_*.orig.tar.?z*; do
      case $file in *.asc) ;; *) tar -xf "$file" -C "$folder" --strip-components=1 && return ;; esac
    done
  done <"$tmp/sources"
  give_up "no sources of $package in this machine's package archives: $advice"
}
