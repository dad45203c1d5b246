#!/bin/bash
# sm.count = sass: a quotient of two unknown numbers is 17 instructions, of which the unit of functions does 3, each in
# interval.sfu cycles of a scheduler; where that unit is fast, the 17 slots count.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
{
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %%r<9>;'
    printf '.reg .b64 %%d<3>;\nld.param.u64 %%d1, [a]; mov.u32 %%r1, %%tid.x;\n'
    printf 'mov.u32 %%r2, %%clock; add.u32 %%r2, %%r2, 3;\n'
    for _ in {1..800}; do printf 'rem.u32 %%r1, %%r2, %%r1;\n'; done
    printf 'st.global.u32 [%%d1], %%r1;\nret;\n}\n'
} >k.ptx
# takes CYCLES KEY=VALUE …: of a scheduler, for each; 8 warps are on it.
takes() {
    local sets=(--set icache.size=0) got
    for s in "${@:2}"; do sets+=(--set "$s"); done
    got=$("$ONCHIP" run k.ptx --gpu rtx3080 --grid 68 --block 1024 --arg buf:4KiB "${sets[@]}" --json |
        jq '.kernels[0].counters.cycles / 800 / 8')
    jq -ne "($got - $1) / $1 | fabs < 0.1" >/dev/null || complain "${*:2}: $got cycles, not $1"
}
takes 24 sm.count=sass interval.sfu=8
takes 17 sm.count=sass interval.sfu=1
takes 17 sm.count=sass interval.sfu=5
takes 80 sm.count=lowered interval.sfu=8
exit $bad
