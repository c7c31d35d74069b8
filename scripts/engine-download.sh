#!/usr/bin/env bash
# Prints the path of an official Godot on stdout, and nothing else. Downloads it into a cache if it is not there, and
# checks its SHA-256. For build servers: GODOT and GODOT_TEMPLATE of the other scripts.
#
#   scripts/engine-download.sh VERSION editor|template [PLATFORM]
#
#   VERSION    4.4.1, 4.5.1, 4.6.3 or 4.7.2
#   template   the release template. All platforms' templates are one archive of 1.2 GB
#   PLATFORM   linux.x86_64, linux.arm64, windows.x86_64 or macos; this machine's by default
#
# The cache is $VARBATCH_CACHE ("varbatch" in the user's cache folder by default). Needs curl, unzip, and sha256sum or
# shasum. Exits with status 69 for an archive whose checksum is not known.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The archives of https://github.com/godotengine/godot/releases and their checksums, as two or more public projects, or
# a system's packages, check them. Without those of 4.4.1 and 4.5.1 that only one project names.
checksums() {
  cat <<'TABLE'
4.4.1 linux.x86_64.zip d6e382fb531019f85630c1f485a561a0d20c4a2344b6c3847735cfee7da812aa
4.4.1 win64.exe.zip 1c729738f42e43036a7147838aa9fa56d62101cf90884f315e1ab525e8e69d61
4.4.1 export_templates.tpz 7a8d14ade489fd4d22f178193021fe8a876a9e51068ed4dde26dac3ae4c59a88
4.5.1 linux.x86_64.zip 02ec53d1cc7dbb9cc6355393c61b9ab43d1244751a124f10248a4802830788cd
4.5.1 win64.exe.zip defccc78669e644861b4247626b01ae362cd9f23975edf19c8bfd2eb1f6a1783
4.5.1 export_templates.tpz 1998af37f1387684e2c211cdb483daf492fc64dc6b12096bddcdca25b6910c86
4.6.3 linux.x86_64.zip d0bc2113065e481c9c2c2b2c37daa4e8be3fe9e27f0ab9ab0b6096e9a37907f3
4.6.3 linux.arm64.zip 90c70382eee1542904bf507b9bdc6e62a230ac73fd214bf3887a9e0a4d85aeed
4.6.3 win64.exe.zip e39986a178d585ce7ac198fb8de6ea436366dc0cc00e594810c2e3e104c04b90
4.6.3 macos.universal.zip 30630f3e9b11e10b35c1f90ba8814185dcec43fae1a48345159be7552c64bfe8
4.6.3 export_templates.tpz 3fbe2c0e2dec9d537ab9ec97bcf8da91dcf23357fc51f67092dd068d839290a8
4.7.2 linux.x86_64.zip cadd3204e728a35d3f13adb7fd0d7902636b79f6b95c40c265eb73b6c35329e4
4.7.2 linux.arm64.zip 5dd0d86405cf7e8adf79fb6377b38ba682a2846cb378ffe5364f38c01ad29b9d
4.7.2 win64.exe.zip 731980f9608d61333e5baf54a2ef17210acc7a538446c0cb9969f002aca1e953
4.7.2 macos.universal.zip c58a24e31d720be9d62f60cb5627c4e695fb72f21b0cfe1bc9ccaa9a3b3ba63e
4.7.2 export_templates.tpz f298490b8d44d934be425a5a65a51bf15f422428b229a06a6e11d9ffea248011
TABLE
}

case ${1:-} in -h | --help) usage; exit ;; esac
[ $# -ge 2 ] && [ $# -le 3 ] || usage_error "a version, and editor or template, are needed"
version=$1
kind=$2
platform=${3:-}
if [ ! "$platform" ]; then
  case $(uname -sm) in
    'Linux x86_64') platform=linux.x86_64 ;;
    'Linux aarch64') platform=linux.arm64 ;;
    Darwin\ *) platform=macos ;;
    MINGW*\ x86_64 | MSYS*\ x86_64) platform=windows.x86_64 ;;
    *) give_up "no official Godot is known for $(uname -sm)" ;;
  esac
fi

# $archive is the download, $inside the engine in it, and $nested an archive in that archive.
nested=
case $kind,$platform in
  editor,linux.*) archive=$platform.zip inside=Godot_v$version-stable_$platform ;;
  editor,windows.x86_64) archive=win64.exe.zip inside=Godot_v$version-stable_win64.exe ;;
  editor,macos) archive=macos.universal.zip inside=Godot.app/Contents/MacOS/Godot ;;
  template,linux.*) archive=export_templates.tpz inside=templates/linux_release.${platform#*.} ;;
  template,windows.x86_64) archive=export_templates.tpz inside=templates/windows_release_x86_64.exe ;;
  template,macos)
    archive=export_templates.tpz nested=templates/macos.zip
    inside=macos_template.app/Contents/MacOS/godot_macos_release.universal ;;
  *) usage_error "unknown: $kind $platform" ;;
esac

need_cache
folder=$cache/official/$version-$kind-$platform
if [ -f "$folder/$inside" ]; then echo "$folder/$inside"; exit; fi
checksum=$(checksums | sed -n "s/^$version $archive //p")
[ "$checksum" ] || give_up "no checksum is known of Godot $version's $archive"
for command in curl unzip; do command -v "$command" >/dev/null || die "$command is missing"; done

mkdir -p "$cache/official"
tmp=$(mktemp -d "$cache/official/XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
name=Godot_v$version-stable_$archive
say "downloading $name"
curl --fail --location --silent --show-error --retry 3 --proto '=https' --output "$tmp/archive" \
  "https://github.com/godotengine/godot/releases/download/$version-stable/$name"
sum=(sha256sum)
command -v sha256sum >/dev/null || sum=(shasum -a 256)
found=$("${sum[@]}" <"$tmp/archive" | cut -d ' ' -f 1)
[ "$found" = "$checksum" ] || die "$name has the checksum $found, not $checksum"
unpack() {
  case $inside in
    # The program alone does not start without the rest of its app.
    *.app/*) unzip -q "$1" "${inside%%/*}/*" -d "$tmp/new" ;;
    *) unzip -q "$1" "$inside" -d "$tmp/new" ;;
  esac
}
if [ "$nested" ]; then
  unzip -q "$tmp/archive" "$nested" -d "$tmp"
  unpack "$tmp/$nested"
else
  unpack "$tmp/archive"
fi
chmod 755 "$tmp/new/$inside"
rm -rf "$folder"
mv "$tmp/new" "$folder"
echo "$folder/$inside"
