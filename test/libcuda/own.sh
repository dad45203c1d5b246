#!/bin/bash
# Programs that are compiled with onchip's cuda.h and linked with -lcuda, by g++ and by onchip cc, do what they do with
# a GPU; without `onchip run` they say that there is none.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] && command -v g++ >/dev/null || exit 77
clients=$ONCHIP_SOURCE/test/libcuda/clients
# compiles NAME COMPILER …: the client becomes a program, without a word.
compiles() {
    local name=$1
    shift
    now="$*: $name"
    "$@" "$clients/$name" -o "${name%.*}" -lcuda >log 2>&1 || complain "$(<log)"
    [[ ! -s log ]] || complain "$(<log)"
}
plus=(g++ -std=c++17 -O1 -Wall -Wextra -Werror -I "$ONCHIP_BUILD/cuda/include" -L "$ONCHIP_BUILD/cuda")

compiles wrapper.cpp "${plus[@]}"
for options in '--functional --gpu gtx480' '--gpu rtx2060' '--gpu h200'; do
    # shellcheck disable=SC2086
    run $options -- ./wrapper
    ends 0
    prints <<<'0 wrong'
    says "cuImportExternalMemory isn't there yet"
done
# With a stream of each thread, too.
compiles wrapper.cpp "${plus[@]}" -DCUDA_API_PER_THREAD_DEFAULT_STREAM
run --functional -- ./wrapper
ends 0
prints <<<'0 wrong'
now='alone'
LD_LIBRARY_PATH=$ONCHIP_BUILD/cuda ./wrapper >out 2>err && complain 'there should be no device'
[[ $(<out) == 'cuInit failed: no CUDA-capable device is detected' ]] || complain "$(<out)"

command -v clang >/dev/null || exit $bad
"$onchip" cc --fatbin "$clients/vector_add.cu" -o vector_add.fatbin || complain 'no fat binary'
compiles vector_add.cpp "${plus[@]}"
run --gpu rtx2060 -- ./vector_add vector_add.fatbin
ends 0
prints <<<'7.5, named: 0 wrong'
says 'vector_add  grid 20×1×1, block 256×1×1'
# onchip cc needs no folder, and takes C++, too.
compiles vector_add.cpp "$onchip" cc
run --functional --gpu h200 -- ./vector_add vector_add.fatbin
ends 0
prints <<<'9.0, named: 0 wrong'
compiles both.cu "$onchip" cc
for options in --functional '--gpu gtx480'; do
    # shellcheck disable=SC2086
    run $options -- ./both
    ends 0
    prints <<<'0 wrong'
    says 'twice(int*)  grid 1×1×1, block 32×1×1'
done
exit $bad
