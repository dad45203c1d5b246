# program.bash: how a program that checks itself is built by onchip cc, and run. It prints how much is wrong.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
command -v clang >/dev/null && [[ -e /usr/lib/clc/nvptx64--nvidiacl.bc && -z ${ONCHIP_SANITIZED:-} ]] || exit 77

# program FILE [OPTIONS…]: a file of this folder, without its ending
tried=0 arch=sm_80 gpu=a100
program() {
    local name=${1##*/} file=$ONCHIP_SOURCE/test/compile/$1.cu
    tried=1
    "$ONCHIP" cc "-arch=$arch" "${@:2}" "$file" -o "$work/$name" >"$work/log" 2>&1 ||
        complain "$name: $(head -c 600 "$work/log")"
    "$ONCHIP" run --functional --gpu "$gpu" "$work/$name" >"$work/out" 2>"$work/log"
    [[ $(<"$work/out") == '0 wrong' ]] || complain "$name: $(tail -n 3 "$work/out") $(head -c 300 "$work/log")"
}

# library HEADER FILE [OPTIONS…]: the same, where the header is in /usr/include
library() { [[ ! -e /usr/include/$1 ]] || program "${@:2}"; }

# checked NAME: that program, if it was built, does nothing that PTX leaves undefined.
checked() {
    [[ -e $work/$1 ]] || return
    "$ONCHIP" run --check --gpu "$gpu" "$work/$1" >"$work/out" 2>"$work/log" ||
        complain "$1: --check finds something: $(grep -A 12 findings "$work/log" | head -c 600)"
    [[ $(<"$work/out") == '0 wrong' ]] || complain "$1, checked: $(tail -n 3 "$work/out")"
}

# Ends the script.
verdict() { ((tried)) || exit 77; exit "$bad"; }
