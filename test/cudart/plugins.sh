#!/bin/bash
# A shared library with CUDA's runtime inside of it, as nvcc -shared links it: app.c, with functions of the runtime's
# names that only return an error. It is linked, or opened while the program runs, several times. The program itself
# knows nothing of CUDA. In the long form nvcc makes such a library.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
card=gtx480
[[ -z ${ONCHIP_SANITIZED:-} && $(uname -m) == x86_64 ]] || exit 77
now=cc
unset LD_PRELOAD  # one of the tests' own
cat >linked.c <<'C'
int app(int argc, char **argv);
int main(int argc, char **argv) { return app(argc, argv); }
C
cat >opened.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// Opens each library so many times, and calls app in it.
int main(int argc, char **argv)
{
    int status = 98;
    for (int k = 0; k < atoi(argv[1]); k++)
        for (int l = 3; l < argc; l++) {
            void *library = dlopen(argv[l], RTLD_NOW);
            int (*app)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "app") : NULL;
            if (!app) return puts(dlerror()), 97;
            status = app(2, (char *[]){argv[l], argv[2], NULL});
            dlclose(library);
        }
    return status;
}
C
# A constructor of nvcc's has such a name.
registers=$(sed -n 's/.*constructor.* void \(.*\)(void).*/\1/p' "$ONCHIP_SOURCE/test/cudart/app.c")
cc -std=gnu17 -fPIC -Dmain=app -D"$registers=_ZL24__sti____cudaRegisterAllv" \
    -c "$ONCHIP_SOURCE/test/cudart/app.c" -o app.o || exit 1
mapfile -t functions < <({ nm -u app.o | sed -n 's/^ *U \(_*cuda[A-Z].*\)/\1/p'; echo cudaLaunchKernel; } | sort -u)
{
    for function in "${functions[@]}"; do
        printf '.globl %s\n.hidden %s\n.type %s, @function\n%s: ' "$function" "$function" "$function" "$function"
        printf 'mov $35, %%eax\nret\n.skip 30, 0x90\n.size %s, . - %s\n' "$function" "$function"
    done
    echo '.section .note.GNU-stack, "", @progbits'
} >runtime.s
cc -shared app.o runtime.s -o libapp.so && cp libapp.so libother.so || complain 'it should be linked'
cc linked.c ./libapp.so -o linked && cc opened.c -o opened || complain 'it should be linked'

run ./linked fill
ends 7
prints <<<'0 wrong'
says './linked fill on gtx480' 'fill grid 16×1×1, block 64×1×1'
run ./opened 1 fill ./libapp.so
ends 7
prints <<<'0 wrong'
run ./opened 3 fill ./libapp.so ./libother.so
ends 7
prints < <(for _ in {1..6}; do echo '0 wrong'; done)
says '6 launches summed'

# As nvcc -rdc=true links one: the parts' constructors count themselves, and the last one registers for both. The list
# of the parts has no room for a third.
sed "s/.*constructor.* void $registers(void)/void $registers(void)/" "$ONCHIP_SOURCE/test/cudart/app.c" >parts_app.c
cat >parts.c <<C
#include <stdlib.h>
void $registers(void);
static int count __asm__("_ZZL26__cudaRegisterLinkedBinaryPKvE3__i");
static void *parts[2];
static void finished(void) {}
static void part(void)
{
    if (count >= 2) abort();
    parts[count++] = parts;
    if (count < 2) return;
    $registers();
    atexit(finished);
}
static __attribute__((constructor)) void one(void) __asm__("_ZL24__sti____cudaRegisterAllv");
static __attribute__((constructor)) void two(void) __asm__("_ZL24__sti____cudaRegisterAllv.two");
static __attribute__((constructor)) void one(void) { part(); }
static __attribute__((constructor)) void two(void) { part(); }
C
cc -std=gnu17 -fPIC -Dmain=app -I "$ONCHIP_SOURCE/test/cudart" -shared parts_app.c parts.c runtime.s -o libparts.so &&
    cc linked.c ./libparts.so -o with || complain 'it should be linked'
run ./with fill
ends 7
prints <<<'0 wrong'
run ./opened 2 fill ./libparts.so
ends 7
prints < <(echo '0 wrong'; echo '0 wrong')

# Without onchip the library is as it was.
now='./opened by itself'
status=0
./opened 1 fill ./libapp.so >out 2>err || status=$?
((status != 7)) || complain 'it finds a GPU'

# What is stripped is told.
objcopy --rename-section .data=.nvFatBinSegment app.o with.o && cc -shared with.o runtime.s -o libapp.so
strip libapp.so
run ./opened 1 fill ./libapp.so
says 'libapp.so is stripped' 'nvcc -cudart shared'

source "$ONCHIP_SOURCE/test/nvcc.bash"
if [[ ${ONCHIP_LONG:-} && -x $nvcc ]]; then
    now="nvcc -shared"
    cat >kernel.cu <<'C'
#include <cstdio>
__global__ void add(int *p) { p[threadIdx.x] += threadIdx.x; }
extern "C" int app(int, char **)
{
    int *d, h[32];
    cudaMalloc(&d, 128);
    cudaMemset(d, 0, 128);
    add<<<1, 32>>>(d);
    cudaError_t e = cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[7], cudaGetErrorString(e));
    return e;
}
C
    "$nvcc" -arch=sm_75 -shared -Xcompiler -fPIC kernel.cu -o libapp.so || complain 'it should be built'
    run ./linked
    ends 0
    prints <<<'7 no error'
    run ./opened 2 - ./libapp.so
    ends 0
    prints < <(echo '7 no error'; echo '7 no error')
    now="nvcc -rdc=true -shared"
    sed 's/+= threadIdx.x/+= of(threadIdx.x)/; 1a __device__ int of(int);' kernel.cu >first.cu
    echo '__device__ int of(int x) { return x; }' >second.cu
    "$nvcc" -arch=sm_75 -rdc=true -shared -Xcompiler -fPIC first.cu second.cu -o libapp.so ||
        complain 'it should be built'
    run ./linked
    ends 0
    prints <<<'7 no error'
    run ./opened 2 - ./libapp.so
    ends 0
    prints < <(echo '7 no error'; echo '7 no error')
fi
exit $bad
