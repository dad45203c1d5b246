#!/bin/bash
# s-l1 Figure 1 on the simulated Titan Black: the L1's hit rate of word count against the number of threads, for the L1
# of 16 KiB (beside 48 KiB of shared memory) and of 48 KiB. Writes doc/wordcount.csv and, with gnuplot, doc/wordcount.svg.
#   tools/wordcount-curve.sh [EXECUTABLE]
# A thread reads a chunk byte by byte, so that of 128 reads of a line one misses if the line stays. Chunks are of 11
# lines: an odd number spreads the threads' lines over all sets (with 4096 bytes all would meet in one, l1.index being
# modulo). Blocks are spread over the 15 SMs and have at most 128 threads.
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${1:-build/onchip}
bytes=1408

rate() {  # threads, block, overrides
    "$onchip" run wordcount threads="$1" bytes=$bytes block="$2" --gpu titan_black --set l1.global=yes "${@:3}" --json |
        sed -n 's/^ *"l1_read_hit_rate": \([^,]*\),*$/\1/p'
}

{
    echo "threads,l1_16KiB_read_hit_rate,l1_48KiB_read_hit_rate"
    for threads in 1 15 120 480 960 1440 1920 2400 2880 3360 3840 4800 5760 6720 7680 8640 9600 11520 15360 23040 30720; do
        block=$(((threads + 14) / 15))
        ((block <= 128)) || block=128
        echo "$threads,$(rate $threads $block),$(rate $threads $block --set l1.size=48KiB --set shared.size=16KiB --set shared.max=16KiB)"
    done
} | tee doc/wordcount.csv

if command -v gnuplot >/dev/null; then
    gnuplot <<'PLOT'
set terminal svg size 720,420 font "sans,13"
set output "doc/wordcount.svg"
set datafile separator ","
set logscale x 2
set xrange [1:32768]
set yrange [0:1.05]
set xlabel "threads"
set ylabel "L1 hit rate of loads"
set title "wc on the simulated GTX Titan Black (s-l1, Figure 1)"
set key bottom left
plot "doc/wordcount.csv" every ::1 using 1:2 with linespoints title "16 KiB", "" every ::1 using 1:3 with linespoints title "48 KiB"
PLOT
fi
