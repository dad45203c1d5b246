#!/bin/bash
# CUDA programs, each for one part of the interface, that nvcc has built and that are kept in bin/: each checks itself
# by what CUDA's documents demand. In the long form nvcc builds them anew, with CUDA's runtime beside and inside.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} && $(uname -m) == x86_64 ]] || exit 77
folder=$ONCHIP_SOURCE/test/programs
# They ask for the C and C++ libraries of the system on which they were built, or newer ones.
! LD_LIBRARY_PATH=$ONCHIP_BUILD/cuda ldd "$folder/bin/threads" 2>&1 | grep 'not found' || exit 77

# go FOLDER: runs the programs there.
go() {
    while IFS='|' read -r name _ options exits text; do
        read -r name <<<"$name"
        [[ $name && $name != '#'* ]] || continue
        # shellcheck disable=SC2086
        run $options "$1/$name"
        ends "$((exits))"
        if [[ -e $folder/$name.out ]]; then prints <"$folder/$name.out"; else prints <<<'0 wrong'; fi
        IFS=';' read -ra texts <<<"$text"
        for text in "${texts[@]}"; do read -r text <<<"$text" && says "$text"; done
    done <"$folder/list"
}

go "$folder/bin"
if [[ ${ONCHIP_LONG:-} ]]; then
    for runtime in shared static; do
        ONCHIP_BIN=$work/$runtime ONCHIP_CUDART=$runtime bash "$folder/build.bash" 2>log
        case $? in
        0) go "$work/$runtime" ;;
        77) ;;
        *) now="build.bash, the $runtime runtime" && complain "$(<log)" ;;
        esac
    done
fi
exit $bad
