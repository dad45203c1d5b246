#!/bin/bash
# --check: a planted fault of each kind, with both places, and a twin without it that has no finding. The places are
# the lines that carry a mark. Each is run with time, without, and on two threads, which must agree.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
cd "$work" || exit 1
head='.version 7.0
.target sm_70
.address_size 64'
begin='    .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<8>;
    .shared .align 8 .b8 tile[1024]; .local .align 8 .b8 first[16]; .local .align 8 .b8 second[16];
    ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r1, 2; mov.u32 %r4, tile;
    add.u32 %r5, %r4, %r3; xor.b32 %r6, %r3, 4; add.u32 %r6, %r4, %r6; xor.b32 %r7, %r3, 128; add.u32 %r7, %r4, %r7;
    cvt.u64.u32 %d2, %r3; add.u64 %d2, %d1, %d2; setp.eq.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r1, 32;
    setp.lt.u32 %p3, %r1, 16;'
# kernel TARGET: a kernel `k`, whose body stands in the standard input
kernel() {
    { echo "${head/sm_70/$1}"; cat before 2>/dev/null; echo ".visible .entry k(.param .u64 x)"; echo "{"; echo "$begin"
        cat; echo "    ret;"; echo "}"; } >k.ptx
}
line() { grep -nF "// $1" k.ptx | cut -d: -f1; }
# found GRID BLOCK KIND [ACCESS MARK …]: one finding, of that kind, with these places; no kind: none. Which of two
# accesses comes first may depend on the mode.
found() {
    local grid=$1 block=$2 kind=${3:-} want= got plain= mode status
    shift 2
    if [[ $kind ]]; then
        shift
        want="$kind: $(while (($#)); do echo "$1 k at k.ptx:$(line "$2")"; shift 2; done | sort | paste -sd, -)"
    fi
    for mode in "" "--threads 2" --functional; do
        [[ $mode == --threads* && ! $kind ]] && continue
        status=0
        # shellcheck disable=SC2086
        "$ONCHIP" run k.ptx --grid "$grid" --block "$block" --arg buf:4096 --check --json $mode >json 2>err || status=$?
        got=$(jq -r '.kernels[0].findings | map(.kind + ": " + (.places | map(.access + " " + .place) | sort |
            join(","))) | join("; ")' json)
        [[ $got == "$want" ]] || complain "$now, '$mode': found '$got', not '$want' ($(<err))"
        ((status == (${#kind} > 0))) || complain "$now, '$mode': status $status"
        [[ $mode == --functional ]] && continue
        got=$(jq -c '[.kernels[].findings, .kernels[].cycles]' json)
        [[ ! $plain || $got == "$plain" ]] || complain "$now: two threads find '$got', one '$plain'"
        plain=$got
    done
}

now='a race of two warps in shared memory'
kernel sm_70 <<'END'
    st.shared.u32 [%r5], 0; bar.sync 0;
    st.shared.u32 [%r5], %r1;  // W
    ld.shared.u32 %r8, [%r7];  // R
END
"$ONCHIP" run k.ptx --block 64 --arg buf:4096 --check --json >json
[[ $(jq -c '.kernels[0].findings[0] | [.space, .structure, .bytes, .count]' json) == \
    '["shared memory","tile",4,64]' ]] || complain "$now: $(jq -c '.kernels[0].findings' json)"
found 1 64 race write W read R
now='with a barrier between'
kernel sm_70 <<'END'
    st.shared.u32 [%r5], %r1;
    bar.sync 0;
    ld.shared.u32 %r8, [%r7];
END
found 1 64
now='different values in one word of shared memory'
kernel sm_70 <<'END'
    st.shared.u32 [%r4+8], %r1;  // W
END
found 1 64 race write W write W
now='the same value in one word'
kernel sm_70 <<'END'
    st.shared.u32 [%r4+8], 7;
END
found 1 64
now='different bytes of a word'
kernel sm_70 <<'END'
    add.u32 %r8, %r4, %r1; st.shared.u8 [%r8], %r1;
END
found 1 64

now='a race within a warp'
kernel sm_70 <<'END'
    st.shared.u32 [%r5], %r1;  // W
    ld.shared.u32 %r8, [%r6];  // R
END
found 1 32 race write W read R
now='a warp that runs in lock-step'
sed -i 's/sm_70/sm_35/' k.ptx
found 1 32
now='with bar.warp.sync'
kernel sm_70 <<'END'
    st.shared.u32 [%r5], %r1;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r8, [%r6];
END
found 1 32
now='with shfl.sync, which orders no memory'
kernel sm_70 <<'END'
    st.shared.u32 [%r5], %r1;  // W
    shfl.sync.idx.b32 %r9, %r1, 0, 31, 0xffffffff;
    ld.shared.u32 %r8, [%r6];  // R
END
found 1 32 race write W read R
now='with bar.warp.sync of half of the warp'
kernel sm_70 <<'END'
    st.shared.u32 [%r5], %r1;   // W
    xor.b32 %r9, %r3, 64; add.u32 %r9, %r4, %r9;
    @%p3 bar.warp.sync 0xffff;
    @%p3 ld.shared.u32 %r8, [%r6];
    @%p3 ld.shared.u32 %r8, [%r9];  // R
END
found 1 32 race write W read R

now='a named barrier of two of four warps'
kernel sm_70 <<'END'
    setp.lt.u32 %p1, %r1, 64;
    @%p1 st.shared.u32 [%r5], %r1;
    @%p1 bar.sync 1, 64;
    @%p1 ld.shared.u32 %r8, [%r7];
END
found 1 128
now='a warp that is no member'
kernel sm_70 <<'END'
    setp.lt.u32 %p1, %r1, 64;
    @%p1 st.shared.u32 [%r5], %r1;  // W
    @%p1 bar.sync 1, 64;
    @!%p1 ld.shared.u32 %r8, [%r5+-256];  // R
END
found 1 128 race write W read R
now='warps that arrive, and others that wait'
kernel sm_70 <<'END'
    @!%p2 bra WAITS;
    st.shared.u32 [%r5], %r1;
    bar.arrive 1, 64;
    ret;
WAITS:
    bar.sync 1, 64;
    ld.shared.u32 %r8, [%r5+-128];
END
found 1 64

now='two blocks that write one word'
kernel sm_70 <<'END'
    st.global.u32 [%d2], %r2;  // W
END
found 2 32 race write W write W
now='two blocks that write other words'
kernel sm_70 <<'END'
    mul.wide.u32 %d3, %r2, 128; add.u64 %d2, %d2, %d3;
    st.global.u32 [%d2], %r2;
END
found 2 32
now='atomics of two blocks'
kernel sm_70 <<'END'
    red.global.add.u32 [%d1], 1;
END
found 2 32
now='a race of two warps in global memory'
kernel sm_70 <<'END'
    st.global.u32 [%d2], %r1;  // W
    xor.b32 %r8, %r3, 128; cvt.u64.u32 %d3, %r8; add.u64 %d3, %d1, %d3;
    ld.global.u32 %r8, [%d3];  // R
END
found 1 64 race write W read R
now='with a barrier'
sed -i '/ W$/a bar.sync 0;' k.ptx
found 1 64

message='    @!%p1 bra READS;
    st.global.u32 [%d2+512], %r1;  // W
    membar.gl;  // fence
    bar.sync 0;
    setp.eq.u32 %p0, %r1, 0;
    @%p0 st.volatile.global.u32 [%d1], 1;
    ret;
READS:
    ld.volatile.global.u32 %r8, [%d1];
    setp.eq.u32 %p0, %r8, 0;
    @%p0 bra READS;
    membar.gl;
    ld.global.u32 %r9, [%d2+512];  // R'
now='a message: a flag with fences'
kernel sm_70 <<<"$message"
found 2 32
now='a message without a fence'
kernel sm_70 <<<"${message/membar.gl;  \/\/ fence/}"
found 2 32 race write W read R
now='a lock, which lanes of a warp and other blocks take'
kernel sm_70 <<'END'
LOCK:
    atom.global.cas.b32 %r8, [%d1], 0, 1;
    setp.ne.u32 %p0, %r8, 0;
    @%p0 bra LOCK;
    membar.gl;
    ld.global.u32 %r9, [%d1+64];
    add.u32 %r9, %r9, 1;
    st.global.u32 [%d1+64], %r9;
    membar.gl;
    atom.global.exch.b32 %r8, [%d1], 0;
END
found 3 40

now='shared memory that nobody wrote'
kernel sm_70 <<'END'
    ld.shared.u32 %r8, [%r5];  // R
END
found 1 32 uninitialised read R
now='local memory that nobody wrote'
kernel sm_70 <<'END'
    st.local.u32 [first], %r1;
    ld.local.u32 %r8, [first+4];  // R
    st.global.u32 [%d2], %r8;
END
found 1 32 uninitialised read R
now='local memory that was written'
sed -i 's/ld.local.u32 %r8, \[first+4\]/ld.local.u32 %r8, [first]/' k.ptx
found 1 32
echo '.extern .func (.param .b64 p) malloc (.param .b64 n);' >before
get='    { .param .b64 n; .param .b64 p; st.param.b64 [n], 64; call.uni (p), malloc, (n); ld.param.b64 %d3, [p]; }'
now='global memory that nobody wrote'
kernel sm_70 <<<"$get
    st.global.u32 [%d3], 1;
    ld.global.v2.u32 {%r8, %r9}, [%d3];  // R"
found 1 32 uninitialised read R
now='global memory that was written'
sed -i 's/v2.u32 {%r8, %r9}/u32 %r8/' k.ptx
found 1 32
rm before

now='a thread that exits before a barrier'
kernel sm_70 <<'END'
    @%p2 ret;    // exits
    bar.sync 0;  // waits
END
found 1 64 barrier waits waits exited exits
now='barriers in both branches of a warp'
kernel sm_70 <<'END'
    @%p3 bra OTHER;
    bar.sync 0;  // one
    ret;
OTHER:
    bar.sync 0;  // two
END
found 1 32 barrier waits one waits two
now='a barrier in a branch, before sm_70'
kernel sm_35 <<'END'
    @%p3 bra OTHER;
    bar.sync 0;  // one
OTHER:
    st.global.u32 [%d2], %r1;  // two
END
found 1 32 barrier waits one elsewhere two
now='barriers that all threads reach'
kernel sm_70 <<'END'
    bar.sync 0;
    @%p3 mov.u32 %r8, 1;
    bar.sync 0;
    @%p2 bra OUT;
    bar.sync 1, 32;
OUT:
END
found 1 64

now='beyond an array in local memory'
kernel sm_70 <<'END'
    mov.u64 %d5, second; st.local.u32 [%d5], %r1;
    mov.u64 %d3, first; and.b32 %r8, %r3, 28; cvt.u64.u32 %d4, %r8; add.u64 %d4, %d3, %d4;
    st.local.u32 [%d4], %r1;  // W
    ld.local.u32 %r9, [second]; st.global.u32 [%d2], %r9;
END
found 1 32 beyond write W
[[ $(jq -c '.kernels[0].findings[0] | [.space, .structure, .offset, .bytes, .count]' json) == \
    '["local memory","first",16,4,16]' ]] || complain "$now: $(jq -c '.kernels[0].findings' json)"
now='inside of an array in local memory'
sed -i 's/and.b32 %r8, %r3, 28/and.b32 %r8, %r3, 12/' k.ptx
found 1 32

# A warpgroup's product reads its matrices at once, whichever warp comes first.
group() {
    cat >k.ptx <<END
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x)
{
    .reg .f32 %f<4>; .reg .b32 %r<4>; .reg .b64 %d<2>;
    .shared .align 128 .b8 tile[2048];
    mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 16, %r2; mov.b64 %d1, 0x0000001000080000;
    st.shared.v4.b32 [%r2], {%r1, %r1, %r1, %r1};  // W
    $1
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d1, 0, 1, 1, 0, 0;  // R
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ret;
}
END
}
now='a product of matrices that another warp may still write'
group 'fence.proxy.async;'
found 1 128 race write W product R
now='a product of matrices behind a barrier, without the fence of the proxy'
group 'bar.sync 0;'
found 1 128 proxy write W product R
now='a product of matrices behind a fence of the proxy and a barrier'
group 'fence.proxy.async; bar.sync 0;'
found 1 128

# copy WAIT: a thread has shared memory filled by the copy engine; all then read what it brought.
copy() {
    sed 's/^\.version 7\.0/.version 8.0/' <<<"$head" >head
    head=$(<head) kernel sm_90 <<END
    .shared .align 8 .b64 bar;
    setp.eq.u32 %p3, %r1, 0;
    @%p3 mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    @%p3 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
    @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d1], 512, [bar];  // W
    $1
    ld.shared.u32 %r8, [%r5];  // R
END
}
now='a copy in bulk that is read before its barrier says so'
copy ''
found 1 32 incomplete copy W read R
now='a copy in bulk that is waited for'
copy 'AGAIN: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra AGAIN;'
found 1 64

# What the report says.
kernel sm_70 <<'END'
    st.shared.u32 [%r5], %r1;  // W
    ld.shared.u32 %r8, [%r7];  // R
END
gives 1 'race on shared memory, 64 times; first: 4 bytes of tile at offset 128' "in k at k.ptx:$(line W)" \
    "in k at k.ptx:$(line R)" 'block (0,0,0), thread (0,0,0)' '--check found 1 fault' -- \
    run k.ptx --block 64 --arg buf:4096 --check
gives 0 'nothing was found' -- run reduction --size small --check --functional
exit $bad
