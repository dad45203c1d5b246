#!/bin/bash
# gtx480.sh [--table WORKLOAD]: what each part of gtx480's description does. The first row has the values that the
# description had before they were taken from GPGPU-Sim's configuration; each further row replaces some of them by
# today's. A row has the cycles of the first kernel in thousands, its L1 hit rate, and how many times as fast it is with
# 1, 2, 4 and 8 warps a scheduler (swl). Runs all of it and prints it as the points of figures, unrounded:
# doc/results/measurements/gtx480.csv. With --table it prints a table of that file, and runs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${ONCHIP:-build/onchip}

if [[ ${1:-} == --table ]]; then
    printf '%s\n' '| | 1000 cycles | L1 hits, % | swl 1 | 2 | 4 | 8 |' '|---|--:|--:|--:|--:|--:|--:|'
    exec awk -F , -v figure="\"gtx480/$2\"" '
        { n = NF - 2; name = $2; for (k = 3; k < n - 1; k++) name = name "," $k }  # a name may have a comma
        $1 == figure && name != last {
            printf "%s| %s", last ? " |\n" : "", substr(name, 2, length(name) - 2)
            last = name
        }
        $1 == figure { printf $(n - 1) ~ /cycles|hits/ ? " | %.1f" : " | %.2f", $n }
        END { print " |"; exit !last }
    ' doc/results/measurements/gtx480.csv
fi

names=('before' '+ hash of the L1' '+ latencies' '+ misses, credits' '+ DRAM timings' '+ slices, flits'
    '+ order, acknowledgements' '+ reads by sector' '+ stores drop lines: today')
steps=(
    'l1.index=xor l2.index=xor'
    'shared.latency=21 l1.latency=21 l2.latency=220 dram.latency=400 latency.alu=8 latency.mul=8 latency.fma=8
     latency.f64=16 latency.cvt=8'
    'l1.mshrs=32 l2.mshrs=32 l2.merges=16 link.credits=8 link.queue=0'
    'dram.queue=32 dram.row=2KiB dram.bank_bits= dram.wl=0 dram.rrd=0 dram.wr=0 dram.wtr=0 dram.rtw=0 dram.ccdl=0
     dram.burst=0'
    'l2.partitions=6 dram.slices=1 link.sm_out=32 link.sm_in=32 link.partition_in=32 link.partition_out=32 link.flit=1'
    'link.ordered=no link.acks=no'
    'dram.request=0'
    'l1.write_evict=no'
)

# cycles and hit rate of the first kernel
first() {
    "$onchip" run --gpu gtx480 "$@" --json | awk '/"cycles":/ && !c { gsub(/[^0-9]/, "", $2); c = $2 }
        /"l1_hit_rate"/ && !h { gsub(/,/, "", $2); h = $2 } END { print c, h + 0 }'
}

row() { # step, workload
    local sets=() k word cycles hits limited _ values
    for ((k = $1; k < ${#steps[@]}; k++)); do for word in ${steps[k]}; do sets+=(--set "$word"); done; done
    shift
    read -r cycles hits < <(first "$@" "${sets[@]}")
    values=("$(awk -v c="$cycles" 'BEGIN { print c / 1000 }')" "$(awk -v h="$hits" 'BEGIN { print 100 * h }')")
    for k in 1 2 4 8; do
        read -r limited _ < <(first "$@" "${sets[@]}" --sched swl --set sched.limit=$((2 * k)))
        values+=("$(awk -v c="$cycles" -v l="$limited" 'BEGIN { print c / l }')")
    done
    for k in "${!values[@]}"; do
        printf '"gtx480/%s","%s","%s",%s,,\n' "$1" "${names[step]}" "${columns[k]}" "${values[k]}"
    done
}

columns=('1000 cycles' 'L1 hits' 'swl 1' 2 4 8)
echo 'figure,series,x,ours,theirs,tolerance'
for workload in 'atax nx=3840 ny=64' 'gesummv n=512' 'syrk n=128' 'conv2d n=1024' 'matmul-tiled n=256' \
    'vectoradd n=1048576'; do
    for step in "${!names[@]}"; do
        # shellcheck disable=SC2086
        row "$step" $workload
    done
done
