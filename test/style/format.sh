#!/bin/bash
# The C sources and .clang-format agree, and lines of sources, tables and scripts fit 120 columns. What clang-format
# writes differs between its versions, so the first half is skipped where Debian 12's isn't there.
set -uo pipefail
cd "$ONCHIP_SOURCE"
export LC_ALL=C.UTF-8  # columns are characters, not bytes
failed=0

mapfile -t sources < <(find src include test tools workloads examples -name '*.[ch]' | sort)
mapfile -t others < <(find src include test tools workloads cmake .ci CMakeLists.txt dev -type f \
    \( -name '*.sh' -o -name '*.bash' -o -name '*.awk' -o -name '*.sed' -o -name '*.def' -o -name '*.cu' -o \
    -name '*.cmake' -o -name CMakeLists.txt -o -path dev -o -path .ci/run \) | sort)
if grep -nE '^.{121,}$' "${sources[@]}" "${others[@]}"; then
    echo "these lines are longer than 120 columns"
    failed=1
fi

format=$(command -v clang-format-14 || command -v clang-format)
if [[ -z $format ]] || ! grep -q 'version 14\.' <<<"$("$format" --version)"; then
    ((failed)) && exit 1
    echo "clang-format 14 isn't installed: only the lines' lengths were checked"
    exit 77
fi
if ! "$format" --dry-run --Werror "${sources[@]}"; then
    echo "run ./dev format"
    failed=1
fi
exit $failed
