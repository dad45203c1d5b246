#!/bin/bash
# Each function that programs can call by name is in the library, and with CUDA_API_PER_THREAD_DEFAULT_STREAM means its
# form for a thread's own stream wherever the library has one. The table src/driver/runtime.def makes both.
source "$ONCHIP_SOURCE/test/test.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
cd "$work" || exit 1
library=$ONCHIP_BUILD/cuda/libcudart.so.12
headers=$ONCHIP_BUILD/cuda/include
# Declared functions, as the compiler sees them: in C, without forms.
echo '#include <cuda_runtime_api.h>' >all.h
cc -std=gnu17 -E -P -I "$headers" -x c all.h | grep -oE '\bcuda[A-Z][A-Za-z0-9_]* *\(' | tr -d ' (' | sort -u >declared
nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >exported
grep -qx cudaMalloc declared || complain "no function is found in the headers"
comm -12 declared exported >names
(($(wc -l <names) > 240)) || complain "only $(wc -l <names) functions are declared"
{
    cat all.h
    echo 'void *const all[] = {'
    sed 's|.*|    (void *)&,|' names
    echo '};'
    echo 'int main(void) { return 0; }'
} >all.c
for option in '' -DCUDA_API_PER_THREAD_DEFAULT_STREAM; do
    # shellcheck disable=SC2086
    cc -std=gnu17 -Wall -Werror -I "$headers" $option all.c -o all "$library" || complain "all.c with '$option'"
    nm -u all | awk '{ print $2 }' | sed 's/@.*//' | sort -u >meant
    while read -r name; do
        want=$name
        for form in ptsz ptds; do [[ ! $option ]] || ! grep -qx "${name}_$form" exported || want=${name}_$form; done
        grep -qxE "$want" meant || complain "with '$option' $name doesn't mean $want"
    done < <(grep -vE '^cudaLaunchKernel$|_v[23]$|^cudaGetDeviceProperties$|^cudaStreamGetCaptureInfo' names)
done
exit $bad
