#!/usr/bin/env bash
# Builds and packs what users download, into target/package/.
#
#   scripts/package.sh [--all] [--double | --tool]
#
# By default varbatch-VERSION.zip, which a user unpacks into a project. It is tried in a new project.
#
#   --double  varbatch-VERSION-double.zip, for engines built with `precision=double`: see build.sh
#   --tool  varbatch-cli-VERSION-PLATFORM.tar.gz, or .zip for Windows: the command line tool with its manual pages and
#           completions for shells
#   --all   for Linux on x86-64 (glibc 2.17) and arm64 (glibc 2.28), Windows on x86-64, macOS 11, and the library for
#           browsers, instead of for this machine. Needs Linux, python3 and Node.js. Checks and lists what it packs. The
#           same sources and tools always give the same files
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

all='' double='' tool=''
read_only_options 'all double tool' "$@"

[ -z "$double" ] || [ -z "$tool" ] || usage_error "--double is for the library, --tool has none"
need_rust
if [ "$all" ]; then
  need_cross
  targets=(x86_64-unknown-linux-gnu.2.17 aarch64-unknown-linux-gnu.2.28 x86_64-pc-windows-gnu universal2-apple-darwin)
  # No tool runs in a browser, and no engine there has double precision.
  [ "$tool$double" ] || targets+=(wasm32-unknown-emscripten)
else
  targets=("$(rust_host)")
fi
version=$(cd "$root" && cargo pkgid --locked --package varbatch | sed 's/.*[#@]//')
out=$root/target/package
mkdir -p "$out"
make_temporary

# build TARGET FOLDER FILE ARGS...: puts FILE for that platform into the folder, and checks it.
build() {
  local args=("${@:4}" --bin "$2")
  [ -z "$all" ] || args+=(--target "$1")
  [ -z "$double" ] || args+=(--double)
  "$root/scripts/build.sh" "${args[@]}"
  args=(--without "$root/" --without "${CARGO_HOME:-$HOME/.cargo}/")
  [ "$tool" ] || args+=(--exports gdext_rust_init)
  [ -z "$all" ] || python3 "$root/scripts/package.py" check "${args[@]}" "$1" "$2/$3" >>"$temporary/list"
}

# publish FILE: the package is complete in $temporary, and ready under its name.
publish() {
  cp "$temporary/$1" "$out/.$1.$$"
  mv -f "$out/.$1.$$" "$out/$1"
  printf '%-40s %10s\n' "$1" "$(wc -c <"$out/$1" | tr -d ' ')" >>"$temporary/list"
}

pack_zip() {
  local addon=$temporary/varbatch zip=varbatch-$version${double:+-double}.zip engine target names library precision=single strict
  mkdir -p "$addon/bin"
  find "$root/addons/varbatch" -maxdepth 1 -type f -exec cp {} "$addon/" \;
  for target in "${targets[@]}"; do
    names=$(library_names "$target") || die "the manifest names no library for $target"
    library=${names#* }
    [ -z "$double" ] || library=${library/./.double.}
    build "$target" "$addon/bin" "$library"
  done
  if [ "$all" ]; then
    [ -z "$double" ] || precision=double
    sed -nE 's/.*\.'"$precision"' = "(bin\/[^"]*)".*/\1/p' "$addon/varbatch.gdextension" | while read -r library; do
      [ -f "$addon/$library" ] || die "the manifest names $library, which was not built"
    done
  fi

  # Godot packs and unpacks, as `zip` may not be installed.
  engine=$("$root/scripts/engine.sh" ${double:+double})
  project="$temporary/a new project"
  mkdir "$project"
  printf 'config_version=5\n\n[application]\nconfig/name="A new project"\n' >"$project/project.godot"
  # The engine that engine.sh builds reports that it has no fonts.
  strict=(--timeout 120)
  [ "$double" ] || strict+=(--no-errors)
  run() {
    "$root/scripts/run-godot.sh" --expect "$1" "${strict[@]}" -- \
      "$engine" --headless --path "$project" "${@:2}"
  }
  say "packing $zip"
  run '^packed [0-9]+ files$' --script "$root/scripts/package.gd" -- pack "$addon" "$temporary/$zip"
  say "unpacking it into an empty project"
  run '^unpacked [0-9]+ files$' --script "$root/scripts/package.gd" -- unpack "$temporary/$zip" "$project"

  say "importing that project, and comparing VarBatch with the engine there"
  list_extension "$project"
  run . --import
  cat >"$project/check.gd" <<'CHECK'
extends SceneTree


func _initialize() -> void:
	var values: Array = [null, 1, 0.5, "text", Vector3.ONE, {"key": [1]}, PackedInt32Array([1, 2])]
	var buffers: Array[PackedByteArray] = VarBatch.vars_to_bytes(values)
	var equal: bool = VarBatch.bytes_to_vars(buffers) == values
	for i: int in values.size():
		equal = equal and buffers[i] == var_to_bytes(values[i])
	print("VarBatch ", VarBatch.get_version(), " works" if equal else " differs from the engine")
	quit(0 if equal else 1)
CHECK
  run "^VarBatch ${version//./\\.} works\$" --script res://check.gd
  publish "$zip"
}

pack_tools() {
  local target platform program archive folder command runs=''
  command -v python3 >/dev/null || give_up "python3 is missing, which packs archives"
  for target in "${targets[@]}"; do
    program=varbatch
    case $target in
      *-linux-*) platform=linux-${target%%-*} ;;
      *-windows-*) platform=windows-${target%%-*} program=varbatch.exe ;;
      *-apple-*) platform=macos-${target%%-*} ;;
      *) platform=$target ;;
    esac
    platform=${platform/aarch64/arm64}
    folder=$temporary/varbatch-cli-$version-${platform/universal2/universal}
    build "$target" "$folder" "$program" --tool
    [ "$(without_glibc "$target")" != "$(rust_host)" ] || runs=$folder/$program
  done
  [ "$runs" ] || die "none of these programs runs here, to write its manual"

  mkdir -p "$temporary/more/completions" "$temporary/more/man"
  "$runs" completions bash >"$temporary/more/completions/varbatch.bash"
  "$runs" completions zsh >"$temporary/more/completions/_varbatch"
  "$runs" completions fish >"$temporary/more/completions/varbatch.fish"
  "$runs" completions powershell >"$temporary/more/completions/_varbatch.ps1"
  "$runs" man >"$temporary/more/man/varbatch.1"
  for command in $("$runs" --help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on && $1 != "help" { print $1 }'); do
    "$runs" man "$command" >"$temporary/more/man/varbatch-$command.1"
  done
  for folder in "$temporary/varbatch-cli-$version"-*; do
    cp -R "$temporary/more/." "$root/LICENSE" "$folder/"
    archive=${folder##*/}.tar.gz
    case $folder in *-windows-*) archive=${folder##*/}.zip ;; esac
    python3 "$root/scripts/package.py" archive "$folder" "$temporary/$archive"
    publish "$archive"
  done
}

if [ "$tool" ]; then pack_tools; else pack_zip; fi
cat "$temporary/list"
say "${out#"$root"/} is ready"
