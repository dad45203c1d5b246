#!/bin/bash
# A part of a GPU (gpu.slice): an SM of a fifteenth of a Titan Black, with a fifteenth of the input, is busy for as long
# as an SM of the whole is on average, for each of the ten streaming programs. Inputs are far from the edges of caches:
# the L2 of the part is rounded up to whole partitions. Numbers of the part, by hand; what can't be parted is refused.
set -uo pipefail
bad=0
store=$(mktemp -u)
trap 'rm -f "$store"*' EXIT
fail() { echo "$1" >&2; bad=1; }

# The sum of a counter over kernels.
sum() { sed -n "s/.*\"$1\": \([0-9]*\),*$/\1/p" | awk '{ n += $1 } END { print n }'; }
busy() { "${ONCHIP:?}" run "streaming/$1" blocks=60 threads=256 $2 --gpu titan_black "${@:3}" --json | sum sm.active; }

while read -r program input percent; do
    whole=$(busy "$program" "$input") part=$(busy "$program" "$input" --set gpu.slice=15)
    awk -v w="$whole" -v p="$part" -v most="$percent" \
        'BEGIN { d = 100 * (p * 15 / w - 1); exit !(w > 0 && p > 0 && d < most && d > -most) }' ||
        fail "$program: $part cycles in a part, $whole in 15 SMs of the whole"
done <<'END'
affinity size=491520 5
dna fragments=15360 7
grep size=491520 10
index size=491520 8
kmeans n=15360 1
matmul n=120 20
opinion size=491520 5
pageview size=491520 5
upper size=491520 2
wordcount size=491520 2
END

# A third of a GTX 480: 5 SMs, 2 of 6 channels with 2 partitions each, a third of 768 KiB, 59 of 177 GB/s. Loads that
# miss take as long as on the whole, alone; so does a whole that is described as that third is.
third=(--set gpu.sms=5 --set l2.partitions=4 --set l2.size=256KiB --set dram.bandwidth=59 --set gpu.memory=512MiB
    --set host.bandwidth=1.9)
cycles() { "$ONCHIP" run "$@" --json | sum cycles; }
part=$(cycles streaming/upper blocks=60 threads=128 size=98304 --gpu gtx480 --slice 3)
like=$(cycles streaming/upper blocks=20 threads=128 size=32768 --gpu gtx480 "${third[@]}")
[[ $part == "$like" ]] || fail "a third of a GTX 480 takes $part cycles, one described by hand $like"
# Of 24 partitions a tenth is 3, each with 8/10 of a port of 43 bytes a cycle.
tenth=(--set gpu.sms=1 --set l2.partitions=3 --set l2.size=192KiB --set dram.bandwidth=30.7 --set link.partition_in=51.2
    --set link.partition_out=34.4)
part=$(cycles streaming/upper blocks=60 threads=128 size=98300 --gpu titan_black --set gpu.sms=10 --set gpu.slice=10)
like=$(cycles streaming/upper blocks=6 threads=128 size=9830 --gpu titan_black "${tenth[@]}")
[[ $part == "$like" ]] || fail "a tenth of a Titan Black takes $part cycles, one described by hand $like"

refused() {
    local want=$1
    shift
    local said
    said=$("$ONCHIP" run "$@" 2>&1 >/dev/null) && fail "not refused: $*"
    [[ $said == *"$want"* ]] || fail "'$want' isn't said of: $*"
}
refused "gpu.sms, 15, isn't a multiple" upper --gpu titan_black --set gpu.slice=4
refused "channels, 6, aren't a multiple" upper --gpu gtx480 --set gpu.slice=5
refused "blocks=62 is refused: a multiple of gpu.slice" upper blocks=62 --gpu titan_black --set gpu.slice=15
refused "atax has no share" atax --gpu titan_black --set gpu.slice=15
refused "gpu.slice" upper --gpu titan_black --set gpu.slice=0
# Parts as an axis of a sweep: each run is of a part of its own.
"$ONCHIP" sweep streaming/kmeans blocks=60 n=1920 --gpu titan_black --slice 1,3,15 --db "$store" >/dev/null ||
    fail "a sweep over parts"
listed=$("$ONCHIP" db list --db "$store" 2>/dev/null | grep -c gpu.slice=)
[[ $listed == 3 ]] || fail "the store has $listed parts, not 3"
exit $bad
