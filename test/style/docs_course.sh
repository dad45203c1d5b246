#!/bin/bash
# doc/use/course.md: each lesson has its flaw, the cure helps, and the page shows what is printed (tools/docs.sh). It is
# apart from the other pages, since it compiles some twenty programs.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} && -e $ONCHIP_BUILD/libonchip.a ]] || exit 77
cd "$ONCHIP_SOURCE"
exec bash tools/docs.sh --check doc/use/course.md
