#!/bin/bash
# cuda.h compiles as C, C++ and CUDA source, alone and beside the runtime's header; its sizes and numbers are the API's
# (sizes.c); libcuda.so.1 has what it declares, with parameters that are passed alike; and it declares what the library
# does (names.def).
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
include=$ONCHIP_BUILD/cuda/include
per_thread=-DCUDA_API_PER_THREAD_DEFAULT_STREAM
printf '#include <%s>\n' cuda.h cudaProfiler.h >alone.c
# Both have a stream, an event, a kernel and an identity in common, and nothing twice.
cat >beside.c <<'C'
#include <cuda_runtime_api.h>
#include <cuda.h>
CUstream stream_of(cudaStream_t s) { return s; }
CUevent event_of(cudaEvent_t e) { return e; }
CUfunction function_of(cudaFunction_t f) { return f; }
CUgraphExec graph_of(cudaGraphExec_t g) { return g; }
CUuuid uuid_of(cudaUUID_t u) { return u; }
C
# The driver's header brings nothing of the runtime's: a program may have such names itself. Nor do its macros matter.
cat >own.c <<'C'
#define ERROR(x) x
#define N 5
#define OWN 6
#include <cuda.h>
struct dim3 { int x; };
enum { cudaSuccess = ERROR(N) + OWN };
int sum(struct dim3 d) { return d.x + cudaSuccess; }
C
cp "$ONCHIP_SOURCE/test/libcuda/sizes.c" .
for compiler in gcc clang clang-19; do
    plus=${compiler/gcc/g}++
    [[ $compiler != clang* ]] || plus=${compiler/clang/clang++}
    command -v "$compiler" >/dev/null && command -v "$plus" >/dev/null || continue
    for file in alone beside own sizes; do
        for form in -DPLAIN "$per_thread"; do
            now="$compiler, $file.c, $form"
            options=(-Wall -Wextra -Werror "$form" -I "$include" -c "$file.c")
            "$compiler" -std=c11 -Wstrict-prototypes -Wpedantic "${options[@]}" || complain 'as C it does not compile'
            "$plus" -x c++ -std=c++17 "${options[@]}" || complain 'as C++ it does not compile'
        done
    done
done
if command -v clang >/dev/null; then
    for file in alone beside sizes; do
        cp $file.c $file.cu
        now="onchip cc $file.cu"
        "$onchip" cc -Xcompiler -Wall,-Wextra,-Werror -c $file.cu || complain 'as CUDA source it does not compile'
    done
fi

# --- what is declared, and what is there ------------------------------------------------------------------------------
# declared OPTION …: the symbols.
declared() {
    gcc -E -P "$@" -I "$include" alone.c | grep -oE '\bCUresult cu[A-Za-z0-9_]+\(' | grep -oE 'cu[A-Z]\w+' | sort -u
}
now='functions of cuda.h'
declared >plain
declared "$per_thread" >threads
(($(wc -l <plain) > 350)) || complain "only $(wc -l <plain) are declared"
sort -u plain threads >all
nm -D --defined-only "$ONCHIP_BUILD/cuda/libcuda.so.1" | awk '{ print $NF }' | sort >there
nowhere=$(comm -23 all there)
[[ -z $nowhere ]] || complain "not in the library: $nowhere"
# What the names meant before CUDA 3.2, 4, 6.5, 11 and 12: nobody compiles for them any more.
old='cuCtxCreate cuCtxDestroy cuCtxPopCurrent cuCtxPushCurrent cuDevicePrimaryCtxRelease cuDevicePrimaryCtxReset
    cuDevicePrimaryCtxSetFlags cuDeviceTotalMem cuEventDestroy cuGetProcAddress cuGraphAddKernelNode
    cuGraphExecKernelNodeSetParams cuGraphExecUpdate cuGraphInstantiate cuGraphInstantiate_v2
    cuGraphKernelNodeGetParams cuGraphKernelNodeSetParams cuIpcOpenMemHandle cuLinkAddData cuLinkAddFile cuLinkCreate
    cuMemAllocHost cuMemHostRegister cuStreamBatchMemOp cuStreamBatchMemOp_ptsz cuStreamBeginCapture
    cuStreamBeginCapture_ptsz cuStreamDestroy cuStreamGetCaptureInfo cuStreamGetCaptureInfo_ptsz cuStreamWaitValue32
    cuStreamWaitValue32_ptsz cuStreamWaitValue64 cuStreamWaitValue64_ptsz cuStreamWriteValue32
    cuStreamWriteValue32_ptsz cuStreamWriteValue64 cuStreamWriteValue64_ptsz cuTexRefSetAddress2D_v2'
sed -nE 's/^DONE\((cu\w+),.*/\1/p' "$ONCHIP_SOURCE/src/driver/names.def" | sort >does
differs=$(comm -23 does all | diff <(tr -s ' ' '\n' <<<"$old" | sort) -) ||
    complain "not declared (>), or not old (<): $differs"
# With a stream of each thread those that have such a form mean it.
differs=$(grep -E '_pt[sd][sz]$' threads | sed -E 's/_pt[sd][sz]$//' | sort | diff - <(comm -23 plain threads)) ||
    complain "one form alone: $differs"

# --- how parameters are passed: as clang says, of the header and of the library's source ------------------------------
# NAME TYPE …: of declarations or definitions of LLVM's intermediate form.
shapes() {
    sed -nE "s/^$1 .*@(cu[A-Z][A-Za-z0-9_]*)\((.*)\).*/\1, \2/p" | sed -E '
        s/ byval\([^()]*\)/ byval/g; s/, (%[^, ]*|\[[^]]*\]|i8|i64|i32|ptr)\*+/, ptr/g
        s/ (noundef|signext|zeroext|nonnull|align [0-9]+)//g; s/ %[0-9][a-z0-9.]*//g' | sort -u
}
if command -v clang >/dev/null; then
    now='parameters of cuda.h'
    for form in plain threads; do
        option=-DPLAIN
        [[ $form == plain ]] || option=$per_thread
        { cat alone.c && echo 'void *const all[] = {' && sed 's/.*/(void *)&,/' $form && echo '};'; } >uses.c
        clang -w "$option" -I "$include" -S -emit-llvm -o - uses.c
    done | shapes declare >header
    options=(-w -std=gnu17 -D_GNU_SOURCE -DONCHIP_VERSION='""' -I "$ONCHIP_SOURCE/src" -I "$ONCHIP_SOURCE/include")
    for source in "$ONCHIP_SOURCE"/src/libcuda/*.c; do
        [[ $source == */missing.c ]] || clang "${options[@]}" -S -emit-llvm -o - "$source"
    done | shapes define >library
    join -t, -o 1.1 header library >both
    (($(wc -l <both) > 280)) || complain "only $(wc -l <both) are compared"
    differs=$(diff <(join -t, both header) <(join -t, both library)) ||
        complain "passed otherwise (<: cuda.h, >: the library): $differs"
fi
exit $bad
