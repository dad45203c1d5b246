#!/bin/bash
# The workloads' PTX is the same in any checkout: it names its source relative to the root, and no path of this machine.
set -euo pipefail
shopt -s nullglob
files=("$ONCHIP_BUILD"/workloads/*/*.ptx)
((${#files[@]})) || exit 77
bad=0
for file in "${files[@]}"; do
    name=${file#"$ONCHIP_BUILD"/} name=${name%.ptx}
    grep -q "\.file.*\"$name\.cu\"" "$file" || { echo "$name.ptx: no .file \"$name.cu\"" >&2; bad=1; }
    if grep -nE '\.file.*"(/|\./|\.\./)' "$file"; then bad=1; fi
    if grep -nF "$ONCHIP_SOURCE" "$file"; then bad=1; fi
done
exit $bad
