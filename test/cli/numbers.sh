#!/bin/bash
# A setting is a finite number, wherever it is given; an operand of a kernel may be any number of its type.
source test/cli/expect.bash

# Keys of a description, of whatever kind. CPU time is limited, since one of them once ran for ever.
ulimit -t 60
for set in tlb1.sets=nan l2.sets=nan gpu.clock=nan gpu.clock=inf gpu.clock=-inf gpu.clock=1e400 gpu.sms=nan gpu.sms=-1 \
    gpu.sms=18446744073709551617 dram.bandwidth=nan l1.weights=nan,1 l1.weights=inf storage.carveouts=nan \
    host.latency=-1; do
    gives 2 "${set%%=*}" -- run vectoradd n=32 --set $set
done
gives 0 -- run vectoradd n=32 --set host.latency=-0 --set gpu.clock=0x1p9

# Parameters of a workload, of a measurement and of a sweep.
for value in nan inf 1e3 -1 18446744073709551615 9223372036854775808; do
    gives 2 "n=$value" -- run vectoradd n=$value
    gives 2 "n=$value" -- sweep --program vectoradd n=$value --db "$work/none.db"
done
gives 2 'blocks=nan' -- run wordcount blocks=nan
gives 2 '--budget takes a time' -- probe --budget nan
gives 2 '--budget takes a time' -- probe --budget inf

# The size of a matrix, wherever its limit stands.
values=$(seq -s , 40)
gives 2 '1000000 cells at most, not 2560000: n (40) × l1.mshrs (40) × l1.merges (40) × gpu.sms (40)' \
    -- sweep --program vectoradd n=$values --set l1.mshrs=$values --set l1.merges=$values --set gpu.sms=$values \
    --db "$work/none.db" --dry-run
printf '[matrix]\nprogram = vectoradd\nn = %s\n' "$values" >"$work/matrix.ini"
gives 2 '39 cells at most, not 40: n (40)' -- sweep "$work/matrix.ini" --cells 39 --db "$work/none.db"
gives 0 'to run  vectoradd n=40 ' -- sweep "$work/matrix.ini" --cells 40 --db "$work/none.db" --dry-run
for n in 0 -1 nan many; do
    gives 2 "--cells takes a whole number from 1 on, not '$n'" -- sweep "$work/matrix.ini" --cells=$n
done

# Arguments of a kernel: bits of what is given, as IEEE 754 has them.
cat >"$work/bits.ptx" <<'PTX'
.version 7.0
.target sm_35
.address_size 64
.visible .entry bits(.param .u64 out, .param .f32 a, .param .f64 b)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.b32 %r1, [a];
    ld.param.b64 %rd2, [b];
    st.global.b32 [%rd1], %r1;
    st.global.b64 [%rd1+8], %rd2;
    ret;
}
PTX
bits() { # F32 F64 WORDS
    gives 0 -- run "$work/bits.ptx" --block 1 --arg buf:16 --arg "f32:$1" --arg "f64:$2" --dump 0:u32
    [[ $(head -n 1 <<<"$out") == "out: $3" ]] || complain "f32:$1 f64:$2: $(head -n 1 <<<"$out")"
}
bits inf -inf '2139095040 0 0 4293918720'
bits -0 -0 '2147483648 0 0 2147483648'
bits 0x1p-149 5e-324 '1 0 1 0'
gives 0 -- run "$work/bits.ptx" --block 1 --arg buf:16 --arg f32:nan --arg f64:nan
for arg in 1e400 'nan(1)' ' 1' 1x '' infinity; do
    gives 2 "a number is expected, not '$arg'" -- run "$work/bits.ptx" --block 1 --arg buf:16 --arg "f32:$arg" \
        --arg f64:1
    gives 2 "a number is expected, not '$arg'" -- run "$work/bits.ptx" --block 1 --arg buf:16 --arg f32:1 \
        --arg "f64:$arg"
done
gives 2 'too large for an f32' -- run "$work/bits.ptx" --block 1 --arg buf:16 --arg f32:1e39 --arg f64:1

# Sizes of a launch: 2^64 + 1 isn't 1.
for dims in -1 -18446744073709551615 18446744073709551617 4294967296 1,,1 1,1,1,1 nan ' 1' 0x10; do
    gives 2 "block $dims:" -- run "$work/bits.ptx" --block="$dims" --arg buf:16 --arg f32:1 --arg f64:1
done

# Files that aren't any.
gives 1 "can't read /: Is a directory" -- run /
gives 1 "can't read /dev/zero: " -- run /dev/zero
gives 1 "can't read $work/none: No such file" -- run -o "$work/report" "$work/none"
gives 1 "can't read $work: Is a directory" -- run -o "$work/report" "$work"
touch "$work/x.cu"
gives 2 '-o is an option of a CUDA program' "x.cu is CUDA source" -- run -o "$work/report" "$work/x.cu"
gives 1 "can't read the GPU description /: Is a directory" -- run saxpy --size small --gpu /
gives 2 "can't read ./none.ini: No such file" -- sweep ./none.ini --db "$work/none.db"
gives 1 "can't read $work: Is a directory" -- run "$work/bits.ptx" --block 1 --arg "buf:16:@$work" --arg f32:1 \
    --arg f64:1
gives 0 -- run "$work/bits.ptx" --block 1 --arg buf:16:@/dev/zero --arg f32:1 --arg f64:1
gives 0 -- run <(cat "$work/bits.ptx") --block 1 --arg buf:16 --arg f32:1 --arg f64:1
exit $bad
