#!/bin/bash
# ideal.* of a description: ten kernels with a planted cause take, with that cause idealised, what the cured kernel
# takes without, to 10 %; the cure is worth at least a fifth; and the cured kernel takes with the key what it takes
# without it.
source "$ONCHIP_SOURCE/test/test.bash"
source=$ONCHIP_SOURCE/test/lab/ideal/pairs.cu
command -v clang >/dev/null || command -v clang-14 >/dev/null || { echo "no clang: skipped"; exit 77; }

# cycles KERNEL GRID BLOCK OPTION…
cycles() {
    "$ONCHIP" run "$source" --kernel "$1" --gpu rtx3080 --grid "$2" --block "$3" --arg buf:16777216 --arg buf:16777216 \
        --json "${@:4}" 2>"$work/err" | sed -n 's/.*"cycles": \([0-9]*\),*$/\1/p' | head -1
}
near() { awk "BEGIN { d = $1 / $2 - 1; exit !(d < 0.1 && d > -0.1) }"; }

# judge NAME BAD IDEAL GOOD GOOD_IDEAL
judge() {
    echo "$1: $2 cycles, idealised $3, cured $4"
    [[ $2 && $3 && $4 && $5 ]] || { complain "$1: a run fails: $(head -3 "$work/err")"; return; }
    near "$3" "$4" || complain "$1: $3 and $4 are more than 10 % apart"
    (($2 * 5 > $4 * 6)) || complain "$1: the cause costs nothing"
    near "$5" "$4" || complain "$1: cured, it takes $4 and idealised $5"
}

while read -r name key grid block; do
    set=(--set "ideal.$key=yes")
    judge "$name" "$(cycles "${name}_bad" "$grid" "$block")" "$(cycles "${name}_bad" "$grid" "$block" "${set[@]}")" \
        "$(cycles "${name}_good" "$grid" "$block")" "$(cycles "${name}_good" "$grid" "$block" "${set[@]}")"
done <<END
column coalesced 32,1024 32
structures coalesced 2048 256
chunks coalesced 1024 256
rows coalesced 16 256
stencil coalesced 4,1022 256
tile conflicts 272 32,32
steps conflicts 272 256
ways divergence 408 256
few divergence 272 256
END
judge spills "$(cycles spills 68 256 --registers 64)" \
    "$(cycles spills 68 256 --registers 64 --set ideal.spills=yes)" "$(cycles spills 68 256 --registers 255)" \
    "$(cycles spills 68 256 --registers 255 --set ideal.spills=yes)"
# Rows of 64 bytes of halves, with 16 bytes behind each, as the keys of other layouts have it.
judge halves "$(cycles halves_bad 272 256)" \
    "$(cycles halves_bad 272 256 --set shared.pad=yes --set shared.pad_row=64 --set shared.pad_by=16)" \
    "$(cycles halves_good 272 256)" "$(cycles halves_good 272 256 --set ideal.conflicts=yes)"
exit $bad
