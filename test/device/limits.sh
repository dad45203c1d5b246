#!/bin/bash
# What a description, a PTX file or a launch asks of the host's memory is refused with a message when there isn't as
# much (ulimit -v), at any limit: never an abort.
set -uo pipefail
[[ ! ${ONCHIP_SANITIZED:-} ]] || exit 77 # the sanitizers take addresses of their own
source "$ONCHIP_SOURCE/test/test.bash"

# Lanes that use all of 1 MiB of local memory; and a module of many variables.
cat >"$work/local.ptx" <<'PTX'
.version 7.0
.target sm_35
.address_size 64
.visible .entry fill(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .local .align 4 .b8 room[1048576];
    mov.u32 %r1, %tid.x;
    and.b32 %r1, %r1, 1;
    mul.lo.u32 %r2, %r1, 1048572;
    cvt.u64.u32 %rd1, %r2;
    mov.u64 %rd2, room;
    add.u64 %rd2, %rd2, %rd1;
    st.local.u32 [%rd2], %r1;
    ret;
}
PTX
{
    sed -n 1,3p "$work/local.ptx"
    echo '.visible .entry none() { ret; }'
    seq -f '.visible .global .align 4 .u32 variable%.0f = 7;' 40000
} >"$work/many.ptx"

# limited KIB STATUS TEXT -- ARGUMENT …: STATUS any: done, or a message that has TEXT.
limited() {
    local kib=$1 want=$2 text=$3 status=0
    shift 4
    (ulimit -v "$kib" && exec "$ONCHIP" "$@") >"$work/out" 2>"$work/err" || status=$?
    ((status < 100)) || complain "with $kib KiB: onchip $*: exit status $status: $(head -c 300 "$work/err")"
    [[ $want == any ]] || ((status == want)) || complain "with $kib KiB: onchip $*: exit status $status, not $want"
    ((status == 0)) || grep -qF "$text" "$work/err" || complain "with $kib KiB: onchip $*: $(head -c 300 "$work/err")"
}
none='the host has no memory'
limited 3000000 1 "$none" -- run vectoradd n=32 --set l1.size=1GiB
limited 3000000 0 '' -- run vectoradd n=32 --gpu h200
limited 100000 1 "$none" -- run vectoradd n=32 --gpu h200
# All SMs' caches are added up before the first is made; without time none is made.
limited 800000 1 'hint: most of it is for l1.size' -- run saxpy n=64 --gpu h200 --set l1.size=64MiB
limited 800000 1 '(ulimit -v)' -- run saxpy n=64 --gpu h200 --set l1.size=64MiB
limited 100000 0 '' -- run saxpy n=64 --gpu h200 --set l1.size=64MiB --functional
local=("$work/local.ptx" --block 1024 --grid 8 --arg buf:4 --set sm.local=2MiB)
limited 400000 1 "$none left for" -- run "${local[@]}"
limited 400000 1 "$none left for" -- run "${local[@]}" --functional
limited 90000 1 "$none for $work/many.ptx" -- run "$work/many.ptx" --block 1
for kib in 60000 90000 130000 200000 300000 500000; do
    limited $kib any "$none" -- run vectoradd n=32
    limited $kib any "$none" -- run vectoradd n=32 --functional
    limited $kib any "$none" -- run vectoradd n=32 --set l1.size=64MiB --threads 3
    limited $kib any "$none" -- run saxpy --size small --gpu titan_black
    limited $kib any "$none" -- run "$work/many.ptx" --block 1
    limited $kib any "$none" -- run "$work/local.ptx" --block 256 --grid 4 --arg buf:4 --set sm.local=2MiB --threads 2
done
exit $bad
