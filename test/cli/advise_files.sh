#!/bin/bash
# Argument files and CUDA source as cells: sweep and advise run what onchip run does; what the argument file says, and
# the files that it names, are part of what a run is known by; advise's promise for a kernel of a .cu file is what the
# cured source takes, within 10 %.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1
cp "$ONCHIP_SOURCE"/test/cli/cures/spmv* .

# all FILE OPTION …: the cycles of all launches that onchip run has.
all() { "$onchip" run --gpu gtx480 "$@" --json | jq '[.kernels[].cycles] | add'; }

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
[[ $(jq -r .base.command <<<"$out") == 'onchip run --gpu gtx480 spmv.ptx @spmv.args'* ]] || complain "the command: $out"
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
    "$onchip" run --gpu gtx480 two.cu @two.args "${gpu[@]}" "${@:2}" --json |
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
exit $bad
