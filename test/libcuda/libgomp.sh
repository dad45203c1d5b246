#!/bin/bash
# A part of GCC's own tests of OpenMP and OpenACC offloading, from Debian's gcc-12-source, on the simulated GPU; with
# ONCHIP_LONG a larger one. All of them take an hour to compile: see libgomp.py.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
accelerator=/usr/lib/gcc/x86_64-linux-gnu/12/accel/nvptx-none/mkoffload
[[ -z ${ONCHIP_SANITIZED:-} && -e /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz && -x $accelerator ]] || exit 77
now=libgomp.py
every=61
[[ -z ${ONCHIP_LONG:-} ]] || every=7
python3 "$ONCHIP_SOURCE/test/libcuda/libgomp.py" "$work/suite" $every >out 2>&1 || complain "$(<out)"
[[ $(<out) == *right* ]] || complain "$(<out)"
cat out
exit $bad
