#!/bin/bash
# libomptarget-plugin.sh: Debian's libomptarget finds no plugin, so that target regions of a program run on the host.
#
# Debian 12's LLVM 16.0.6, 2026-11-29. clang gives a program of OpenMP's target regions a RUNPATH, by which it finds
# libomptarget. The library loads its plugins, one for each kind of device, by their bare names, and the program's
# RUNPATH doesn't hold for what a library loads. The plugins lie in /usr/lib/llvm-16/lib, where nothing else looks: there
# are no devices, the host does the work, and no word is said. With LD_LIBRARY_PATH the devices are there. Seen with
# the plugin for x86_64, whose four devices are the host's own processor.
#
# Exit status: 0 where that is so, 1 where it has changed, 77 where the packages can't be had.
set -uo pipefail
version=1:16.0.6-15~deb12u1
packages=(clang-16 clang-tools-16 libclang-cpp16 libllvm16 libclang-common-16-dev libomp-16-dev libomp5-16)
others=(libz3-4 libedit2 libbsd0 libmd0 libxml2 libicu72)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 77
command -v ld >/dev/null || { echo 'there is no linker' >&2; exit 77; }
apt-get -qq download "${packages[@]/%/=$version}" "${others[@]}" || { echo "the packages can't be had" >&2; exit 77; }
for p in ./*.deb; do dpkg -x "$p" root || exit 77; done
llvm=$PWD/root/usr/lib/llvm-16
cat >where.c <<'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int host = 1;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    printf("%d devices, on the %s\n", omp_get_num_devices(), host ? "host" : "device");
}
END
PATH=$llvm/bin:$PATH LD_LIBRARY_PATH=$PWD/root/usr/lib/x86_64-linux-gnu:$llvm/lib \
    "$llvm/bin/clang" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu where.c -o where || exit 77
"$llvm/bin/clang" --version 2>/dev/null | head -n 1
readelf -d where | grep -i runpath
bad=0
expect() { # TEXT [VARIABLE=VALUE]
    local got
    got=$(env -u LD_LIBRARY_PATH "${@:2}" ./where)
    echo "${2+with LD_LIBRARY_PATH: }$got"
    [[ $got == "$1" ]] || { echo "expected: $1" >&2; bad=1; }
}
expect '0 devices, on the host'
expect '4 devices, on the device' LD_LIBRARY_PATH="$llvm/lib"
exit $bad
