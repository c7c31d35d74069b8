#!/usr/bin/env bash
# Tests the codec's example server with a real Godot: a headless client sends values with StreamPeer.put_var over TCP, and
# checks each answer with get_var. Closes with one line: "N passed, N failed".
#
#   scripts/server-test.sh [--engine ENGINE]
#
#   --engine ENGINE   the editor build by default, see scripts/godot.sh
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

engine=
while [ $# -gt 0 ]; do
  case $1 in
    --engine)
      [ "${2:-}" ] || usage_error "$1 needs a value"
      engine=$2
      shift ;;
    -h | --help) usage; exit ;;
    *) usage_error "unknown argument: $1" ;;
  esac
  shift
done
need_rust
need_timeout
[ "$engine" ] || engine=$("$root/scripts/godot.sh")

(cd "$root" && cargo build --quiet --locked --package varbatch-codec --example put_var_server) || exit
temporary=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$temporary"' EXIT
trap 'exit 130' HUP INT TERM
cp "$root/rust/codec/examples/put_var_server/client.gd" "$temporary"
echo 'config_version=5' >"$temporary/project.godot"
: >"$temporary/server"

"$timeout" -k 5 120 "$(cargo_target_dir)/debug/examples/put_var_server" 127.0.0.1:0 >"$temporary/server" &
server=$!
port=
for ((tries = 0; tries < 100; tries++)); do
  port=$(sed -n 's/^listening on 127\.0\.0\.1://p' "$temporary/server")
  [ -z "$port" ] || break
  sleep 0.1
done
[ "$port" ] || die "the server does not listen"

status=0
"$root/scripts/run-godot.sh" --expect '^[1-9][0-9]* passed, 0 failed$' --no-errors --timeout 100 -- \
  "$engine" --headless --path "$temporary" --script client.gd -- "$port" || status=$?
# It ends by itself when the client has closed.
[ "$status" != 0 ] || wait "$server" || { status=$?; say "the server ended with status $status"; }
[ "$status" != 0 ] || server=
exit "$status"
