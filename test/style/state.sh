#!/bin/bash
# No file-scope mutable state (CONTRIBUTING.md): the objects of the library, and those that the program adds, have no
# symbol in a writable section. Tables of pointers lie in .data.rel.ro, which is read-only once loaded.
set -euo pipefail
libraries=("$ONCHIP_BUILD"/libonchip.a "$ONCHIP_BUILD"/libonchip_program.a)
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # sanitizers bring state of their own
[[ -e ${libraries[0]} && -e ${libraries[1]} ]] || exit 77
state=$(objdump -t "${libraries[@]}" | awk '
    / file format / { object = $1 }
    {
        for (i = 2; i < NF; i++)  # value, flags, section, size, name: the section is the field before the size
            if ($i ~ /^(\.data|\.bss|\.tbss|\.tdata|\*COM\*)/ && $i !~ /^\.data\.rel\.ro/ && $NF != $i)
                print object, $NF, $i
    }')
if [[ -n $state ]]; then
    printf 'file-scope mutable state:\n%s\n' "$state" >&2
    exit 1
fi
