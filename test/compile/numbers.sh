#!/bin/bash
# The programs of programs/ that try numbers: those of 8 and 16 bits, and random ones.
source "$ONCHIP_SOURCE/test/compile/program.bash"
for file in eight narrow random; do program "programs/$file"; done
verdict
