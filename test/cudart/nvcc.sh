#!/bin/bash
# Programs in data/ as nvcc builds them, for two targets and packed in each way: with data/x.out, that is what x.cu
# prints; without, it prints what it prints with CUDA's own library. Skipped where nvcc isn't. In the short form one
# program is built, with two targets' PTX, compressed; and with the runtime inside.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
source "$ONCHIP_SOURCE/test/nvcc.bash"
[[ -x $nvcc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
data=$ONCHIP_SOURCE/test/cudart/data
own=$toolkit/lib64

# build NAME OPTION …: data/NAME.cu
build() {
    now="nvcc ${*:2} $1.cu"
    "$nvcc" -O2 "${@:2}" "$data/$1.cu" -o "$1" >log 2>&1 || complain "$(<log)"
}
if [[ ${ONCHIP_LONG:-} ]]; then
    build properties -cudart shared
    run --gpu h200 ./properties
    prints <"$data/properties.out"
    build errors -cudart shared
    now='errors with the own library'
    LD_LIBRARY_PATH=$own ./errors >own.out || complain 'it fails'
    (($(grep -c ' cudaError' own.out) > 100)) || complain "$(head own.out)"
    run ./errors
    prints <own.out
fi

while read -r options; do
    [[ ${ONCHIP_LONG:-} || $options == *speed ]] || continue
    # shellcheck disable=SC2086
    build basics -cudart shared $options
    run --gpu h200 ./basics 'a b'
    ends 2
    prints <"$data/basics.out"
done <<'END'
-arch=sm_75
-gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=compute_90 -compress-mode=speed
-arch=sm_90 -Xfatbin -compress=false
END
says 'scale<double>(double*, int, double) grid 40×1×1, block 128×1×1' 'raise(int)' 'insist(int): ' 'value == 1'

# What can't be run is told, with what would help.
if [[ ${ONCHIP_LONG:-} ]]; then
    build basics -cudart shared -gencode arch=compute_75,code=sm_75
    run ./basics
    ends 99
    says "device code can't be used: it is machine code alone" 'compute_75'
fi

# With the runtime inside of the program, as nvcc links unless it is told otherwise; not once that is stripped.
if [[ ${ONCHIP_LONG:-} ]]; then
    build errors
    run ./errors
    prints <own.out
fi
build basics -arch=sm_75
run --gpu h200 ./basics 'a b'
ends 2
prints <"$data/basics.out"
strip basics
run ./basics
says "isn't stripped" 'nvcc -cudart shared'
exit $bad
