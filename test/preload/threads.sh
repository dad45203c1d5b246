#!/bin/bash
# Threads that load, launch and unload at once, in two contexts, get what each would get alone; under ThreadSanitizer
# without a data race in the library. (LD_LIBRARY_PATH has the stand-in.)
set -euo pipefail
library=$ONCHIP_BUILD/libonchip-sl1.so
[[ -e $library ]] || exit 77
sanitizer=$(ldd "$library" | grep -o '/[^ ]*lib[at]san[^ ]*' || true)
[[ $sanitizer != *libasan* ]] || exit 77  # it finds the application's own leaks at the end
here=$ONCHIP_SOURCE/test/preload
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cc -std=gnu17 -Wall -O1 -g ${sanitizer:+-fsanitize=thread} "$here/threads.c" -o threads -ldl -lpthread
./threads "$here/add.ptx" >/dev/null  # the stand-in alone
# The stand-in's lock orders what happens in it, and would order what happens in front of it, too.
printf '%s:libcuda.so.1\n' called_from_lib race >apart
export TSAN_OPTIONS="exitcode=1 log_path=$folder/race suppressions=$folder/apart print_suppressions=0"
ONCHIP_SL1_LOG=log LD_PRELOAD="${sanitizer:+$sanitizer }$library" ./threads "$here/add.ptx" ||
    { cat race* >&2; exit 1; }
# 2 kernels are shared, 4 threads make 40 modules or libraries each; every kernel of theirs is launched rewritten, and
# is said to be once.
[[ $(grep -c 'add is launched rewritten' log) == 162 ]] || { cat log >&2; exit 1; }
! grep -q 'as it is\|left alone: [^n]' log || { cat log >&2; exit 1; }
