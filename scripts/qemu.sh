#!/usr/bin/env bash
# Prints the path of qemu-aarch64 on stdout, which runs programs of Linux on 64-bit ARM, and nothing else. Unpacks it
# into a cache if there is none.
#
#   scripts/qemu.sh
#
# It is qemu-aarch64 on PATH, or else the one in $VARBATCH_CACHE ("varbatch" in the user's cache folder by default).
# That is filled as by godot.sh. $QEMU_SUITES names the releases of Debian to try after the machine's own: trixie by
# default, the first whose qemu needs no libraries.
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
if command -v qemu-aarch64; then exit; fi
done_if_cached qemu-aarch64
lock_cache qemu-aarch64 "install it (qemu-user)"
# shellcheck disable=SC2086 # the suites are separate arguments
unpack qemu-user '1%3a[1-9][0-9]' ${QEMU_SUITES:-trixie}
bin/qemu-aarch64 --version >"$tmp/log" 2>&1 || fail "the unpacked one does not start"
mv bin/qemu-aarch64 "$cache/bin/"
echo "$cache/bin/qemu-aarch64"
