#!/bin/bash
# The pages of doc/use and doc/results: tables between markers are what their commands print now, and every code block
# works and prints what stands there (tools/docs.sh). The course has a test of its own.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} && -e $ONCHIP_BUILD/libonchip.a ]] || exit 77
cd "$ONCHIP_SOURCE"
mapfile -t documents < <(find doc -name '*.md' ! -path 'doc/reference/*' ! -path 'doc/extend/*' \
    ! -path doc/use/course.md | sort)
exec bash tools/docs.sh --check "${documents[@]}"
