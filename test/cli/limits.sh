#!/bin/bash
# What limits a kernel, and how near its units came to their peaks: planted cases, and shares that are computed here
# from the counters and from the numbers of the card: 15 SMs with two schedulers, 177 GB/s at 700 MHz, 12 slices of
# the L2 with links of 40 bytes a cycle.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
card=gtx480
cd "$work" || exit 1
cat >k.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry spin(.param .u32 n)  // adds, n times, each waiting for the one before
{
    .reg .pred %p; .reg .b32 %r<6>;
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
AGAIN:
    add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;
    ret;
}
.visible .entry late(.param .u32 n)  // block 0 does, the others have nothing to do
{
    .reg .pred %p, %q; .reg .b32 %r<6>;
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %ctaid.x; setp.ne.u32 %q, %r3, 0; @%q ret;
AGAIN:
    add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;
    ret;
}
.visible .entry alone(.param .u32 n)  // lane 0 does
{
    .reg .pred %p, %q; .reg .b32 %r<6>;
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %laneid; setp.ne.u32 %q, %r3, 0; @%q ret;
AGAIN:
    add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;
    ret;
}
.visible .entry banks(.param .u32 n)  // lanes load from one bank of shared memory
{
    .reg .pred %p; .reg .b32 %r<6>; .shared .align 4 .b8 s[4096];
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %laneid; shl.b32 %r3, %r3, 7;
    mov.u32 %r5, s; add.u32 %r3, %r3, %r5;
AGAIN:
    ld.shared.u32 %r4, [%r3]; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;
    ret;
}
.visible .entry wide(.param .u32 n)  // lanes load 16 bytes each, one behind the other: 512 bytes are four passes
{
    .reg .pred %p; .reg .b32 %r<9>; .shared .align 16 .b8 t[4096];
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %laneid; shl.b32 %r3, %r3, 4;
    mov.u32 %r5, t; add.u32 %r3, %r3, %r5;
AGAIN:
    ld.shared.v4.u32 {%r4, %r6, %r7, %r8}, [%r3]; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;
    ret;
}
.visible .entry apart(.param .u32 n)  // the same, 32 bytes apart: of its eight passes four are conflicts
{
    .reg .pred %p; .reg .b32 %r<9>; .shared .align 16 .b8 t[4096];
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %laneid; shl.b32 %r3, %r3, 5;
    mov.u32 %r5, t; add.u32 %r3, %r3, %r5;
AGAIN:
    ld.shared.v4.u32 {%r4, %r6, %r7, %r8}, [%r3]; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;
    ret;
}
.visible .entry matrix(.param .u32 n)  // four matrices of 8 rows of 16 bytes, one row behind the other
{
    .reg .pred %p; .reg .b32 %r<9>; .shared .align 16 .b8 t[4096];
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %laneid; shl.b32 %r3, %r3, 4;
    mov.u32 %r5, t; add.u32 %r3, %r3, %r5;
AGAIN:
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r6, %r7, %r8}, [%r3];
    add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra AGAIN;
    ret;
}
END
gives 0 'the grid: 1 block for 15 SMs, which have work for 7 %' -- run k.ptx --kernel spin --arg u32:1000
gives 0 'the busiest SM for 100 %, the least busy one for 0 %' -- run k.ptx --kernel late --arg u32:9000 --grid 30
gives 0 'limited by the issue of instructions' -- run k.ptx --kernel spin --arg u32:1000 --grid 90 --block 256
lacks 'the grid' 'the busiest'
gives 0 'divergence: 1' 'of 32 lanes take part' -- run k.ptx --kernel alone --arg u32:1000
gives 0 'shared memory: ' 'of it for bank conflicts' -- run k.ptx --kernel banks --arg u32:1000 --grid 90 --block 256
# Passes that an access needs for its width aren't conflicts.
for kernel in wide matrix; do
    gives 0 'shared memory: ' '4.00 passes each, 0 bank conflicts' -- \
        run k.ptx --kernel $kernel --arg u32:1000 --gpu titan_v --grid 160 --block 256
    lacks 'for bank conflicts'
    run run k.ptx --kernel $kernel --arg u32:1000 --gpu titan_v --json
    [[ $(jq -c '.kernels[0].counters | [.["shared.passes"], .["shared.conflicts"], .["shared.wide"]]' <<<"$out") == \
        '[4000,3000,3000]' ]] || complain "$kernel: $(jq -c .kernels[0].counters <<<"$out")"
done
gives 0 'shared memory: ' '50 % of it for bank conflicts' -- \
    run k.ptx --kernel apart --arg u32:1000 --gpu titan_v --grid 160 --block 256
"$ONCHIP" run --gpu gtx480 vectoradd n=262144 --json >json
jq -e '.kernels[0] | .counters as $c | ($c.cycles * 15) as $sms | .peaks |
    (.issue - $c["issue.issued"] / ($sms * 2)),
    (.dram - ($c["dram.read_bytes"] + $c["dram.write_bytes"]) / (177e9 * $c.cycles / 700e6)),
    (.l1 - $c["l1.accesses"] / $sms),
    (.link - ([$c["link.bytes_in"], $c["link.bytes_out"]] | max) / ($c.cycles * 12 * 40))
    | select(fabs > 0.02)' json >wrong
[[ ! -s wrong ]] || complain "shares of peaks differ by $(<wrong) from $(jq -c '.kernels[0].peaks' json)"
jq -e '.kernels[0] | (.limited_by | length) > 0' json >/dev/null || complain 'limited_by is empty'
exit $bad
