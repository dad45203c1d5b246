#!/bin/bash
# What a launch costs the host: the instructions of the six launches of doc/results/performance.md, timed and without
# time, are within 3 % of instructions.csv. Callgrind counts, and only what the program's own object executes counts:
# libc picks its memset by the processor, and the start of a process depends on the libraries. Another compiler makes
# other code, so the file names the one that made its numbers, and with another nothing is compared; nor where valgrind
# can't show the program the vector unit that it ran on then.
#
# Where a number moves on purpose, run `test/lab/instructions_long.sh --update`: the commit shows what it gained. So the
# file is also the place to look for which commit made what slower.
set -euo pipefail
cd "${ONCHIP_SOURCE:-$(dirname "$0")/../..}"
onchip=${ONCHIP:-build/onchip} kept=test/lab/instructions.csv most=3 update=${1:-}
source test/test.bash
skip() { echo "skipped: $1"; exit 77; }
[[ -x $onchip ]] || skip "no $onchip"
[[ -z ${ONCHIP_SANITIZED:-} ]] || skip 'a sanitizer is in the way'
command -v valgrind >/dev/null || skip 'valgrind is missing: apt install valgrind'
command -v readelf >/dev/null || skip 'readelf is missing: apt install binutils'
grep -qw avx2 /proc/cpuinfo || skip 'the processor has no AVX2, as that of the kept numbers has'

# What made the code.
compiler=$(readelf -p .comment "$onchip" | sed -n 's/^ *\[ *[0-9a-f]*\]  *//p' | sort -u | paste -sd' ')
build=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$(dirname "$onchip")/CMakeCache.txt" 2>/dev/null || true)
[[ $build == Release ]] || skip "the build is '$build', not Release"
made=$(sed -n 's/^compiler,//p' "$kept" 2>/dev/null || true)
[[ -n $update || $compiler == "$made" ]] || skip "the compiler is '$compiler', and the numbers are of '$made'"

# The million instructions that the program's own object executes.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/counts" "$onchip" run "$@" --threads 1 --gpu gtx480 \
        >"$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
    # A line behind ob= is a position and what it costs. Behind calls= it is what the call costs, counted elsewhere.
    awk -v own="$(realpath "$onchip")" '
        /^ob=/ {
            id = $1; sub(/^ob=/, "", id)
            name = $0
            if (sub(/^ob=\([0-9]+\) /, "", name) && name == own) mine = id
            on = id == mine
            next
        }
        /^cob=/ {
            id = $1; sub(/^cob=/, "", id)
            name = $0
            if (sub(/^cob=\([0-9]+\) /, "", name) && name == own) mine = id
            next
        }
        /^calls=/ { getline; next }
        on && /^[-+*0-9]/ { n += $2 }
        END { if (!n) exit 1; printf "%.2f", n / 1e6 }' "$work/counts"
}

{
    echo "compiler,$compiler"
    echo launch,timed,functional
} >"$work/now"
while read -r launch; do
    # shellcheck disable=SC2086
    timed=$(count $launch)
    # shellcheck disable=SC2086
    functional=$(count ${launch% --kernels*} --functional)
    echo "$launch,$timed,$functional"
done >>"$work/now" <<'END'
vectoradd n=131072
syrk n=64
conv2d n=256
matmul-tiled n=128
atax nx=3840 ny=64 --kernels kernel1
syrk n=128
END

if [[ $update == --update ]]; then
    cp "$work/now" "$kept"
    exit
fi
awk -F, -v most="$most" '
    function compare(what, was, is, part) {
        part = 100 * (is / was - 1)
        printf "%-38s %-10s %9.2f %9.2f %+6.2f %%\n", $1, what, was, is, part
        if (part > most || part < -most) bad = 1
    }
    FNR == NR { timed[$1] = $2; functional[$1] = $3; next }
    FNR == 1 { printf "%-38s %-10s %9s %9s (million host instructions)\n", "launch", "", "kept", "now" }
    FNR > 2 && !($1 in timed) { print $1 ": no number is kept"; bad = 1; next }
    FNR > 2 { compare("timed", timed[$1], $2); compare("functional", functional[$1], $3) }
    END { exit bad }' "$kept" "$work/now" || complain "more than $most % away from $kept: \
if that is meant, run test/lab/instructions_long.sh --update"
exit $bad
