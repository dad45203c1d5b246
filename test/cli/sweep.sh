#!/bin/bash
# sweep and report run take what run takes: a workload or a PTX file, its parameters, and the options of run, each an
# axis.
source test/cli/expect.bash
card=gtx480
cp examples/saxpy.ptx "$work"
cd "$work" || exit 1
arguments=(--arg i32:8 --arg f32:2 --arg buf:32:iota:f32 --arg buf:32)

# rows TEXT … -- ARGUMENT …: what a sweep would run has these lines, and no others.
rows() {
    local want=()
    while [[ $1 != -- ]]; do want+=("$1"); shift; done
    shift
    run sweep "$@" --dry-run --db none.db
    ((status == 0)) || complain "sweep $*: exit status $status: $err"
    [[ $(sed 's/  *$//' <<<"$out") == "$(printf '%s\n' "${want[@]}")" ]] || complain "sweep $*: $out"
}
rows 'to run  atax nx=64 ny=4096  on gtx480' -- atax nx=64
rows 'to run  atax nx=64 ny=4096  on gtx480 sched.policy=gto' 'to run  atax nx=64 ny=4096  on gtx480 sched.policy=lrr' \
    -- atax nx=64 --sched gto,lrr
rows 'to run  atax nx=64 ny=8  on titan_black' 'to run  atax nx=128 ny=8  on titan_black' \
    -- atax nx=64,128 ny=8 --gpu titan_black
rows 'to run  atax nx=64 ny=150  on gtx480' 'to run  bicg nx=64 ny=150  on gtx480' -- atax,bicg nx=64 --size small
rows 'to run  atax nx=64 ny=4096  on gtx480' 'to run  bicg nx=8 ny=4096  on gtx480' -- 'atax nx=64,bicg nx=8'
rows 'to run  atax nx=64 ny=4096  on gtx480  functional no-lowering' -- atax nx=64 --functional --no-lowering
rows 'to run  atax nx=64 ny=4096  on gtx480  kernels=kernel[1,2] skip=1 max-cycles=9' \
    -- atax nx=64 --kernels 'kernel[1,2]' --skip 1 --max-cycles 9
rows 'to run  atax nx=64 ny=4096  on gtx480' 'to run  atax nx=64 ny=4096  on gtx480  sl1=yes' \
    'to run  atax nx=64 ny=4096  on gtx480  sl1=line=8+strides' -- atax nx=64 --sl1=no,yes,line=8+strides
rows 'to run  atax nx=64 ny=4096  on gtx480  sl1=yes' -- atax nx=64 --sl1
rows 'to run  saxpy.ptx grid=2,1 block=8 kernel=saxpy smem=16 args=i32:8 f32:2 buf:32:iota:f32 buf:32  on gtx480' \
    -- saxpy.ptx --grid 2,1 --block 8 --kernel saxpy --smem 16 "${arguments[@]}"

gives 0 '1 run: 0 in the store already, 1 simulated, 0 failed' \
    -- sweep saxpy.ptx --block 8 "${arguments[@]}" --db runs.db
gives 0 '1 run: 1 in the store already' \
    -- sweep --program saxpy.ptx block=8 "args=i32:8 f32:2 buf:32:iota:f32 buf:32" --db runs.db
# Names with blanks are taken as onchip run takes them; names with commas or '=' stand in quotes.
cp saxpy.ptx 'my saxpy.ptx'
cp saxpy.ptx 'a, b=c.ptx'
head -c 32 /dev/zero >'my zeros'
words=(--arg i32:8 --arg f32:2 --arg 'buf:32:@my zeros' --arg buf:32)
gives 0 saxpy -- run 'my saxpy.ptx' --block 8 "${words[@]}"
gives 0 '2 runs: 0 in the store already, 2 simulated, 0 failed' \
    -- sweep 'my saxpy.ptx' block=8,16 "${words[@]}" --db words.db
