#!/bin/bash
# The shared library exports what onchip.h declares and doesn't define, all of it and nothing else. The one that is
# preloaded exports functions of the driver, and dlsym; libcudart exports the runtime's, in one version; libcuda the
# driver's, functions of the C library that open files, read clocks or wait, and __cxa_atexit; libnvvm libNVVM's. They
# need nothing but the C library, and libcudart needs libcuda; the static library needs nothing of the program's.
set -euo pipefail
library=$ONCHIP_BUILD/libonchip.so
[[ -e $library && -e $ONCHIP ]] || exit 77
header=$ONCHIP_SOURCE/include/onchip.h
inline=$(sed -nE 's/^static inline .*\b(oc_[a-z_]+)\(.*/\1/p' "$header" | sort -u)
declared=$(grep -oE '\boc_[a-z0-9_]+\(' "$header" | tr -d '(' | sort -u | comm -23 - <(echo "$inline"))
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u)
diff <(echo "$declared") <(echo "$exported")
# needs_libc FILE: of shared libraries FILE needs the C library alone.
needs_libc() {
    [[ -n ${ONCHIP_SANITIZED:-} ]] || ! readelf -d "$1" | grep NEEDED | grep -vE 'lib(c|m|dl|pthread)\.so|ld-linux'
}
needs_libc "$library"
static=$ONCHIP_BUILD/libonchip.a program=$ONCHIP_BUILD/libonchip_program.a
[[ -e $static && -e $program ]]
undefined=$(nm -u "$static" | awk 'NF == 2 { print $2 }' | sort -u)
beyond=$(grep -E '^(sqlite3|pcre2)_' <<<"$undefined" || true)
beyond+=$(comm -12 <(echo "$undefined") <(nm --defined-only "$program" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort -u))
[[ -z $beyond ]] || { printf 'libonchip.a needs what only the program has:\n%s\n' "$beyond" >&2 && exit 1; }

library=$ONCHIP_BUILD/libonchip-sl1.so
intercepted=$(sed -n 's/^DRIVER(\([a-zA-Z0-9_]*\), [A-Z]*, FRONT,.*/\1/p' "$ONCHIP_SOURCE/src/driver/driver.def")
diff <(printf '%s\n' "$intercepted" dlsym | sort) <(nm -D --defined-only "$library" | awk '{ print $NF }' | sort)
needs_libc "$library"

library=$ONCHIP_BUILD/cuda/libcudart.so.13
exported=$(nm -D --defined-only "$library" | awk '$2 == "T" { print $NF }')
runtime=$(grep -E '^(__)?cuda[A-Za-z0-9_]+@@libcudart\.so\.13$' <<<"$exported")
(($(wc -l <<<"$runtime") == 422))  # as of CUDA 13.0
# Each is a row of runtime.def, which doc/reference/cudart.md is made of.
rows=$(sed -nE 's/^RUNTIME_[A-Z]+\(([A-Za-z0-9_]+).*/\1/p' "$ONCHIP_SOURCE/src/driver/runtime.def" | sort)
diff <(echo "$rows" | sed -E 's/_pt[sd][sz]$//' | sort -u) <(sed -E 's/@.*//; s/_pt[sd][sz]$//' <<<"$runtime" | sort -u)
[[ -z $(uniq -d <<<"$rows") ]]
[[ $exported == "$runtime" ]]
[[ $(readelf -d "$library") == *'soname: [libcudart.so.13]'* ]]
[[ $(readelf -d "$library" | grep NEEDED) == *libcuda.so.1* ]]

library=$ONCHIP_BUILD/cuda/libcuda.so.1
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -vE '^(cu[A-Z]|onchip_(__)?cuda)' | sort)
diff - <(echo "$exported") <<<"$(printf '%s\n' \
    {,f,fre}open{,64} openat{,64} __open{,at}{,64}_2 __cxa_atexit onchip_{runtime_is,simulates} \
    clock_gettime gettimeofday time timespec_get ftime clock times getrusage \
    pthread_{cond_{timed,clock}wait,mutex_{timed,clock}lock,rwlock_{timed,clock}{rd,wr}lock,{timed,clock}join_np} \
    sem_{timed,clock}wait mq_timed{send,receive} cnd_timedwait mtx_timedlock {clock_nano,nano,u,,thrd_}sleep \
    timer{,fd}_settime {,p}poll __{,p}poll_chk {,p}select epoll_{wait,pwait{,2}} sigtimedwait syscall | sort)"
[[ $(readelf -d "$library") == *'soname: [libcuda.so.1]'* ]]
needs_libc "$library"

library=$ONCHIP_BUILD/cuda/nvvm/lib64/libnvvm.so
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort)
diff <(grep -oE '\bnvvm[A-Z][A-Za-z]*\(' "$ONCHIP_SOURCE/src/nvvm/libnvvm.h" | tr -d '(' | sort) <(echo "$exported")
[[ $(readelf -d "$library") == *'soname: [libnvvm.so.4]'* ]]
needs_libc "$library"
