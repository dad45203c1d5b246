# program.bash: how a program that checks itself is built with onchip's headers and libraries, and run. It prints how
# much is wrong. Where the vendor's toolkit is, nvcc builds it with the vendor's headers and links it with the vendor's
# library, and it is run with ours.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
[[ -e $ONCHIP_BUILD/cuda/libcublas.so.12 ]] || exit 77
source "$ONCHIP_SOURCE/test/nvcc.bash"

# program FILE GPU [OPTIONS…]: a file of this folder, without its ending, built with these options
program() {
    local file=$ONCHIP_SOURCE/test/toolkit/$1.cu gpu=$2
    "$ONCHIP" cc -arch=sm_80 "$file" -o "$work/program" "${@:3}" >"$work/log" 2>&1 ||
        complain "$1: $(head -c 600 "$work/log")"
    runs "$1" --functional --gpu "$gpu"
    [[ -x $nvcc && ${ONCHIP_LONG:-} ]] || return
    "$nvcc" -std=c++17 -arch=sm_80 -cudart shared "$file" -o "$work/program" "${@:3}" >"$work/log" 2>&1 ||
        complain "$1, nvcc: $(head -c 600 "$work/log")"
    runs "$1, nvcc" --functional --gpu "$gpu"
}

# runs NAME OPTION…: what was built last
runs() {
    "$ONCHIP" run "${@:2}" "$work/program" >"$work/out" 2>"$work/log"
    [[ $(<"$work/out") == '0 wrong' ]] || complain "$1: $(tail -n 3 "$work/out") $(head -c 600 "$work/log")"
}
