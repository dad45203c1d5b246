#!/bin/bash
# Parameters that nvcc has numbered have the source's names, where the PTX's lines lead to it; else a hint says how they
# get names. The PTX is written here as nvcc -lineinfo writes it.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
# ptx LINE KERNEL: k.ptx, whose kernel reads its third parameter and writes its fourth; its first line is LINE of k.cu
ptx() {
    cat >k.ptx <<END_OF_PTX
.version 7.0
.target sm_70
.address_size 64
.visible .entry $2(.param .u32 $2_param_0, .param .f32 $2_param_1, .param .u64 $2_param_2, .param .u64 $2_param_3)
{
    .reg .b32 %r<3>; .reg .b64 %rd<4>;
    .loc 1 $1 0
    ld.param.u64 %rd1, [$2_param_2]; ld.param.u64 %rd2, [$2_param_3];
    ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1;
    ret;
}
.file 1 "$work/k.cu"
END_OF_PTX
}
# arrays NAME NAME: these are the names of the arrays
arrays() {
    out=$("$ONCHIP" run k.ptx --arg i32:1 --arg f32:1 --arg buf:4 --arg buf:4 2>&1)
    names=$(sed -n '/^  structure /,/^$/p' <<<"$out" | awk 'NR > 1 && NF { print $1 }' | tr '\n' ' ')
    [[ $names == "$1 $2 " ]] || complain "the arrays are '$names', not $1 and $2: $out"
}
saxpy=_Z5saxpyifPKfPf
cat >k.cu <<'END_OF_CUDA'
// saxpy(int other, float b, const float *c, float *d) { of a comment
__global__ void other(int n, float a, const float *u, float *v) { }
/* saxpy(1, 2, 3, 4) { */
__global__ void __launch_bounds__(256) saxpy(int n, float a = f(1, 2), // the first, of two
                      const float *__restrict__ in /* , z */,
                      float (out)[4])
{
    int saxpy_n = n;
}
__global__ void saxpy(int declared, float without, const float *its, float *body);
template <typename T> __global__ void saxpy(T t, int n, T *x) { }
__global__ void saxpy(int, float, const float *, float *y)
{
}
__global__ void saxpy(int n, float a, const float *n, float *y) { }
END_OF_CUDA
ptx 8 $saxpy
arrays in out
ptx 10 $saxpy
arrays in out
grep -q 'param_N' <<<"$out" && complain "there is a hint though all have names"
# The nearest head above the line counts; one with other parameters, none for a parameter, or one name twice is no use.
for line in 11 13 15; do
    ptx $line $saxpy
    arrays param_2 param_3
    grep -q '^param_N .*a parameter by its place, from 0 on: --name' <<<"$(tr '\n' ' ' <<<"$out" | sed 's/  */ /g;
        s/.*param_N/\nparam_N/')" || complain "line $line: no hint: $out"
done
ptx 2 $saxpy  # above its head, there is only a comment
arrays param_2 param_3
ptx 7 plain   # another kernel
arrays param_2 param_3
# A source that isn't there, isn't text or never closes its parentheses gives no names, and takes no time.
rm k.cu
ptx 7 $saxpy
arrays param_2 param_3
head -c 3000000 /dev/zero >k.cu
arrays param_2 param_3
yes 'saxpy(saxpy(' | head -c 12000000 | tr -d '\n' >k.cu
ptx 1 $saxpy
arrays param_2 param_3
ln -sf /dev/zero k.cu
arrays param_2 param_3
exit $bad
