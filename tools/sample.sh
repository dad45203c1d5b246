#!/bin/bash
# sample.sh: sampled runs beside whole ones, over all workloads: what is estimated, the interval, and what it costs.
#
# A row is a kernel of which a part was timed: waves of its largest launch (blocks, by those that fit the GPU at once),
# launches, the share of blocks that were timed, cycles of the whole run and estimated ones, half of the interval (of a
# launch, on average) and the error. CPU seconds are those of the processes: whole, sampled, and without time, which no
# sampled run can beat; "x" is the first by the second. Below stand the worst rows, and how many intervals hold the
# truth, of each launch that isn't timed whole. SAMPLE_ONLY: a regular expression of workloads. SAMPLE_GPU: the GPU, and
# further options (gtx480).
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${ONCHIP:-build/onchip}
read -ra gpu <<<"${SAMPLE_GPU:-gtx480}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
TIMEFORMAT='%U %S'

# Sizes of many waves, as far as a whole run takes some seconds.
workloads() {
    cat <<'LIST'
attention2 heads=4
gemm-mma m=256 n=256
matmul8 m=256 n=256
matvec4 m=16384 k=2048
rmsnorm m=4096 n=1024
rotary length=1024
softmax m=8192 n=512
stencil3d
topk m=64 n=8000
histogram n=16777216
matmul-naive n=256
matmul-tiled n=640
reduction n=8388608
saxpy n=4194304
transpose n=2048
transpose n=2048 tiled=0
vectoradd n=4194304
vectoradd n=16777216
aes size=4194304
lps nx=100 ny=100 nz=50 steps=40
ispass/nn images=28
ray width=640 height=640
sto n=393216
dgemm m=384 n=384 k=128
sgemv m=8192 n=256
ii
kmn rounds=12
pvc
sm
ss
wc
add n=2048
add n=512 launches=60
bins n=8388608 block=256
bins n=4194304 way=2 block=256
floats n=512
one n=1048576 iters=10
product n=320 w=8
reduce n=4194304
stencil n=2048
sum n=4194304
turn n=2048
vector n=4194304
vector n=2097152 way=3
vector n=4194304 way=4
sad width=176 height=144
atax nx=1024 ny=256
bicg nx=256 ny=1024
conv2d n=2048
corr n=128
gesummv n=128 rows=16384
mvt n=128 rows=8192
syr2k n=256 m=32
syrk n=384 m=48
backprop n=262144
bfs n=131072
gaussian n=208
heartwall --size small
hotspot n=1024 steps=6
hotspot n=256 steps=120
rodinia/kmeans n=20000 loops=4
lud n=384
mummer n=16384 queries=8192
nn n=1048576
nw n=768
srad rows=1024 columns=1024 steps=4
bicubic width=512 height=512
dct8x8 width=1024 height=1024
dwthaar1d n=2097152
nbody n=2048 steps=8 threads=64
recursivegaussian width=1024 height=64
scalarprod vectors=1024 n=2048
sobol vectors=40000 dimensions=100 blocks=16
pcr systems=4096 n=256
pcr systems=4096 n=256 interleaved=1
affinity size=262144
dna fragments=4096
grep size=262144
index size=524288
kmeans n=4096 k=64
matmul n=96
opinion size=262144
pageview size=524288
upper size=262144
wordcount
LIST
}

# Runs with some options, leaves the JSON in a file, and prints the CPU seconds of the process.
seconds() {
    { time "$onchip" run "${@:2}" --gpu "${gpu[@]}" --json >"$1" 2>"$tmp/errors"; } 2>&1 |
        awk '{ printf "%.2f", $1 + $2 }'
}

