#!/bin/bash
# Mistakes on the command line are told, with the nearest name, and end with status 2; nothing that was asked for is
# ignored.
source test/cli/expect.bash
cp examples/saxpy.ptx "$work"
saxpy=("$work/saxpy.ptx" --block 8 --arg i32:8 --arg f32:2 --arg buf:32:iota:f32 --arg buf:32)

# Verbs.
gives 2 'usage: onchip COMMAND' --
for help in help --help -h; do gives 0 'usage: onchip COMMAND' -- $help; done
for version in --version -V; do gives 0 'onchip 0' -- $version; done
for verb in $("$onchip" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    gives 2 "unknown option --bogus" -- $verb --bogus
    for ask in "help $verb" "$verb --help" "$verb -h"; do
        gives 0 "usage: onchip $verb" -- $ask
        [[ ! $err ]] || complain "onchip $ask: complains"
    done
done
gives 2 "unknown command 'rnu'; did you mean 'run'?" -- rnu
gives 2 "unknown command 'lst'; did you mean 'list'?" -- help lst

# Words.
gives 2 "'gpu' to list; did you mean 'gpus'?" -- list gpu
gives 2 "'more' is one too many" -- list gpus more
gives 2 "unknown option --all" -- list gpus --all
gives 2 usage -- list
gives 2 usage -- show
gives 2 "'counter' to show; did you mean 'counters'?" -- show counter
gives 2 'onchip list gpus' -- show gpu
gives 2 'onchip list workloads' -- show ptx
gives 2 "'x' is one too many" -- show keys x
gives 1 "can't read no.ptx: No such file" -- show ptx no.ptx
gives 2 "no view 'ifr'; did you mean 'ir'?" -- show ptx saxpy --view ifr
gives 2 "no function 'saxpi' with a body in saxpy; did you mean 'saxpy'?" -- show ptx saxpy --kernel saxpi
gives 0 '.entry saxpy' -- show ptx saxpy --view text
gives 0 'all 15' -- show ptx saxpy --view counts --gpu rtx3080

# Options, by themselves and with what they don't go with.
gives 2 'run what?' -- run
gives 2 "unknown option --progam=saxpy; did you mean '--program'?" -- sweep --progam=saxpy
gives 2 "unknown option --gird=4; did you mean '--grid'?" -- run saxpy --gird=4
gives 2 '--gpu needs a value: NAME|FILE' -- run saxpy --gpu
gives 2 '--json takes no value' -- run saxpy --json=yes
gives 2 "--threads takes a whole number up to 256, not '1000'" -- run saxpy --threads 1000
gives 2 "--max-cycles takes a whole number, not 'many'" -- run saxpy --max-cycles many
gives 2 "small or standard, not 'large'" -- run saxpy --size large
gives 2 "no workload 'saxpi'; did you mean 'saxpy'?" -- run saxpi
gives 1 "can't read saxpy.cu" -- run saxpy.cu
gives 1 "can't read no.ptx: No such file" -- run no.ptx
for option in --kernel=saxpy --grid=4 --block=8 --smem=16 --arg=i32:1 --dump=0; do
    gives 2 "${option%%=*} is an option of a PTX file; saxpy is a workload" -- run saxpy --size small $option
    [[ ! $out ]] || complain "run saxpy $option: runs"
done
for option in --size=small --ptx=x.ptx; do
    gives 2 "${option%%=*} is an option of a workload; $work/saxpy.ptx is a PTX file" -- run "${saxpy[@]}" $option
done
gives 2 "'n=8': a PTX file takes no parameters" -- run "${saxpy[@]}" n=8
for option in --lines --interval=9 --kernels=saxpy --skip=1; do
    gives 2 "${option%%=*} has no effect with --functional" -- run saxpy --size small --json --functional $option
done
gives 2 '--interval needs --json' -- run saxpy --size small --interval 100
for option in --view=cfg --kernel=saxpy; do
    gives 2 "${option%%=*} is an option of onchip show ptx" -- show gpu gtx480 $option
done
gives 2 '--set is an option of onchip show gpu' -- show ptx saxpy --set l1.size=1KiB

# The software L1's settings: one option, and what the options were that it replaces.
gives 0 'the result is right' -- run saxpy --size small --sl1
gives 0 'the result is right' -- run saxpy --size small --sl1=line=8,warps=75,strides
gives 0 'the result is right' -- run saxpy --size small --sl1=line=8+strides
gives 0 'the result is right' -- run saxpy --size small --sl1=yes
gives 0 'saxpy  grid' -- run saxpy --size small --sl1=no
gives 2 "--sl1: 'line' takes 8|16|24, not '12'" -- run saxpy --size small --sl1=line=12
gives 2 "--sl1: 'line' needs a value: line=8|16|24" -- run saxpy --size small --sl1=line
gives 2 "--sl1: 'strides' takes no value" -- run saxpy --size small --sl1=strides=1
gives 2 "no setting 'stride' of the software L1; did you mean 'strides'?" -- run saxpy --size small --sl1=stride
gives 2 'there are line, decide, threshold' -- run saxpy --size small --sl1=everything
for verb in "run saxpy" "sl1 $work/saxpy.ptx"; do
    gives 2 $'unknown option --sl1-line\nhint: --sl1=line=8' -- $verb --sl1-line 8
    gives 2 $'unknown option --sl1-line\nhint: --sl1=line=8' -- $verb --sl1-line=8
    gives 2 $'unknown option --sl1-strides\nhint: --sl1=strides' -- $verb --sl1-strides
done
gives 0 "layout=lanes|banks" -- sl1 --help
gives 2 "no setting 'lin'" -- sl1 "$work/saxpy.ptx" --sl1=lin=8
for settings in line=8+strides '{strides,line=8}' '{line=8,strides}'; do  # of which two are the same run
    gives 0 -- sweep --program saxpy --size small sl1="$settings" --db "$work/sl1.db"
done
gives 0 '2 runs in' -- db list --db "$work/sl1.db"

# Values: the nearest is named.
gives 2 "no scheduler 'gt0'; did you mean 'gto'?" -- run saxpy --sched gt0
gives 2 "no workload 'polybench/atx'; did you mean 'atax'?" -- run polybench/atx
gives 2 "unknown GPU 'gtx48'; did you mean 'gtx480'?" -- run saxpy --gpu gtx48
[[ $err != *error:* ]] || complain "an error is called one twice: $err"
gives 2 'not a buffer' "argument 1, 'alpha'" -- run "${saxpy[@]}" --dump alpha
gives 2 'block 1,2,3,4: X, X,Y or X,Y,Z is expected: threads, such as' -- run "$work/saxpy.ptx" --block 1,2,3,4
gives 2 "no measurement 'sharde'; did you mean 'shared'?" -- sweep --measure sharde --db "$work/none.db"
gives 2 "did you mean 'run'?" -- report runn
gives 2 "nothing to reproduce as 'mey'; did you mean 'mei'?" 'mei        13 figures' -- reproduce mey
gives 2 "no figure 'fig55' in 'mei'; did you mean 'fig5'?" 'mei        fig5' \
    -- reproduce mei fig5 fig55 --db "$work/none.db"
lacks 'sl1  '
gives 2 "small, medium or paper, not 'smal'" -- reproduce mei --size smal
gives 1 "can't read atx: No such file or directory; did you mean 'atax'?" -- show ptx atx

# What leaves nothing to time; the launches are named, and reported as what they are.
gives 2 "nothing was timed: --kernels 'kernel3' leaves out every launch; the kernels are atax_kernel1, atax_kernel2" \
    'executed without time' -- run atax --size small --kernels kernel3
gives 2 '--skip 2 leaves out' -- run atax --size small --skip 2
gives 2 "--kernels 'kernel2' with --skip 1 leaves out" -- run atax --size small --kernels kernel2 --skip 1
gives 2 "malformed regular expression '('" -- run atax --size small --kernels '('
gives 2 "nothing was timed: --kernels 'k'" -- run "${saxpy[@]}" --kernels k
gives 0 -- run atax --size small --kernels kernel2 --skip 0
gives 0 -- run atax --size small --skip 1

# A file of several kernels, of which none was chosen: they are named.
{
    sed 's/saxpy(/first(/' "$work/saxpy.ptx"
    sed '1,/address_size/d; s/saxpy(/second(/' "$work/saxpy.ptx"
} >"$work/two.ptx"
gives 2 $'2 kernels; choose one with --kernel:\n  first\n  second' -- run "$work/two.ptx" --arg i32:8
gives 2 "no kernel 'frist'" "did you mean 'first'?" -- run "$work/two.ptx" --kernel frist
printf '.version 7.0\n.target sm_35\n.address_size 64\n' >"$work/none.ptx"
gives 2 'has no kernel' -- run "$work/none.ptx"

# The output that can't be written.
status=0
"$onchip" list ops >/dev/full 2>"$work/err" || status=$?
[[ $status == 1 && $(<"$work/err") == *"can't be written"* ]] || complain "a full disk: exit status $status"
exit $bad
