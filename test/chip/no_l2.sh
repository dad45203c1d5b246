#!/bin/bash
# A GPU without an L2 (l2.size = 0): what goes past the L1 comes from DRAM every time, even if another request has just
# asked for it. A naive product of matrices of n reads n elements of each for each of n² results. A warp has two rows of
# 16 results: of the one matrix it reads two words in two sectors of 32 bytes, of the other 16 words in two sectors.
set -eu
n=64 sectors=$((64 * 64 * 64 / 32 * (2 + 2)))
run() { "$ONCHIP" run matmul-naive n=$n --gpu sm32 --set l1.global=no --json "$@"; }
bytes() { jq "[.kernels[].counters[\"dram.read_bytes\"]] | add"; }
expect() { test "$1" = "$2" || { echo "$3: DRAM gave $1 bytes, not $2"; exit 1; }; }
expect "$(run | bytes)" $((sectors * 32)) "without an L2"
expect "$(run --set l2.size=1MiB | bytes)" $((2 * 4 * n * n)) "with one that holds both"
hits=$(run | jq '[.kernels[].counters["l2.hits", "l2.merges"]] | add')
test "$hits" = 0 || { echo "$hits hits of an L2 that isn't there"; exit 1; }
