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

# read_options NAMES ARGS...: reads options into variables of the same names: --engine VALUE for "engine=" in NAMES, and
# --all, which sets it to 1, for "all". Sets $rest to what follows the options, or "--".
read_options() {
  local names=" $1 " variable
  shift
  while [ $# -gt 0 ]; do
    variable=${1#--}
    variable=${variable//-/_}
    case $1 in
      -h | --help) usage; exit ;;
      --) shift; break ;;
      --*)
        case $names in
          *" ${1#--} "*) printf -v "$variable" 1 ;;
          *" ${1#--}= "*)
            [ "${2:-}" ] || usage_error "$1 needs a value"
            printf -v "$variable" %s "$2"
            shift ;;
          *) usage_error "unknown argument: $1" ;;
        esac ;;
      -*) usage_error "unknown argument: $1" ;;
      *) break ;;
    esac
    shift
  done
  rest=("$@")
}

# read_only_options NAMES ARGS...: the same for a script that takes nothing else.
read_only_options() {
  read_options "$@"
  [ ${#rest[@]} = 0 ] || usage_error "unknown argument: ${rest[0]}"
}

# Sets $temporary to a new folder, which is removed when the script ends, after `tidy`.
make_temporary() { make_temporary_in "${TMPDIR:-/tmp}"; }
make_temporary_in() {
  temporary=$(mktemp -d "$1/XXXXXX")
  trap 'tidy; remove "$temporary"' EXIT
  trap 'exit 130' HUP INT TERM
}
tidy() { :; }

# remove FOLDER: an engine that was killed may make its last files meanwhile. What is left is no failure of the caller.
remove() { rm -rf "$1" 2>/dev/null || { sleep 1; rm -rf "$1"; } || :; }

# The sums of a script that counts its tests.
passed=0
failed=0
skipped=0
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
# count PASSED FAILED [SKIPPED]
count() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + ${3:-0}))
}
# sums_in LOG: prints the three numbers of the last line "N passed, N failed[, N skipped]", or zeros.
sums_in() {
  LC_ALL=C awk '/^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?\r?$/ { p = $1; f = $3; s = $5 }
    END { print p + 0, f + 0, s + 0 }' "$1"
}
# sums PASSED FAILED SKIPPED: prints such a line.
sums() {
  printf '%d passed, %d failed' "$1" "$2"
  [ "$3" = 0 ] || printf ', %d skipped' "$3"
  echo
}
# end_tests: prints the last line. Succeeds if there were tests and none failed.
end_tests() {
  sums "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

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

# need_python_tools NAME: puts the tools that requirements.txt pins below "# NAME:" into the cache, once, and sets $tools
# to their folder. Gives up where they cannot be had.
need_python_tools() {
  local requirements
  requirements=$(awk -v name="$1" '/^# / { on = $2 == name ":" } on' "$root/scripts/requirements.txt")
  [ "$requirements" ] || die "requirements.txt has no $1"
  command -v python3 >/dev/null || give_up "python3 is missing, which installs $1"
  need_cache
  tools=$cache/$1-$(cksum <<<"$requirements" | cut -d ' ' -f 1)
  (
    ! command -v flock >/dev/null || flock 9
    [ ! -d "$tools" ] || exit 0
    say "installing $1 into $tools"
    rm -rf "$tools.new"
    printf '%s\n' "$requirements" >"$tools.txt"
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
      --only-binary :all: --target "$tools.new" --requirement "$tools.txt" >&2 &&
      rm "$tools.txt" && mv "$tools.new" "$tools"
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
    wasm32-*) echo varbatch.wasm varbatch.web.nothreads.wasm ;;
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

# Building for other platforms.

# Prints a target as Rust knows it: aarch64-unknown-linux-gnu for aarch64-unknown-linux-gnu.2.28.
without_glibc() { echo "${1%%.[0-9]*}"; }

# need_cross TARGET...: makes `cargo zigbuild --target TARGET` work for these, in this shell and what it starts. A target
# is one of Rust, with or without a glibc version, or universal2-apple-darwin. Zig compiles and links C for all of them.
# It and what else comes from PyPI is pinned in cross-requirements.txt and goes into the cache.
need_cross() {
  local target
  need_rust
  need_python_tools cross
  export PATH=$tools/bin:$PATH PYTHONPATH=$tools${PYTHONPATH:+:$PYTHONPATH}
  # Else the library asks for the system that this Zig was made on.
  export MACOSX_DEPLOYMENT_TARGET=11.0
  hide_machine
  for target; do
    case $target in
      universal2-apple-darwin) need_rust_target aarch64-apple-darwin; need_rust_target x86_64-apple-darwin ;;
      *) need_rust_target "$(without_glibc "$target")" ;;
    esac
  done
}

