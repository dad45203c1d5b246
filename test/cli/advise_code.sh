#!/bin/bash
# What the kernels' text shows: neighbouring loads of a thread, copies to shared memory through a register, and what no
# run can try. What advise says of a change that it runs is what the cured source takes, within 10 %.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1
command -v clang >/dev/null || command -v clang-14 >/dev/null || { echo "no clang: skipped"; exit 77; }

# all FILE OPTION …: the cycles of all launches that onchip run has.
all() { "$onchip" run --gpu gtx480 "$@" --json | jq '[.kernels[].cycles] | add'; }

# A thread's four neighbouring loads: with float4 it takes what was said, and leaves the same.
cat >four.cu <<'CU'
__global__ void four(const float *x, float *y)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) sum += x[at * 4 + k];
    y[at] = sum;
}
CU
cat >four_cured.cu <<'CU'
__global__ void four(const float4 *x, float *y)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[at];
    y[at] = 0 + v.x + v.y + v.z + v.w;
}
CU
four=(--grid 272 --block 128 --arg buf:1MiB:rand:f32 --arg buf:256KiB)
run advise four.cu "${four[@]}" --db advise.db --budget 0 --json
base=$(jq .base.cycles <<<"$out")
said=$(jq '.trials[] | select((.changes | length) == 1 and .changes[0].kind == "vector loads")' <<<"$out")
[[ $(jq -r '.changes[0].write' <<<"$said") == 'const float4 v = *(const float4 *)&x[…], at four.cu:6 '* ]] ||
    complain "vectors: what to write: $said"
said=$(jq .cycles <<<"$said") got=$(all four_cured.cu "${four[@]}")
((said > 0 && got * 100 > said * 90 && got * 100 < said * 110 && got * 100 < base * 99)) ||
    complain "vectors: said $base/$said cycles, and it is $base/$got"
for set in no yes; do gives 0 -- run four.cu "${four[@]}" --set sm.vectors=$set --dump "y:@$set.bin"; done
cmp -s no.bin yes.bin || complain "sm.vectors gives another result"
# From a pointer that isn't a multiple of 16 it can't be run.
printf '[buffers]\nx = 1MiB\ny = 256KiB\n[launch four]\ngrid = 8\nblock = 128\nargs = &x+4 &y\n' >four.args
run advise four.cu @four.args --db advise.db --budget 0 --json
said=$(jq -c '.trials[] | select(.changes[0].kind == "vector loads")' <<<"$out")
[[ $(jq -r .error <<<"$said") == *'not aligned to 16 bytes'* ]] || complain "vectors at no multiple of 16: $said"
# What no run can try: blocks of a warp, of which an SM of 8.6 holds 16, with room for 48 warps; and a load that a store
# makes anew, unless the pointers are __restrict__. Of an argument file and of a program.
cat >again.cu <<'CU'
#define QUALIFIER
__global__ void again(const float *QUALIFIER a, float *QUALIFIER y, float *QUALIFIER z)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    y[at] = a[at] * 2;
    z[at] = a[at] * 3;
}
int main()
{
    float *a, *y, *z;
    cudaMalloc(&a, 1 << 20), cudaMalloc(&y, 1 << 20), cudaMalloc(&z, 1 << 20);
    again<<<600, 32>>>(a, y, z);
    return cudaDeviceSynchronize();
}
CU
sed 's/QUALIFIER$/QUALIFIER __restrict__/' again.cu >again_cured.cu
printf '[buffers]\na = 1MiB\ny = 1MiB\nz = 1MiB\n[launch again]\ngrid = 600\nblock = 32\nargs = &a &y &z\n' >again.args
blocks='not run blocks of 128 threads instead of 32 for again'
room='an SM would have room for up to 48 warps instead of 16'
gives 0 "$blocks" "$room" 'a is loaded again at again.cu:6' 'declare the pointers const … __restrict__' -- \
    advise again.cu @again.args --gpu rtx3080 --db advise.db --budget 0
