#!/bin/bash
# The shared library exports what onchip.h declares, all of it and nothing else.
set -euo pipefail
library=$ONCHIP_BUILD/libonchip.so
[[ -e $library && -e $ONCHIP ]] || exit 77
declared=$(grep -oE '\boc_[a-z0-9_]+\(' "$ONCHIP_SOURCE/include/onchip.h" | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u)
diff <(echo "$declared") <(echo "$exported")
