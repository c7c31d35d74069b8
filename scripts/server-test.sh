#!/usr/bin/env bash
# Tests the codec's example server with a real Godot: a headless client sends values with StreamPeer.put_var over TCP, and
# checks each answer with get_var. Closes with one line: "N passed, N failed".
#
#   scripts/server-test.sh [--engine ENGINE]
#
#   --engine ENGINE   the editor build by default, see engine.sh
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

engine=
read_only_options engine= "$@"
need_rust
need_timeout
[ "$engine" ] || engine=$("$root/scripts/engine.sh")

(cd "$root" && cargo build --quiet --locked --package varbatch-codec --example put_var_server) || exit
make_temporary
server=
# shellcheck disable=SC2329 # called by lib.sh
tidy() { [ -z "$server" ] || kill "$server" 2>/dev/null || :; }
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