gives 0 "$blocks" -- advise again_cured.cu @again.args --gpu rtx3080 --db advise.db --budget 0
lacks 'is loaded again'
gives 0 -- cc again.cu -o again
gives 0 "$blocks" "$room" 'is loaded again' -- advise --gpu rtx3080 --db advise.db --budget 0 ./again
sed 's/^block.*/block = 128/; s/^grid.*/grid = 150/' again.args >wide.args
gives 0 'gain' -- advise again_cured.cu @wide.args --gpu rtx3080 --db advise.db --budget 0
lacks 'not run'
# A tile that is filled through registers, and by cp.async: the same result, in the time that was said.
cat >tile.cu <<'CU'
#define COPY(to, from) (*(to) = *(from))
#define WAIT()
__global__ void tile(const float *x, float *y)
{
    __shared__ float t[2048];
    int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 16; k++) COPY(&t[k * 128 + threadIdx.x], &x[at + k * 34816]);
    WAIT();
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 16; k++) sum += t[k * 128 + 127 - threadIdx.x];
    y[at] = sum;
}
CU
sed -e '1c #include <cuda_pipeline.h>\n#define COPY(to, from) __pipeline_memcpy_async(to, from, 4)' \
    -e '2c #define WAIT() (__pipeline_commit(), __pipeline_wait_prior(0))' tile.cu >tile_cured.cu
tile=(--gpu rtx3080 --grid 272 --block 128 --arg buf:4MiB:rand:f32 --arg buf:256KiB)
run advise tile.cu "${tile[@]}" --db advise.db --budget 0 --json
base=$(jq .base.cycles <<<"$out")
said=$(jq '.trials[] | select((.changes | length) == 1 and .changes[0].kind == "cp.async")' <<<"$out")
[[ $(jq -r '.changes[0].write' <<<"$said") == '__pipeline_memcpy_async(&tile[…], &x[…], 4), at tile.cu:8, '* ]] ||
    complain "cp.async: what to write: $said"
said=$(jq .cycles <<<"$said") got=$(all tile_cured.cu "${tile[@]}")
((said > 0 && got * 100 > said * 90 && got * 100 < said * 110 && got * 100 < base * 90)) ||
    complain "cp.async: said $base/$said cycles, and it is $base/$got"
for set in no yes; do gives 0 -- run tile.cu "${tile[@]}" --set sm.async=$set --dump "y:@$set.bin"; done
gives 0 -- run tile_cured.cu "${tile[@]}" --dump y:@cured.bin
cmp -s no.bin yes.bin && cmp -s no.bin cured.bin || complain "sm.async gives another result"
# The thread waits for its copies before it reads them itself, and before a barrier that one way leads to with a copy
# under way; a guard is the copy's, too; and nothing is a copy where the array may have changed in between.
cat >waits.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry waits(.param .u64 x)
{
  .shared .align 16 .b8 t[1024];
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .pred %p;
  ld.param.u64 %d1, [x]; mov.u32 %r2, %tid.x; mov.u32 %r3, t; mad.lo.u32 %r1, %r2, 16, %r3;
  mul.wide.u32 %d2, %r2, 16; add.u64 %d1, %d1, %d2; setp.lt.u32 %p, %r2, 7;
  ld.global.f32 %f1, [%d1]; st.shared.f32 [%r1], %f1; ld.shared.f32 %f2, [%r1];
  @%p bra SKIP;
  ld.global.f32 %f3, [%d1+4]; st.shared.f32 [%r1+4], %f3;
SKIP:
  @%p ld.global.f32 %f6, [%d1+12]; @%p st.shared.f32 [%r1+12], %f6;
  bar.sync 0;
  ld.global.f32 %f4, [%d1+8]; st.global.f32 [%d1+8], %f2; st.shared.f32 [%r1+8], %f4;
  bar.sync 0;
  ld.shared.f32 %f5, [%r1+8]; st.global.f32 [%d1+12], %f5; ret;
}
PTX
printf '[gpu]\nbase = gtx480\ncapability = 80\n[sm]\nasync = yes\n' >async.ini
run show ptx waits.ptx --gpu async.ini --after async
got=$(grep -oE '(@%p[0-9]* )?cp\.async[a-z_.]*|bar\.sync|(ld|st)\.shared|SKIP:' <<<"$out" | tr '\n' ' ')
want='cp.async.ca.shared.global cp.async.wait_all ld.shared cp.async.ca.shared.global SKIP:'
want+=' @%p cp.async.ca.shared.global cp.async.wait_all bar.sync st.shared bar.sync ld.shared '
[[ $got == "$want" ]] || complain "copies and waits: $got$err"
exit $bad