gives 0 '2 runs: 0 in the store already, 2 simulated, 0 failed' \
    -- sweep '"a, b=c.ptx" grid=2,my saxpy.ptx grid=3' "${words[@]}" --db words.db
printf '[matrix]\ngpu = gtx480\nprogram = my saxpy.ptx block=8, "a, b=c.ptx" grid=2\n%s\n' \
    'args = i32:8 f32:2 "buf:32:@my zeros" buf:32' >words.ini
gives 0 '2 runs: 2 in the store already' -- sweep words.ini --db words.db
gives 0 '3 runs in' -- db list --program 'my saxpy.ptx' --db words.db
gives 0 '1 run in' -- db list --where 'args=i32:8 f32:2 "buf:32:@my zeros" buf:32' --where grid=3 --db words.db
gives 0 'page.html: 2 runs' -- report run 'my saxpy.ptx' block=8,16 "${words[@]}" --no-figures -o page.html

gives 0 '1 run: 0 in the store already, 1 simulated' -- sweep --measure shared --gpu gtx780 --db runs.db
gives 0 '1 run: 1 in the store already' -- sweep measure=shared --gpu gtx780 --db runs.db
printf '[matrix]\nmeasure = shared\ngpu = gtx780\n' >m.ini
gives 0 '1 run: 1 in the store already' -- sweep m.ini --db runs.db
gives 0 '2 runs: 1 in the store already' -- sweep m.ini atax --size small --db runs.db

gives 2 "'bicg' is one too many; several programs are written as atax,bicg" -- sweep atax bicg
gives 2 "program and measure don't go together" -- sweep atax --measure shared --db runs.db
card= gives 2 'sweep what? a workload' -- sweep --db runs.db
# A cell that can't run is a mistake in what was written: the exit status is 2, of a sweep as of its dry run. It's 1 if
# the store fails.
for dry in '' --dry-run; do
    gives 2 "no workload 'atix'; did you mean 'atax'?" -- sweep atix --db runs.db $dry
    gives 2 "nx=0 is refused" -- sweep atax nx=64,0 --size small --db runs.db $dry
    gives 2 "unknown GPU 'gtx481'" -- sweep atax --gpu gtx481 --db runs.db $dry
    for missing in no.ini no.ptx; do
        gives 2 "can't read $missing: No such file" -- sweep $missing --db runs.db $dry
    done
    gives 1 "can't open the store" -- sweep atax --db . $dry
done
gives 2 "no workload 'atix'" -- report run atix
gives 2 "unknown option --sl1-line"$'\n'"hint: --sl1=line=8" -- sweep atax --sl1-line=8
gives 1 '1 failed' -- sweep saxpy.ptx --arg i32:8 --arg i32:2 --arg u64:0 --arg u64:0 --db wrong.db
gives 1 '1 failed (1 of them before: --retry makes them again)' -- \
    sweep saxpy.ptx --arg i32:8 --arg i32:2 --arg u64:0 --arg u64:0 --db wrong.db
gives 1 '0 in the store already, 0 simulated, 1 failed,' -- \
    sweep saxpy.ptx --arg i32:8 --arg i32:2 --arg u64:0 --arg u64:0 --db wrong.db --retry
gives 0 "arg i32:2: parameter 'alpha' has the PTX type .f32; write f32:2" -- db list --failed --db wrong.db

page=(--no-figures -o page.html)
gives 0 'page.html: 1 run' -- report run saxpy.ptx --block 8 "${arguments[@]}" "${page[@]}"
gives 0 'page.html: 2 runs' \
    -- report run atax nx=64 --size small --sl1=no,yes --max-cycles 5000 --kernels kernel1 "${page[@]}"
gives 0 'page.html: 2 runs' -- report run atax,bicg nx=64 --size small --functional "${page[@]}"
gives 2 'report run what? a workload' -- report run
gives 2 "'bicg' is one too many" -- report run atax bicg
gives 2 'is an option of onchip report run' -- report --grid 4
exit $bad
