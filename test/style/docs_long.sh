#!/bin/bash
# The code blocks of documents that take long: those that change a copy of the source tree, which is built then.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} && -e $ONCHIP_BUILD/libonchip.a ]] || exit 77
cd "$ONCHIP_SOURCE"
mapfile -t documents < <(grep -rlE --include='*.md' \
    '^<!-- (long|blocks: a copy of the source) -->$' ./*.md doc | sort)
exec bash tools/blocks.sh --check --long "${documents[@]}"
