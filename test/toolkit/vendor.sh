#!/bin/bash
# Our headers of libraries say what the vendor's say, where nvcc has these: the numbers have the same values, and each
# function takes the same parameters.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
source "$ONCHIP_SOURCE/test/nvcc.bash"
include=$ONCHIP_SOURCE/cuda/include
[[ -x $nvcc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
# Numbers that CUDA 13 has no more.
gone='CUFFT_(INCOMPLETE_PARAMETER_LIST|PARSE_ERROR|LICENSE_ERROR)'

# agrees HEADER PREFIX MANY: at least so many functions and numbers are compared
agrees() {
    printf '#include <%s>\n' "$1" >"$work/ours.c"
    cp "$work/ours.c" "$work/theirs.cu"
    gcc -E -P -I "$include" -I "$ONCHIP_BUILD/cuda/include" "$work/ours.c" | tr -s ' \n' ' ' |
        sed 's/;/;\n/g' >"$work/all"
    # A pointer of our type to each function.
    sed -nE "s/^ ?(.*[ *])($2[A-Z][A-Za-z0-9_]*)\((.*)\);$/\1(*p_\2)(\3) = \2;/p" "$work/all" >"$work/checks"
    grep -oE "\b${2^^}_[A-Z0-9_]+ = (0x)?[0-9a-f]+" "$work/all" | grep -vE "^$gone " |
        sed -E 's/(.*) = (.*)/static_assert((int)\1 == \2, "\1");/' >>"$work/checks"
    (($(wc -l <"$work/checks") >= $3)) || complain "$1: only $(wc -l <"$work/checks") compared"
    cat "$work/checks" >>"$work/theirs.cu"
    "$nvcc" -std=c++17 -c "$work/theirs.cu" -o "$work/theirs.o" >"$work/log" 2>&1 ||
        complain "$1: $(grep error "$work/log")"
}
compared() { [[ ! -e $toolkit/include/$1 ]] || agrees "$@"; }
compared cufftXt.h cufft 55
compared curand.h curand 55
compared cusparse.h cusparse 190
exit $bad
