# library.bash: a program that checks a library of the toolkit's, built by onchip cc, and where nvcc is, by nvcc with
# the vendor's header and library too: both must agree with ours in their numbers and structures. It prints how much is
# wrong.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
source "$ONCHIP_SOURCE/test/nvcc.bash"

# right WHAT COMMAND …
right() {
    "${@:2}" >"$work/out" 2>"$work/log" && [[ $(tail -n 1 "$work/out") == '0 wrong' ]] ||
        complain "$1: $(head -n 5 "$work/out") $(head -c 300 "$work/log")"
}

# library FILE NAME MANY [OPTION …]: the program with so many cases, executed, and with a few, timed and checked
library() {
    local source=$ONCHIP_SOURCE/test/toolkit/$1.cu
    if "$ONCHIP" cc -arch=sm_80 "${@:4}" "$source" "-l$2" -o "$work/$1" >"$work/log" 2>&1; then
        right "$1" "$ONCHIP" run --functional --gpu a100 "$work/$1" "$3"
        right "$1, timed" "$ONCHIP" run --check --gpu rtx2060 "$work/$1" 2
    else
        complain "$1: $(head -c 600 "$work/log")"
    fi
    [[ -e $toolkit/lib64/lib$2.so ]] || return
    if "$nvcc" -std=c++17 -w -arch=sm_80 "${@:4}" "$source" "-l$2" -o "$work/$1.nvcc" >"$work/log" 2>&1; then
        right "$1, by nvcc" "$ONCHIP" run --functional --gpu a100 "$work/$1.nvcc" 3
    else
        complain "$1, by nvcc: $(head -c 600 "$work/log")"
    fi
}

# Ends the script.
verdict() { exit "$bad"; }
