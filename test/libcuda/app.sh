#!/bin/bash
# Programs of the driver (app.c, and with the runtime both.c) do what the CUDA Driver API reference says, executed alone
# and timed on GPUs of several ages; a command is looked up in PATH, and may be a script.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # each wants to be the first of all libraries
now=cc
for name in app both; do
    cc -std=gnu17 -O1 -Wall -Wextra -Werror "$ONCHIP_SOURCE/test/libcuda/$name.c" -o $name -pthread \
        -I "$ONCHIP_BUILD/cuda/include" -L "$ONCHIP_BUILD/cuda" -lcuda "$ONCHIP_BUILD/cuda/libcudart.so.12" || exit 1
done
parts='launches modules logs links contexts memory addresses copies textures streams names faults strangers gives'
for options in '--functional --gpu rtx2060' '--gpu gtx480' '--gpu titan_v' '--gpu h200'; do
    for part in $parts; do
        # shellcheck disable=SC2086
        run $options -- ./app $part
        ends 0
        [[ $(sort -u out) == '0 wrong' ]] || complain "$(<out)"
        case $part in
        names) [[ $(grep -c "cuImportExternalMemory isn't there yet" err) == 1 ]] || complain "$err" ;;
        faults) says 'kernel axpy: read of 4 bytes through a null pointer' ;;
        launches) says 'axpy  grid 8×1×1, block 128×1×1' ;;
        esac
    done
    # shellcheck disable=SC2086
    run $options -- ./both
    ends 0
    prints <<<'0 wrong'
    # shellcheck disable=SC2086
    run $options -- ./both without
    ends 0
    prints <<<'0 wrong'
done

# A program that ends at once leaves a report of what it has launched.
run --functional -- ./app dies
ends 137
says 'was ended by signal 9' '100 launches summed'

# What wants a real GPU refuses this one.
run --functional -- "$onchip" probe --device cuda:0
[[ $status != 0 ]] || complain 'a probe of a simulated driver should fail'
says "onchip's own, which simulates a GPU"
cat >opens.c <<'C'
#include <dlfcn.h>
static void *library;
static int call(const char *name, void *a, const void *b) { return ((int (*)())dlsym(library, name))(a, b, 0); }
int main(void)
{
    static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }";
    void *context, *module;
    library = dlopen("libcuda.so", RTLD_NOW);
    return call("cuInit", 0, 0) || call("cuCtxCreate_v2", &context, 0) || call("cuModuleLoadData", &module, ptx);
}
C
cc -std=gnu17 -w opens.c -o opens || complain 'cc failed'
ONCHIP_SL1_LOG=stderr LD_PRELOAD=$ONCHIP_BUILD/libonchip-sl1.so run --functional -- ./opens
ends 0
says "the driver is onchip's own" 'nothing is rewritten here'

# A program that maps memory before its first call doesn't get the device's place.
cat >early.c <<'C'
#define _GNU_SOURCE
#include <cuda.h>
#include <sys/mman.h>
int main(void)
{
    CUcontext c;
    CUdeviceptr p;
    void *at = mmap((void *)0x240000000, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == (void *)0x240000000) return 1;
    return cuInit(0) || cuDevicePrimaryCtxRetain(&c, 0) || cuCtxSetCurrent(c) || cuMemAlloc(&p, 1 << 20);
}
C
cc -std=gnu17 -Wall -Werror -I "$ONCHIP_BUILD/cuda/include" early.c -o early "$ONCHIP_BUILD/cuda/libcuda.so.1" ||
    complain 'cc failed'
run --functional --gpu titan_v -- ./early
ends 0

# A command of PATH, a script, and what isn't there.
mkdir bin
printf '#!/bin/sh\n%s/app "$@"\nexit 5\n' "$PWD" >bin/starts
chmod +x bin/starts
PATH=$PWD/bin:$PATH run --functional -- starts launches
ends 5
prints <<<'0 wrong'
run -- ./nothing
ends 2
says "there is no command './nothing'"
run --
ends 2
says 'run what?'
exit $bad
