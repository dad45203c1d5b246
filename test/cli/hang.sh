#!/bin/bash
# The report of a hang names at most 32 registers of a lane, those of all kinds together.
set -uo pipefail
cd "$ONCHIP_SOURCE/test/run/data"
said=$("$ONCHIP" run hang_registers.ptx --block 1 --arg buf:4:zero 2>&1)
named=$(grep -o '%[pr][0-9]*=' <<<"$said" | wc -l)
((named == 32)) || { echo "$named registers are named, not 32: $said"; exit 1; }
