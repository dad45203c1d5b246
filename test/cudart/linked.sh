#!/bin/bash
# Programs whose device code is in parts (nvcc -rdc=true): linked.c, made as nvcc makes one; and, where nvcc is,
# programs that it makes itself.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
now=cc
cc -std=gnu17 -g -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/cudart/linked.c" -o linked \
    "$ONCHIP_BUILD/cuda/libcudart.so.13" || exit 1
for options in '' '--functional --gpu h200'; do
    # shellcheck disable=SC2086
    run $options ./linked
    ends 0
    # ka: 2·10·i + 1; counter: 5 and one for each of ka and kb; own of the second part: 3 + 1000. 98: no such kernel.
    prints <<'END'
table 0
ka 0
1 21 41 61 81 101 121 141
kb 0
7 1003
same 0
77
lost 98
launches 801
counter 7
END
    says "object 3 of the program's device code is left out, and its kernels are missing: it is machine code alone" \
        "kernel launches can't be run" "it calls '__cudaCDP2GetParameterBufferV2'" "kernels can't launch others"
done
run --functional ./linked twice
says "Multiple definition of 'twice' in 'b.cu', first defined in 'object 2'"

source "$ONCHIP_SOURCE/test/nvcc.bash"
[[ -x $nvcc ]] || exit $bad
build() { # NAME OPTION …: of data/parts_a.cu and parts_b.cu
    now="nvcc ${*:2}"
    "$nvcc" -std=c++17 -w -dc "${@:2}" "$ONCHIP_SOURCE"/test/cudart/data/parts_{a,b}.cu >log 2>&1 || complain "$(<log)"
    "$nvcc" "${@:2}" "${link[@]}" parts_a.o parts_b.o -o "$1" >log 2>&1 || complain "$(<log)"
}
try() { # NAME OPTION …
    build "$@"
    run --functional --gpu h200 "./$1"
    ends 0
    prints <"$ONCHIP_SOURCE/test/cudart/data/parts.out"
}
link=()
try static -arch=sm_75
try shared -arch=sm_75 -cudart shared
if [[ ${ONCHIP_LONG:-} ]]; then
    try virtual -gencode arch=compute_75,code=compute_75
    try debug -G -arch=sm_75
    try several -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=compute_90 -lineinfo
fi
exit $bad
