#!/bin/bash
# Two threads of a program use the interface at once (two.c). In a build with ThreadSanitizer the program has it, too,
# and what it finds in either is a failure.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
sanitizer=
if [[ ${ONCHIP_SANITIZED:-} ]]; then
    grep -q __tsan_init <<<"$(nm -D "$ONCHIP_BUILD/cuda/libcudart.so.13")" || exit 77  # each wants a program of its own
    sanitizer=-fsanitize=thread
fi
now=cc
# shellcheck disable=SC2086
cc -std=gnu17 -g -Wall -Wextra -Werror $sanitizer "$ONCHIP_SOURCE/test/cudart/two.c" -o two -pthread \
    "$ONCHIP_BUILD/cuda/libcudart.so.13" || exit 1
for options in '' '--functional --gpu h200'; do
    # shellcheck disable=SC2086
    run $options ./two
    ends 0
    prints < <(printf 'hello\n%.0s' {1..8} && echo '0 wrong')
    says "cudaImportExternalMemory isn't there yet"
    ! grep -q 'WARNING: ThreadSanitizer' err || complain "$err"
done
exit $bad
