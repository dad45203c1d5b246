#!/bin/bash
# Some of the programs of programs/ by later releases of clang, where they are installed.
source "$ONCHIP_SOURCE/test/compile/program.bash"
by() {  # COMPILER FILE …
    command -v "$1" >/dev/null || return
    for file in "${@:2}"; do program "programs/$file" -ccbin "$1"; done
}
by clang-16 groups habits
by clang-19 copies groups wmma
verdict
