#!/bin/bash
# Kernels that nvcc compiled: their names are shown as they are written in C++, and --kernel takes them so, or as the
# PTX has them. The parameters, which nvcc names after the kernel, are shown without it.
source test/cli/expect.bash

# kernel NAME CONSTANT: a kernel with a pointer, which writes the constant there, as nvcc would write it.
kernel() {
    cat <<PTX
.visible .entry $1(.param .u64 $1_param_0)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [$1_param_0];
    mov.u32 %r1, $2;
    st.global.u32 [%rd1], %r1;
    ret;
}
PTX
}
# scale(float*); blas::scale<float, 8>(float*) and blas::scale<double, -8>(double*); blas::sum(int*); and one without
# mangling.
scale=_Z5scalePf eight=_ZN4blas5scaleIfLi8EEEvPT_ minus=_ZN4blas5scaleIdLin8EEEvPT_ sum=_ZN4blas3sumEPi
{
    printf '.version 7.0\n.target sm_35\n.address_size 64\n'
    kernel $scale 1
    kernel $eight 2
    kernel $minus 3
    kernel $sum 4
    kernel plain 5
} >"$work/many.ptx"
one=("$work/many.ptx" --block 1 --arg buf:4 --dump param_0:u32)

chosen() { gives 0 "param_0: $1" "$3  grid" -- run "${one[@]}" --kernel "$2"; }
chosen 1 $scale 'scale(float*)'
chosen 1 'scale(float*)' 'scale(float*)'
chosen 1 'scale(float *)' 'scale(float*)'
chosen 2 $eight 'void blas::scale<float, 8>(float*)'
chosen 2 'void blas::scale<float, 8>(float*)' 'void blas::scale<float, 8>(float*)'
chosen 2 'blas::scale<float,8>' 'void blas::scale<float, 8>(float*)'
chosen 3 'blas::scale<double, -8>(double*)' 'void blas::scale<double, -8>(double*)'
chosen 4 sum 'blas::sum(int*)'
chosen 4 blas::sum 'blas::sum(int*)'
chosen 5 plain plain
gives 0 'param_0: 4' -- run "${one[@]}" --kernel sum --dump ${sum}_param_0:u32

# Names of several, of none.
gives 2 "5 kernels; choose one with --kernel:" $'\n  scale(float*)' $'\n  blas::sum(int*)' $'\n  plain' \
    -- run "${one[@]}"
gives 2 "3 kernels 'scale'; write which one in full:" $'\n  scale(float*)' 'blas::scale<float, 8>' \
    'blas::scale<double, -8>' -- run "${one[@]}" --kernel scale
lacks blas::sum
gives 2 "2 kernels 'blas::scale'" -- run "${one[@]}" --kernel blas::scale
gives 2 "no kernel 'plian'" "did you mean 'plain'?" $'\n  scale(float*)' -- run "${one[@]}" --kernel plian
gives 2 "no kernel 'blas::scael'" -- run "${one[@]}" --kernel blas::scael
gives 2 "no kernel 'sacle'" "did you mean 'scale'?" -- run "${one[@]}" --kernel sacle
gives 0 'blas::sum(int*)' -- run "${one[@]}" --kernel sum --sl1

# Elsewhere: the JSON has both, messages and the table have what is shown.
gives 0 '"name": "_ZN4blas3sumEPi"' '"demangled": "blas::sum(int*)"' '"param_0": "04000000"' \
    -- run "${one[@]}" --kernel sum --json
gives 0 '"name": "plain"' -- run "${one[@]}" --kernel plain --json
lacks demangled
gives 0 $'\n  param_0  ' -- run "${one[@]}" --kernel sum
gives 1 'kernel blas::sum(int*): write of 4 bytes through a null pointer' 'in blas::sum(int*) at' \
    "from parameter 'param_0'" -- run "$work/many.ptx" --kernel sum --arg u64:16
gives 2 'kernel blas::sum(int*) takes 1 argument; 0 were given' 'param_0 (.u64)' -- run "$work/many.ptx" --kernel sum
gives 2 "parameter 'param_0' has the PTX type .u64" -- run "$work/many.ptx" --kernel sum --arg f64:1
gives 2 "'blas::sum(int*)' needs 1048576 bytes of shared memory" -- run "${one[@]}" --kernel sum --smem 1MiB
gives 1 'kernel blas::sum(int*) was stopped' 'blas::sum(int*)  grid' -- run "${one[@]}" --kernel sum --max-cycles 1
gives 2 'the kernels are blas::sum(int*)' -- run "${one[@]}" --kernel sum --kernels nothing
for regex in '^blas::sum' '^_ZN4blas3sum'; do
    gives 0 cycles -- run "${one[@]}" --kernel sum --kernels "$regex"
done
gives 0 ".entry $sum" -- show ptx "$work/many.ptx" --kernel sum
lacks ".entry $scale"
gives 1 '1 failed' -- sweep --program "$work/many.ptx kernel=summ args=buf:4" --db "$work/runs.db"
gives 0 '0 failed' -- sweep --program "$work/many.ptx kernel=sum args=buf:4" --db "$work/runs.db"

# What nvcc itself makes, where it is.
if command -v nvcc >/dev/null; then
    cat >"$work/k.cu" <<'CUDA'
namespace blas { template <class T, int N> __global__ void scale(T *p) { *p = N; } }
template __global__ void blas::scale<unsigned, 7>(unsigned *);
static __global__ void other(int *p) { *p = 9; }
void *use() { return (void *)other; }
CUDA
    if nvcc -ptx "$work/k.cu" -o "$work/k.ptx" 2>/dev/null; then
        gives 0 'param_0: 7' 'void blas::scale<unsigned int, 7>(unsigned int*)' -- \
            run "$work/k.ptx" --block 1 --kernel scale --arg buf:4 --dump param_0:u32
    fi
fi
exit $bad
