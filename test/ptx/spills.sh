#!/bin/bash
# How much is spilled, beside ptxas: 96 values that change four times, each time under new names, in fewer registers.
# The facts are the bytes of the frame, and of "spill stores" and "spill loads", that ptxas of CUDA 13 names with -v for
# sm_86; where there is that ptxas, it is asked anew. Ours are at most 600 bytes more, since ptxas orders instructions
# by what it would have to spill. (With a home for each register, as it once was, they were 3,000 more.) What is
# computed stays the same.
source "$ONCHIP_SOURCE/test/test.bash"
PATH=$PATH:/usr/local/cuda/bin
ptx=$work/spills.ptx

# turn OLD NEW: each value becomes the sum of half of it and of another one, as that one is by then.
turn() {
    local i j
    for ((i = 0; i < 96; i++)); do
        j=$(((i * 37 + 11) % 96))
        echo "    fma.rn.f32 %$2$i, %$1$i, 0f3F000000, %$(((j < i)) && echo "$2" || echo "$1")$j;"
    done
}

kernel() {
    local i
    cat <<END
.version 7.1
.target sm_80
.address_size 64
.visible .entry spills(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %d<8>; .reg .f32 %f<98>, %g<98>, %h<98>, %k<98>, %m<98>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %d3, %r2, 4;
    add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
END
    for ((i = 0; i < 96; i++)); do echo "    ld.global.f32 %f$i, [%d4+$((i * 128))];"; done
    turn f g
    turn g h
    turn h k
    turn k m
    for ((i = 1; i < 96; i++)); do echo "    add.f32 %m0, %m0, %m$i;"; done
    echo '    st.global.f32 [%d5], %m0; ret; }'
}
kernel >"$ptx"

# facts REGISTERS: what ptxas says, frame, stores and loads.
facts() {
    ptxas -arch=sm_86 -maxrregcount="$1" -v "$ptx" -o "$work/x" 2>&1 |
        awk '/bytes stack frame/ { print $1, $5, $9 }'
}

compute() {
    "$ONCHIP" run "$ptx" --gpu rtx3080 --functional --registers "$1" --block 32 --arg buf:12288:rand:f32 --arg buf:128 \
        --dump 1 2>&1 | head -1
}
right=$(compute 255)
[[ $right == out:* ]] || complain "nothing is computed: $right"

while read -r most frame stores loads; do
    if [[ $(ptxas --version 2>/dev/null) == *release\ 13.0* ]]; then
        said=$(facts "$most")
        [[ $said == "$frame $stores $loads" ]] || complain "ptxas says with $most registers: $said"
    fi
    sed "s/^max = 255.*/max = $most/" "$ONCHIP_SOURCE/gpus/rtx3080.ini" >"$work/gpu.ini"
    "$ONCHIP" show ptx "$ptx" --gpu "$work/gpu.ini" --after spill >"$work/after.ptx" || complain "show fails"
    ours=$((4 * $(grep -c '\.local \.align' "$work/after.ptx")))
    stored=$((4 * $(grep -c 'st\.local' "$work/after.ptx"))) loaded=$((4 * $(grep -c 'ld\.local' "$work/after.ptx")))
    echo "$most registers: frame $ours, ptxas $frame; stores $stored, $stores; loads $loaded, $loads"
    ((ours <= frame + 160 && stored + loaded <= stores + loads + 600)) || complain "that is far more than ptxas"
    ((most > 64 || stored + loaded >= stores)) || complain "so little can't be"
    [[ $(compute "$most") == "$right" ]] || complain "with $most registers something else is computed"
done <<END
32 432 652 684
48 272 344 356
64 160 168 172
80 56 56 56
96 0 0 0
END
exit $bad
