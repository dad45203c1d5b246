#!/bin/bash
# Argument files and CUDA source as cells: sweep and advise run what onchip run does; what the argument file says, and
# the files that it names, are part of what a run is known by; advise's promise for a kernel of a .cu file is what the
# cured source takes, within 10 %.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
cp "$ONCHIP_SOURCE"/test/cli/cures/spmv* .

# all FILE OPTION …: the cycles of all launches that onchip run has.
all() { "$onchip" run "$@" --json | jq '[.kernels[].cycles] | add'; }

gives 0 '1 simulated' -- sweep spmv.ptx @spmv.args --db sweep.db
gives 0 '1 in the store already' -- sweep spmv.ptx @spmv.args --db sweep.db
want=$(all spmv.ptx @spmv.args)
got=$("$onchip" db list --db sweep.db --json | jq '.rows[0].cycles')
[[ $got == "$want" ]] || complain "the sweep's cycles are $got, and the run's $want"
# Another argument file of that name, and other contents of a file that it names, are other runs.
sed -i 's/^col = .*/col = 320KiB:@col.bin/' spmv.args
head -c 327680 /dev/zero >col.bin
gives 0 '1 simulated' -- sweep spmv.ptx @spmv.args --db sweep.db
printf x | dd of=col.bin conv=notrunc status=none
gives 0 '1 simulated' -- sweep spmv.ptx @spmv.args --db sweep.db
gives 0 '1 in the store already' -- sweep spmv.ptx @spmv.args --db sweep.db
cp "$ONCHIP_SOURCE"/test/cli/cures/spmv.args .
printf '[matrix]\nprogram = spmv.ptx\nargs = @spmv.args, @none.args\n' >two.ini
gives 2 'two.ini:3' "can't read none.args" -- sweep two.ini --db sweep.db
gives 2 'is an argument file, which says kernel, grid, block and smem' -- sweep spmv.ptx @spmv.args --grid 3
gives 2 'is an argument file, and no argument stands beside it' -- sweep spmv.ptx @spmv.args --arg i32:1

run advise spmv.ptx @spmv.args --db advise.db --budget 0 --json
[[ $(jq .base.cycles <<<"$out") == "$want" ]] || complain "advise's base isn't what onchip run takes: $err"
[[ $(jq -r .base.command <<<"$out") == 'onchip run spmv.ptx @spmv.args'* ]] || complain "the command: $out"
[[ $(jq -r '.trials[].changes[0].what' <<<"$out") == *'loads of col past the L1'* ]] || complain "col isn't tried"

command -v clang >/dev/null || command -v clang-14 >/dev/null || exit $bad
echo 'int main() {}' >main.cu
gives 1 'is a program, with main' 'onchip cc main.cu' -- advise main.cu --db advise.db
# Each thread loads 8 numbers, each of a line of its own: of 128 bytes 4 are used.
cat >apart.cu <<'CU'
#define LOAD(p) (*(p))
__global__ void apart(const float *x, float *y)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++) sum += LOAD(&x[at * 32 + k * 262144]);
    y[at] = sum;
}
CU
sed 's/(\*(p))/__ldcg(p)/' apart.cu >apart_cured.cu
apart=(--grid 32 --block 256 --arg buf:9MiB --arg buf:32KiB)
run advise apart.cu "${apart[@]}" --db advise.db --budget 0 --json
said=$(jq '.trials[] | select((.changes | length) == 1 and .changes[0].what == "loads of x past the L1").cycles' \
    <<<"$out")
base=$(jq .base.cycles <<<"$out")
got=$(all apart_cured.cu "${apart[@]}")
[[ $base == "$(all apart.cu "${apart[@]}")" ]] || complain "apart.cu: the base is $base"
((said > 0 && got * 100 > said * 90 && got * 100 < said * 110 && got * 100 < base * 99)) ||
    complain "apart.cu: said $base/$said cycles, and it is $base/$got"
# Two kernels, of which one wants another carve-out than it gets: each has its own, and that takes what the one takes by
# itself and the other with the carve-out.
cat >two.cu <<'CU'
__global__ void walk(const float *x, float *y)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k++) sum += x[at * 32 + k];
    y[at] = sum;
}
__global__ void share(const float *x, float *y)
{
    __shared__ float t[3072];
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    t[threadIdx.x] = x[at];
#pragma unroll 1
    for (int k = 0; k < 32; k++) sum += x[at * 32 + k] + t[(threadIdx.x + k) % 128];
    y[at] = sum;
}
CU
cat >two.args <<'ARGS'
[buffers]
x = 1MiB
y = 256KiB
[launch walk]
grid = 4
block = 768
args = &x &y
[launch share]
grid = 64
block = 128
args = &x &y
ARGS
gpu=(--gpu rtx3080 --set gpu.sms=4)
# of NAME OPTION …: the cycles of one of the two.
of() {
    "$onchip" run two.cu @two.args "${gpu[@]}" "${@:2}" --json |
        jq ".kernels[] | select(.name | contains(\"$1\")).cycles"
}
run advise two.cu @two.args "${gpu[@]}" --db advise.db --budget 0 --json
by='.trials[] | select((.changes | length) == 1 and (.changes[0].what | startswith("a carve-out by kernel, ")))'
said=$(jq "$by.cycles" <<<"$out")
want=$(($(of walk) + $(of share --set storage.carveouts=64)))
((said > 0 && want * 100 > said * 90 && want * 100 < said * 110)) || complain "by kernel: said $said, and it is $want"
single='.trials[] | select((.changes | length) == 1 and .changes[0].kind == "carve-out" and .cycles)'
least=$(jq "[$single.cycles] | min" <<<"$out")
[[ $least == "$said" ]] ||
    complain "a carve-out for both is as good as one for each: $out"
[[ $(jq -r "$by.changes[0].write" <<<"$out") == 'cudaFuncSetAttribute(share, '*', 64);' ]] ||
    complain "what to write: $out"
got=$(eval "$(jq -r "$by.command | sub(\"onchip\"; \"\$onchip\")" <<<"$out") --json" | jq '[.kernels[].cycles] | add')
[[ $got == "$said" ]] || complain "its command takes $got cycles, not $said"
gives 2 "storage.kernels has names of kernels with KiB, as in scale:8,axpy:100, and not 'share'" -- \
    run two.cu @two.args "${gpu[@]}" --set storage.kernels=walk:8,share
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
exit $bad
