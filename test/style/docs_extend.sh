#!/bin/bash
# The pages of doc/extend: every code block works and prints what stands there (tools/docs.sh). Those that change a copy
# of the source are for style/docs_long.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} && -e $ONCHIP_BUILD/libonchip.a ]] || exit 77
cd "$ONCHIP_SOURCE"
exec bash tools/docs.sh --check doc/extend/*.md
