#!/bin/bash
# LLVM's OpenMP: clang-16 compiles target regions with our ptxas and nvlink, and libomptarget runs them on the simulated
# GPU. No tool of NVIDIA's takes part.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
llvm=/usr/lib/llvm-16
for needed in clang clang-linker-wrapper; do [[ -x $llvm/bin/$needed ]] || exit 77; done
[[ -e $llvm/lib/libomptarget.rtl.cuda.so && -e $ONCHIP_BUILD/cuda/nvvm/libdevice/libdevice.10.bc ]] || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
# The plugin for GPUs lies where no program looks by itself. Without a GPU the host would do the work.
export LD_LIBRARY_PATH=$llvm/lib OMP_TARGET_OFFLOAD=MANDATORY
for target in sm_70:titan_v sm_75:rtx2060 sm_90:h200; do
    now="clang-16 -march=${target%:*}"
    PATH=/usr/bin:/bin clang-16 -w -O2 -g -fopenmp -fopenmp-targets=nvptx64 -Xopenmp-target "-march=${target%:*}" \
        "--cuda-path=$ONCHIP_BUILD/cuda" "$ONCHIP_SOURCE/test/libcuda/clients/openmp.c" -o openmp >log 2>&1 ||
        complain "$(<log)"
    for options in '' --functional; do
        # shellcheck disable=SC2086
        run $options --gpu "${target#*:}" -- ./openmp
        ends 0
        prints <<<'0 wrong, on the GPU'
        says __omp_offloading_
    done
done
exit $bad
