#!/bin/bash
# Debian's gcc with offloading to nvptx: programs of OpenMP and OpenACC run on the simulated GPU, and so they say
# themselves. Kernels and their counters are in the report. No tool of NVIDIA's takes part.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
accelerator=/usr/lib/gcc/x86_64-linux-gnu/12/accel/nvptx-none/mkoffload
[[ -z ${ONCHIP_SANITIZED:-} && -x $accelerator ]] || exit 77
for language in openmp openacc; do
    now="gcc -f$language"
    # A ptxas in PATH would be asked to check the code, and NVIDIA's of today knows no sm_35.
    PATH=/usr/bin:/bin gcc-12 -O2 -f$language -foffload=nvptx-none \
        "$ONCHIP_SOURCE/test/libcuda/clients/$language.c" -o $language 2>log || complain "$(<log)"
done
for options in '--functional --gpu gtx480' '--gpu rtx2060' '--gpu titan_v' '--gpu h200'; do
    for language in openmp openacc; do
        # shellcheck disable=SC2086
        ACC_DEVICE_TYPE=nvidia run $options -- ./$language
        ends 0
        prints <<<'0 wrong, on the GPU'
        says "main\$_omp_fn\$"
    done
done
exit $bad