# Rows of a run, by kernel, and a row for each launch: "launch", held cycles, rates, held rates.
compare() {
    jq -n -r --slurpfile a "$tmp/whole" --slurpfile b "$tmp/part" --argjson sms "$1" '
        [range($b[0].kernels | length) | {a: $a[0].kernels[.], b: $b[0].kernels[.]}] |
        map(select(.b.functional | not)) as $all |
        def cycles(k): map(k.cycles) | add;
        ($all | group_by(.b.name)[] | select(any(.b.sampled)) |
            ["kernel", .[0].b.name,
             (map((.b.grid | .[0] * .[1] * .[2]) / ((.b.occupancy_blocks // 1) * $sms)) | max * 10 | round / 10),
             length,
             (100 * (map(.b.sampled.blocks_timed // (.b.grid | .[0] * .[1] * .[2])) | add) /
                (map(.b.grid | .[0] * .[1] * .[2]) | add) | . * 10 | round / 10),
             cycles(.a), cycles(.b),
             (map(.b | if .sampled then .sampled.counters.cycles.high - .cycles else 0 end) | add / length),
             (.[0].b.cycles)]),
        ($all[] | select(.b.sampled) | .a as $a | .b as $b |
            ($b.sampled.rates | to_entries | map(select(.key != "lane_use" and .key != "seconds"))) as $r |
            ["launch",
             if $b.sampled.counters.cycles | .low <= $a.cycles and $a.cycles <= .high then 1 else 0 end,
             ($r | length),
             ($r | map(select(.key as $k | (1e-9 + 1e-6 * ($a.rates[$k] | fabs)) as $e |
                .value.low - $e <= $a.rates[$k] and $a.rates[$k] <= .value.high + $e)) | length)]) |
        map(tostring) | join("\t")'
}

sms=$("$onchip" show gpu "${gpu[0]}" | awk -F'[= ]+' '$1 == "sms" { print $2; exit }')
row='%-37s %-16.16s %5s %5s %6s %10s %10s %6s %7s %6s %6s %6s %5s\n'
{
    # shellcheck disable=SC2059
    printf "$row" workload kernel waves times timed cycles estimate '  ±' error whole part none x
    workloads | { grep -E "${SAMPLE_ONLY:-.}" || true; } | while read -r line; do
        # shellcheck disable=SC2086
        whole=$(seconds "$tmp/whole" $line) part=$(seconds "$tmp/part" $line --sample) \
            none=$(seconds "$tmp/none" $line --functional)
        if [[ $(jq .verified "$tmp/part") != true ]]; then
            echo "$line: the sampled run fails: $(head -n 1 "$tmp/errors")"
            exit 1
        fi
        compare "$sms" | awk -F'\t' -v line="$line" -v whole="$whole" -v part="$part" -v none="$none" \
            -v sums="$tmp/sums" -v row="$row" '
            function percent(x, digits) { return sprintf("%." digits "f%%", x) }
            $1 == "kernel" {
                error = ($7 - $6) / $6 * 100
                printf row, line, $2, $3, $4, percent($5, 1), $6, $7, percent(100 * $8 / ($7 / $4), 1),
                    percent(error, 2), whole, part, none, sprintf("%.1f", whole / part)
                some = 1
                print "error", error < 0 ? -error : error >>sums
            }
            $1 == "launch" { print "launch", $2, $3, $4 >>sums }
            END {
                if (!some) printf row, line, "timed whole", "", "", "", "", "", "", "", whole, part, none, ""
                print "time", whole, part, none, some + 0 >>sums
            }'
    done
} | tee "$tmp/table"
echo
echo "the worst:"
grep '%' "$tmp/table" | awk '{ error = $(NF - 4); sub(/^-/, "", error); print error + 0 "\t" $0 }' |
    sort -t$'\t' -k1,1gr | head -n 8 | cut -f2-
echo
awk '
    $1 == "error" { errors[++k] = $2; total += $2; small += $2 < 3 }
    $1 == "launch" { launches++; held += $2; rates += $3; rates_held += $4 }
    $1 == "time" && $5 { n++; speed += log($2 / $3); most += log($2 / $4) }
    END {
        printf "of %d intervals of cycles %d hold the truth\nof %d intervals of rates %d hold it\n", launches, held,
            rates, rates_held
        printf "mean error of %d kernels: %.2f %%; %d are below 3 %%\n", k, total / k, small
        printf "%d runs of which something was left out: %.1f times as fast in the geometric mean,", n, exp(speed / n)
        printf " without time %.1f\n", exp(most / n)
    }' "$tmp/sums"
