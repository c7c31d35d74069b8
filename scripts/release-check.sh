#!/usr/bin/env bash
# Checks that a release is of one version: the tag, Cargo.toml and the first heading of CHANGELOG.md that has a version.
# Prints what the changelog says of it.
#
#   scripts/release-check.sh TAG
#
#   TAG   "v" and the version: v0.1.0
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in
  -h | --help) usage; exit ;;
  v[0-9]*.[0-9]*.[0-9]*) version=${1#v} ;;
  *) usage_error "a tag is needed, as v0.1.0" ;;
esac
need_rust
cargo_version=$(cd "$root" && cargo pkgid --locked --package varbatch | sed 's/.*[#@]//')
[ "$cargo_version" = "$version" ] || die "the tag is $1, but Cargo.toml has $cargo_version"
heading=$(grep -m 1 -E '^## \[[0-9]' "$root/CHANGELOG.md" || :)
case $heading in
  "## [$version] - 2"[0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
  *) die "the tag is $1, but the changelog's first version is '$heading', not '## [$version] - YEAR-MONTH-DAY'" ;;
esac
notes=$(awk -v heading="$heading" '$0 == heading { found = 1; next } /^(## |\[[^]]*\]: )/ { found = 0 } found' "$root/CHANGELOG.md")
case $notes in *[![:space:]]*) ;; *) die "the changelog says nothing of $version" ;; esac
echo "$notes"
