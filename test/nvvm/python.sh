#!/bin/bash
# libnvvm from Python: libdevice's functions without any package; Numba's kernels, where Numba and numpy are there; and
# what is said where LLVM 14 isn't.
cuda=$ONCHIP_BUILD/cuda
[[ -e $cuda/nvvm/lib64/libnvvm.so && -e $ONCHIP_BUILD/libonchip.so && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
command -v python3 >/dev/null && python3 -S -c 'import ctypes; ctypes.CDLL("libLLVM-14.so.1")' 2>/dev/null || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
export PYTHONPATH=$ONCHIP_SOURCE/python:$ONCHIP_SOURCE/test/nvvm PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
export ONCHIP_LIBRARY=$ONCHIP_BUILD/libonchip.so CUDA_HOME=$cuda NUMBA_CACHE_DIR=$work
cd "$work" || exit 1

# A library of that name that isn't one.
mkdir broken
echo 'no library' >broken/libLLVM-14.so.1
said=$(LD_LIBRARY_PATH=$work/broken python3 -S -c "
import functions
print(functions.compile_ir([b'define void @f() { ret void }'], [], []))")
[[ $said == "(9, b'', "*libLLVM-14.so.1*'apt install libllvm14'* ]] || complain "without LLVM: $said"

if [[ -e $cuda/nvvm/libdevice/libdevice.10.bc ]]; then
    python3 -S "$ONCHIP_SOURCE/test/nvvm/functions.py" >log 2>&1 || complain "functions.py: $(tail -n 20 log)"
    if python3 -c 'import numba, numpy' 2>/dev/null; then
        python3 "$ONCHIP_SOURCE/test/nvvm/jit.py" >log 2>&1 || complain "jit.py: $(tail -n 20 log)"
    fi
fi
exit $bad
