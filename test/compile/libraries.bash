# libraries.bash: how the program of a library is built and run. It checks itself and prints how much is wrong.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77

# library NAME HEADER [OPTIONS…]: libraries/NAME.cu, where HEADER is in /usr/include
tried=0
library() {
    local name=$1 file=$ONCHIP_SOURCE/test/compile/libraries/$1.cu
    [[ -e /usr/include/$2 ]] || return
    tried=1
    "$ONCHIP" cc -arch=sm_80 "${@:3}" "$file" -o "$work/$name" >"$work/log" 2>&1 ||
        complain "$name: $(head -c 600 "$work/log")"
    "$ONCHIP" run --functional --gpu a100 "$work/$name" >"$work/out" 2>"$work/log"
    [[ $(<"$work/out") == '0 wrong' ]] || complain "$name: $(tail -n 3 "$work/out") $(head -c 300 "$work/log")"
}
