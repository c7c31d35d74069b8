#!/usr/bin/env bash
# Runs Godot and judges the run. Succeeds only if the exit status is 0, the last line of stdout is as expected and the
# log is clean: the status alone proves nothing, as a script error does not end the engine.
#
#   scripts/run-godot.sh --expect REGEX [--no-errors] [--log FILE] [--timeout SECONDS] -- ENGINE ARGS...
#
#   --expect REGEX     must match the last line of stdout that is not empty (extended, see grep)
#   --no-errors        lines that start with "ERROR:" are failures too. By default they are not: suites that feed bad
#                      data cause them, and check themselves for those that they do not expect
#   --log FILE         keeps all output, which is shown as well, behind a line with the engine's version
#   --timeout SECONDS  600 by default; 0 for no limit
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

unclean='SCRIPT ERROR|Parse Error|Failed (to load|loading)|Error loading extension|an.t open dynamic library'
unclean+='|panicked|handle_crash|leaked|ObjectDB instances|resources still in use'

expect='' log='' timeout=600 no_errors=''
read_options 'expect= log= timeout= no-errors' "$@"
set -- ${rest[@]+"${rest[@]}"}
limit=$timeout # need_timeout sets another
[ ! "$no_errors" ] || unclean+='|^ERROR:'
[ "$expect" ] || usage_error "--expect is needed"
[ $# -gt 0 ] || usage_error "an engine is needed"
need_timeout

make_temporary
out=$temporary/out
log=${log:-$temporary/log}
mkdir -p "$(dirname "$log")"

# The engine runs in the background, so that an interrupt can be passed on to it: `timeout` gives it a process group of
# its own. Then this waits with its pipes open, so that the engine can tidy up.
run() {
  local pid status=0
  echo "engine: $("$1" --headless --version 2>/dev/null </dev/null | tail -n 1 || :) ($1)"
  # shellcheck disable=SC2069 # stderr goes to the log alone, stdout to the log and to $out
  "$timeout" -k 10 "$limit" "$@" 2>&1 > >(trap '' HUP INT TERM; exec tee "$out") &
  pid=$!
  trap 'kill "$pid" 2>/dev/null || :' HUP INT TERM
  while kill -0 "$pid" 2>/dev/null; do wait "$pid" || status=$?; done
  return "$status"
}
status=0
run "$@" | (trap '' HUP INT TERM; exec tee "$log") || status=$?

# Some systems' tools refuse bytes that are no text.
export LC_ALL=C
problems=()
case $status in
  0) ;;
  124 | 137) problems+=("exit status $status: ended by force, perhaps after $limit seconds") ;;
  *) problems+=("exit status $status") ;;
esac
last=$(awk 'NF { line = $0 } END { print line }' "$out" | tr -d '\r')
grep -qE -e "$expect" <<<"$last" || problems+=("the last line is '$last', not /$expect/")
found=$(grep -aE -m 3 -e "$unclean" "$log" || :)
[ -z "$found" ] || problems+=("the log has: $found")
[ ${#problems[@]} -gt 0 ] || exit 0
for problem in "${problems[@]}"; do say "BAD RUN: $problem" 2>&1 | tee -a "$log" >&2; done
exit 1
