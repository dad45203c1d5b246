#!/bin/bash
# The facts of sass_facts.def, counted again where ptxas of CUDA 13 is: each 25th, and with ONCHIP_LONG all.
source "$ONCHIP_SOURCE/test/test.bash"
PATH=$PATH:/usr/local/cuda/bin
grep -q 'release 13\.0' <<<"$(ptxas --version 2>&1)" || { echo "no ptxas of CUDA 13.0: skipped"; exit 77; }
every=25
[[ ${ONCHIP_LONG:-} ]] && every=1
python3 "$ONCHIP_SOURCE/tools/sass.py" "$ONCHIP_SOURCE/test/ptx/sass_facts.def" "$every" >"$work/out" ||
    complain "ptxas writes other code"
cat "$work/out"
exit $bad
