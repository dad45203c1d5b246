#!/bin/bash
# CUDA's runtime, linked statically and not, gets the driver's functions through us: everything that it asks for, asked
# again in the same words, is ours where we have it. Further the stand-in can't lead it, which before it takes a driver
# wants to be shown that it is NVIDIA's. The short form has the one that is linked statically, as nvcc does it by
# itself. (LD_LIBRARY_PATH has the stand-in.)
set -euo pipefail
library=$ONCHIP_BUILD/libonchip-sl1.so
source "$ONCHIP_SOURCE/test/nvcc.bash"
[[ -e $library && -x $nvcc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >runtime.cu <<'C'
#include <cstdio>
__global__ void add(unsigned char *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++) p[threadIdx.x * n + i]++;
}
int main()
{
    unsigned char *p;
    if (cudaMalloc(&p, 4096)) return puts("no driver"), 0;
    add<<<1, 64>>>(p, 64);
    return cudaDeviceSynchronize();
}
C
# Lines of NAME VERSION FLAGS: where what cuGetProcAddress gives out lies.
cat >ask.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    int (*proc)(const char *, void **, int, uint64_t, int *), version, status;
    unsigned long long flags;
    char name[100];
    *(void **)&proc = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
    while (scanf("%99s %d %llu %*s", name, &version, &flags) == 3) {
        Dl_info where = {0};
        void *f = NULL;
        proc(name, &f, version, flags, &status);
        if (f && dladdr(f, &where)) printf("%s %llu %s\n", name, flags, strrchr(where.dli_fname, '/') + 1);
    }
    return 0;
}
C
cc -Wall ask.c -o ask -ldl
nm -D --defined-only "$library" | awk '$3 ~ /^cu/ { sub(/_v2$|_ptsz$/, "", $3); print $3 }' | sort -u >ours
bad=0
declare -A is_ours=()
while read -r name; do is_ours[$name]=1; done <ours
for how in static ${ONCHIP_LONG:+shared}; do
    "$nvcc" -cudart $how -Xlinker -rpath -Xlinker "$toolkit/lib64" runtime.cu -o runtime
    rm -f asked
    STAND_IN_ASKED=$PWD/asked LD_PRELOAD=$library ./runtime >out || true
    [[ $(sort -u asked | wc -l) -gt 100 ]] || { echo "$how: it asks for little"; bad=1; }
    ! grep -v ' libonchip-sl1.so$' asked || { echo "$how: these it asks the driver itself"; bad=1; }
    sort -u asked | grep -v '^ ' >words  # one name is empty
    LD_PRELOAD=$library ./ask <words | sort -u >given
    while read -r name flags where; do
        expected=libcuda.so.1
        [[ ! ${is_ours[$name]:-} ]] || expected=libonchip-sl1.so
        [[ $where == "$expected" ]] || { echo "$how: $name with flags $flags is $where's"; bad=1; }
    done <given
    for name in cuLibraryLoadData cuLibraryGetKernel cuKernelGetFunction cuLaunchKernel cuLaunchKernelEx \
        cuGetProcAddress; do
        grep -q "^$name 0 libonchip-sl1.so" given || { echo "$how: it doesn't ask for $name"; bad=1; }
    done
    for name in cuLaunchKernel cuLaunchKernelEx; do
        grep -q "^$name 2 libonchip-sl1.so" given ||
            { echo "$how: it doesn't ask for $name of a thread's own stream"; bad=1; }
    done
done >&2
exit $bad
