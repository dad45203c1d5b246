#!/bin/bash
# Some of the programs of programs/ by later releases of clang, where they are installed.
source "$ONCHIP_SOURCE/test/compile/program.bash"
for clang in clang-16 clang-19; do
    command -v "$clang" >/dev/null || continue
    for file in copies groups habits saxpy wmma; do program "programs/$file" -ccbin "$clang"; done
done
verdict
