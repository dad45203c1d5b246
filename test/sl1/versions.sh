#!/bin/bash
# What show ptx and sl1 write for a source of an old version is legal in the version that they write: .address_size is
# of PTX 2.3, .pragma and bfe of 2.0 (bfe, bfi and prmt also need sm_20), functions' .param parameters of 2.0 and sm_20,
# vote.sync of 6.0, activemask of 6.2. Where there is a ptxas of CUDA 13, which takes versions from 1.4 on, it agrees.
source test/cli/expect.bash
ptxas=/usr/local/cuda/bin/ptxas
grep -q 'release 13' <<<"$("$ptxas" --version 2>/dev/null)" || ptxas=
cd "$work" || exit 1

# source VERSION TARGET: thread t adds n words of the t-th row of in; the older functions have parameters in registers.
source_of() {
    printf '.version %s\n.target %s\n' "$1" "$2"
    cat <<'PTX'
.func (.reg .u32 sum) add(.reg .u32 a, .reg .u32 b) { add.u32 sum, a, b; ret; }
.entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
    .reg .u16 %rh<6>; .reg .u32 %r<10>; .reg .u64 %rd<9>; .reg .pred %p<3>;
    cvt.u32.u16 %r1, %tid.x;
    ld.param.u32 %r2, [n];
    mul.wide.u32 %rd2, %r1, 4;
    ld.param.u64 %rd3, [out];
    add.u64 %rd3, %rd3, %rd2;
    mul.lo.u32 %r3, %r1, %r2;
    mul.wide.u32 %rd4, %r3, 4;
    ld.param.u64 %rd5, [in];
    add.u64 %rd5, %rd5, %rd4;
    mov.u32 %r4, 0;
    mov.u32 %r5, 0;
LOOP:
    setp.ge.u32 %p1, %r4, %r2;
    @%p1 bra DONE;
    ld.global.u32 %r6, [%rd5];
    call (%r5), add, (%r5, %r6);
    add.u64 %rd5, %rd5, 4;
    add.u32 %r4, %r4, 1;
    bra LOOP;
DONE:
    st.global.u32 [%rd3], %r5;
    exit;
}
PTX
}

# least FILE WHAT VERSION TARGET: where FILE has WHAT, it has these, at least.
least() {
    grep -qE "$2" "$1" || return 0
    local version target
    version=$(sed -n 's/^\.version //p' "$1") target=$(sed -n 's/^\.target sm_//p' "$1")
    [[ $(printf '%s\n' "$3" "$version" | sort -V | head -n 1) == "$3" ]] && ((target >= $4)) ||
        complain "$name: $2 in .version $version, .target sm_$target"
}

# legal FILE
legal() {
    least "$1" '^\.address_size' 2.3 10
    least "$1" '^ *\.pragma' 2.0 10
    least "$1" '^ *(@!?%[a-z0-9_]+ )?(bfe|bfi|prmt|popc|clz|brev)\.' 2.0 20
    least "$1" '^\.(visible )?\.?func .*\.param' 2.0 20
    least "$1" 'vote\.sync|shfl\.sync' 6.0 30
    least "$1" 'activemask' 6.2 30
    [[ -z $ptxas ]] || "$ptxas" -arch=sm_75 "$1" -o /dev/null >ptxas.log 2>&1 ||
        complain "$name: ptxas refuses it: $(grep -m 2 -E 'error|fatal' ptxas.log)"
}


want="out:"
for ((t = 0; t < 32; t++)); do want+=" $((40 * (40 * t) + 780))"; done
while read -r version target; do
    source_of "$version" "$target" >k.ptx
    name="$version $target, show"
    "$onchip" show ptx k.ptx >shown.ptx || complain "$name fails"
    legal shown.ptx
    "$onchip" show ptx shown.ptx >again.ptx
    cmp -s shown.ptx again.ptx || complain "$name: read again, it is another"
    for settings in threshold=20,line=24 threshold=20,registers=2,decide=warp noalias,pairs,neighbours,strides,prefetch
    do
        name="$version $target, $settings"
        "$onchip" sl1 k.ptx --sl1=$settings >written.ptx 2>/dev/null || complain "$name fails"
        legal written.ptx
        "$onchip" run k.ptx --kernel k --functional --arg buf:128 --arg buf:5120:iota:u32 --arg u32:40 --dump out:u32 \
            --sl1=$settings >run.out 2>&1
        grep -qx "$want" run.out || complain "$name: $(head -n 3 run.out)"
    done
    grep -q 'k\$sl1' written.ptx || complain "$name: nothing is rewritten"
done <<'END'
1.4 sm_13
2.0 sm_13
2.0 sm_20
2.3 sm_20
3.0 sm_30
6.0 sm_70
END
exit $bad
