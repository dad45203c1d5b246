#!/bin/bash
# -D and -I of onchip run and onchip show ptx: what the compiler of CUDA source is told, of a kernel and of a whole
# program; and what was compiled with other options isn't taken for it.
command -v clang-16 >/dev/null || command -v clang-14 >/dev/null || exit 77
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
mkdir include
echo '#define PLUS 100' >include/plus.h
cat >k.cu <<'END_OF_CUDA'
#include "plus.h"
__global__ void put(int *p) { p[threadIdx.x] = TIMES * (int)threadIdx.x + PLUS; }
END_OF_CUDA
# put OPTION…: the first three elements that the kernel writes
put() {
    "$ONCHIP" run k.cu "$@" --block 4 --arg buf:16 --dump p:u32 2>&1 | sed -n 's/^p: //p'
}
for times in 3 5; do
    want="100 $((100 + times)) $((100 + 2 * times)) $((100 + 3 * times))"
    for options in "-DTIMES=$times -Iinclude" "-D TIMES=$times -I include"; do
        got=$(put $options)
        [[ $got == "$want" ]] || complain "$options: '$got', not '$want'"
    done
done
told=$("$ONCHIP" run k.cu -Iinclude --arg buf:16 2>&1) && complain 'without -D it compiles'
grep -q "use of undeclared identifier 'TIMES'" <<<"$told" || complain "without -D: $told"
told=$("$ONCHIP" show ptx k.cu -DTIMES=77 -Iinclude 2>&1)
grep -q ', 77, ' <<<"$told" || complain "show ptx: $told"

cat >app.cu <<'END_OF_CUDA'
#include <cstdio>
__global__ void add(int *p) { *p += MORE; }
int main(int n, char **words)
{
    int *p, v = 1;
    cudaMalloc(&p, 4);
    cudaMemcpy(p, &v, 4, cudaMemcpyHostToDevice);
    add<<<1, 1>>>(p);
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %s\n", v, MORE, n > 1 ? words[1] : "");
}
END_OF_CUDA
# What stands behind the file is the program's.
got=$("$ONCHIP" run -DMORE=41 app.cu -DMORE=7 2>/dev/null)
[[ $got == '42 41 -DMORE=7' ]] || complain "a program: '$got'"

"$ONCHIP" show ptx saxpy >s.ptx
for what in s.ptx atax ./s.ptx; do
    told=$("$ONCHIP" run "$what" -DN=4 2>&1)
    [[ $? == 2 && $told == *"-DN=4 is for the compiler of CUDA source, a .cu file, which $what isn't"* ]] ||
        complain "$what: $told"
done
told=$("$ONCHIP" run k.cu -D 2>&1)
[[ $? == 2 && $told == *'-D needs a value: NAME[=TEXT]'* ]] || complain "-D alone: $told"
# A small letter's value isn't joined to it.
told=$("$ONCHIP" run k.cu -only 2>&1)
[[ $? == 2 && $told == *'unknown option -only'* ]] || complain "-only: $told"
exit $bad
