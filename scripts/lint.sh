#!/usr/bin/env bash
# Checks the scripts with shellcheck, and the workflows of GitHub with actionlint if that is on PATH.
#
#   scripts/lint.sh
#
# A pinned shellcheck is fetched with pip into $VARBATCH_CACHE ("varbatch" in the user's cache folder by default). Exits
# with status 69 if it cannot be had.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

read_only_options '' "$@"
need_python_tools shellcheck
cd "$root"
PATH=$tools/bin:$PATH
shellcheck scripts/*.sh .ci/*
if command -v actionlint >/dev/null; then actionlint; fi