# need_emscripten: makes `$emscripten cargo build --target wasm32-unknown-emscripten` build the library.
need_emscripten() {
  local target=wasm32-unknown-emscripten unwind
  need_rust
  emscripten=$("$root/scripts/engine.sh" emscripten) || exit
  hide_machine
  need_rust_target "$target"
  # A side module, which the engine loads. Panics stay in it: the standard library raises them as exceptions of Wasm, of
  # which official engines have neither the tag nor these two functions.
  unwind=$(cargo_target_dir)/unwind.o
  mkdir -p "${unwind%/*}"
  "$emscripten" emcc -x c -c -O2 -fPIC -fwasm-exceptions - -o "$unwind" >&2 <<'C' || exit
struct exception { unsigned long long kind; void (*cleanup)(int, struct exception *); };
__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");
int _Unwind_RaiseException(struct exception *it) { __builtin_wasm_throw(0, it); }
void _Unwind_DeleteException(struct exception *it) { if (it->cleanup) it->cleanup(1, it); }
C
  # With vectors, as engines since 4.5 have, and half of the usual inlining: 7 % smaller, and as fast.
  CARGO_ENCODED_RUSTFLAGS+=$'\x1f'-Ctarget-feature=+simd128$'\x1f'-Cllvm-args=--inline-threshold=110$'\x1f'-Clink-arg=-sSIDE_MODULE=2$'\x1f'-Clink-arg=$unwind
  # The C of zstd.
  export CARGO_ENCODED_RUSTFLAGS CFLAGS_wasm32_unknown_emscripten="-fPIC -Os"
}

# Keeps this machine's paths and clock out of what is built, so that the same sources give the same bytes anywhere.
hide_machine() {
  local flags=() folder home=${CARGO_HOME:-$HOME/.cargo}
  (cd "$root" && cargo fetch --locked --quiet) >&2 || exit
  for folder in "$home"/registry/src/*/; do flags+=("--remap-path-prefix=${folder%/}=/cargo"); done
  flags+=("--remap-path-prefix=$root=/varbatch" "--remap-path-prefix=$(cargo_target_dir)=/varbatch/target")
  CARGO_ENCODED_RUSTFLAGS=$(printf '%s\x1f' "${flags[@]}")
  # 1980, the oldest time of a zip. The linker for Windows takes it.
  export CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%?} SOURCE_DATE_EPOCH=315532800
}

# need_rust_target TRIPLE: its standard library comes from rustup. Where there is no rustup, cargo builds it.
need_rust_target() {
  local installed
  installed=$(rustc --print sysroot)/lib/rustlib/$1/lib
  [ ! -d "$installed" ] || return 0
  if command -v rustup >/dev/null; then
    say "rustup target add $1"
    rustup target add "$1" >&2 || give_up "the Rust target $1 cannot be had here"
    return
  fi
  # shellcheck disable=SC2155 # the next line looks at it
  export RUSTC=$(rustc_with_source)
  [ "$RUSTC" ] || give_up "the Rust target $1 cannot be had here without rustup"
  # Only nightly versions of cargo build the standard library, unless they are told to be one.
  export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind
  CARGO_ENCODED_RUSTFLAGS+=$'\x1f'--remap-path-prefix=$("$RUSTC" --print sysroot)/lib/rustlib/src/rust=/rust
}

# Prints the path of a rustc that has the sources of its standard library beside it, from the package archives.
rustc_with_source() (
  local version compiler host sysroot
  # shellcheck source=lib-apt.sh
  . "$root/scripts/lib-apt.sh"
  version=$(rustc --version | cut -d ' ' -f 2)
  done_if_cached "rustc-$version"
  lock_cache "rustc-$version" "install rustup (https://rustup.rs)"
  compiler=$(command -v rustc)
  host=$(rustc --print sysroot)/lib/rustlib/$(rust_host)
  unpack rust-src "${version//./\\.}" forky sid
  sysroot=$tmp/root/usr/sysroot/lib/rustlib
  mkdir -p "$sysroot/src/rust"
  ln -s "$host" "$sysroot/"
  mv "$tmp/root/usr/src/rustc-$version/library" "$sysroot/src/rust/"
  rm -rf "$tmp/root/usr/src"
  publish <<WRAPPER
exec $(printf %q "$compiler") --sysroot "\$usr/sysroot" "\$@"
WRAPPER
)
