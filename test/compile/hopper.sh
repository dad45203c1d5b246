#!/bin/bash
# The programs of sm_90/, each for what only sm_90 has, by clang 19.
source "$ONCHIP_SOURCE/test/compile/program.bash"
command -v clang-19 >/dev/null || exit 77
arch=sm_90 gpu=h200
program sm_90/cluster_groups -ccbin clang-19
library cuda/std/atomic sm_90/bulk -ccbin clang-19
checked cluster_groups
checked bulk
verdict
