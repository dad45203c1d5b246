#!/bin/bash
# The programs of programs/, each for one of our headers. Those of numbers, which take longest, are in numbers.sh.
source "$ONCHIP_SOURCE/test/compile/program.bash"
for file in copies groups habits host_math saxpy texels wmma; do program "programs/$file"; done
checked copies
verdict
