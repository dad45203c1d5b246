#!/bin/bash
# The shared library exports what onchip.h declares, all of it and nothing else. The one that is preloaded exports
# functions of the driver, and dlsym, and needs nothing but the C library.
set -euo pipefail
library=$ONCHIP_BUILD/libonchip.so
[[ -e $library && -e $ONCHIP ]] || exit 77
declared=$(grep -oE '\boc_[a-z0-9_]+\(' "$ONCHIP_SOURCE/include/onchip.h" | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u)
diff <(echo "$declared") <(echo "$exported")

library=$ONCHIP_BUILD/libonchip-sl1.so
intercepted=$(sed -n '/define DRIVER_INTERCEPTED/,/define DRIVER_CALLED/s/^    F(\([a-zA-Z0-9_]*\),.*/\1/p' \
    "$ONCHIP_SOURCE/src/preload/preload.h")
diff <(printf '%s\n' "$intercepted" dlsym | sort) <(nm -D --defined-only "$library" | awk '{ print $NF }' | sort)
[[ -n ${ONCHIP_SANITIZED:-} ]] || ! readelf -d "$library" | grep NEEDED | grep -vE 'lib(c|m|dl|pthread)\.so|ld-linux'
