#!/bin/bash
# --lines: an instruction belongs to the file and line of its .loc; without one, or where the compiler gave it line 0,
# to its line in the PTX. Every instruction below is issued once by each of 4 warps; counted by hand.
source test/cli/expect.bash
card=gtx480
cat >"$work/k.ptx" <<'END'
.version 7.0
.target sm_35
.address_size 64
.file 1 "a.cu"
.file 2 "inc/b.cuh"
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    mov.u32 %r1, %tid.x;
    .loc 1 5 1
    add.u32 %r2, %r1, 1;
    add.u32 %r2, %r2, 2;
    .loc 2 5 1
    add.u32 %r3, %r2, 1;
    .loc 1 0 1
    add.u32 %r4, %r3, 1;
    .loc 1 7 1
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r4;
    ret;
}
END
expected='a.cu:5 8
a.cu:7 20
inc/b.cuh:5 4
k.ptx:10 4
k.ptx:17 4'
cd "$work" || exit 1
run run k.ptx --grid 2 --block 64 --arg buf:256 --no-lowering --lines
[[ $(awk '$1 ~ /:[0-9]+$/ { print $1, $2 }' <<<"$out" | sort) == "${expected/inc\/b/b}" ]] || complain "--lines: $out"
[[ $out == *'stalls of a line:'* ]] || complain '--lines: stalls are not explained'
run run k.ptx --grid 2 --block 64 --arg buf:256 --no-lowering --lines --json
got=$(awk -F'"' '
    /^ *"file"/ { file = $4 }
    /^ *"line"/ { gsub(/[^0-9]/, ""); line = $0 }
    /^ *"issued"/ { gsub(/[^0-9]/, ""); print file ":" line, $0 }' <<<"$out")
[[ $(sort <<<"$got") == "$expected" ]] || complain "--lines --json: $got"
run run k.ptx --grid 2 --block 64 --arg buf:256
[[ $out != *'source line'* && $out != *'stalls of'* ]] || complain 'lines that nobody asked for'

# A file is shown without its folders, unless two files have its name.
mkdir -p a/very/long/way
cp k.ptx a/very/long/way/
run run a/very/long/way/k.ptx --grid 2 --block 64 --arg buf:256 --lines
[[ $out == *'  k.ptx:10 '* ]] || complain "a long path: $out"
sed 's|inc/b.cuh|inc/a.cu|' k.ptx >two.ptx
run run two.ptx --grid 2 --block 64 --arg buf:256 --lines
[[ $out == *'  inc/a.cu:5 '* && $out == *'  a.cu:7 '* ]] || complain "two files of one name: $out"
exit $bad
