#!/bin/bash
# Programs as users of CUDA write them, which use libraries of the toolkit, graphs and device code in several files.
# Each checks itself against the host, and prints how much is wrong. onchip cc builds them; in the long form nvcc, too,
# with the vendor's headers, where it is. They are executed, and timed with a small size.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
[[ -e $ONCHIP_BUILD/cuda/libcublas.so.12 && -e $ONCHIP_BUILD/cuda/libnvrtc.so.12 ]] || exit 77
source "$ONCHIP_SOURCE/test/nvcc.bash"
folder=$ONCHIP_SOURCE/test/projects
# name | small size | options of the compiler
list='
conjugate  | 5  | -lcusparse -lcublas
cholesky   | 4  | -lcusparse -lcublas
power      | 40 | -lcublas
pca        | 40 | -lcublas
systems    | 2  | -lcublas
blur       | 20 | -lcufft
poisson    | 9  | -lcufft
volume     | 5  | -lcufft
triangles  | 9  | -lcusparse
option     | 1024 | -lcurand
kmeans     | 200 | -rdc=true kmeans_two.cu
machine    | 64 | -rdc=true machine_two.cu
solids     | 8  | -rdc=true solids_two.cu solids_three.cu
calls      |    | -rdc=true calls_two.cu
relax      | 8  | -rdc=true -lcudadevrt
wave       | 40 |
branches   |    | -lcublas -lcufft -lcusparse
neighbours | 20 | -lcublas -lcusparse
stages     |    | -lcublas -lcufft -lcurand
workers    | 4  | -lcublas -lcufft -lpthread
joined     |    | -lnvrtc -lcuda
written    | 100 | -lnvrtc -lcuda
cell       | 1  | -lcublasLt
gpt2       | 1  | -lcublas -lcublasLt
'

# goes NAME OPTION…: the program runs, and nothing is wrong
goes() {
    "$ONCHIP" run "${@:2}" >"$work/out" 2>"$work/log" && [[ $(tail -n 1 "$work/out") == '0 wrong' ]] ||
        complain "$1: $(head -n 5 "$work/out") $(head -c 600 "$work/log")"
}

cd "$folder" || exit 1
while IFS='|' read -r name small options; do
    read -r name <<<"$name"
    [[ $name ]] && (($# == 0)) || [[ $name && " $* " == *" $name "* ]] || continue
    read -r small <<<"$small"
    # shellcheck disable=SC2086
    if "$ONCHIP" cc -std=c++17 -arch=sm_80 "$name.cu" $options -o "$work/$name" >"$work/log" 2>&1; then
        goes "$name" --functional --gpu a100 "$work/$name"
        goes "$name, timed" --gpu rtx2060 "$work/$name" ${small:+"$small"}
    else
        complain "$name: $(head -c 600 "$work/log")"
    fi
    [[ -x $nvcc && ${ONCHIP_LONG:-} ]] || continue
    for runtime in shared static; do
        # shellcheck disable=SC2086
        if "$nvcc" -std=c++17 -w -arch=sm_75 -cudart $runtime "$name.cu" $options -o "$work/$name" >"$work/log" 2>&1
        then
            goes "$name, nvcc, $runtime" --functional --gpu h200 "$work/$name"
        else
            complain "$name, nvcc: $(head -c 600 "$work/log")"
        fi
    done
done <<<"$list"
exit $bad
