#!/bin/bash
# --sched best-swl finds what single runs give; --cap ends a run where it says, with the same work for every scheduler.
source test/cli/expect.bash
card=gtx480
cd "$work" || exit 1

# --- best-swl
atax=(atax nx=256 ny=256)
gives 0 'best-swl: ' -- run "${atax[@]}" --sched best-swl --db best.db
table=$out
for limit in 2 4 6 '8 to 48'; do
    run run "${atax[@]}" --sched swl --set sched.limit=${limit#* to } --json
    # shellcheck disable=SC2207
    cycles=($(sed -n 's/^ *"cycles": \([0-9]*\),\{0,1\}$/\1/p' <<<"$out" | sed -n '1~2p'))
    row=$(grep -E "^ *$limit  " <<<"$table")
    [[ $row =~ ^\ *$limit\ +${cycles[0]}\ +${cycles[1]}\ +$((cycles[0] + cycles[1]))$ ]] ||
        complain "limit $limit: '$row', and by itself ${cycles[*]}"
done
# The best of each column, the largest limit among equals; their sum.
best=$(sed 's/^ *[0-9]* to//' <<<"$table" | awk '$1 ~ /^[0-9]+$/ && NF == 4 {
                for (k = 2; k < 4; k++) if (!least[k] || $k <= least[k]) { least[k] = $k; at[k] = $1 } }
            END { print at[2], at[3], least[2] + least[3] }')
read -r first second sum <<<"$best"
for text in "atax_kernel1: best with $first warps" "atax_kernel2: best with $second warps" "best-swl: $sum cycles"; do
    [[ $table == *"$text"* ]] || complain "nothing of '$text' in $table"
done
gives 0 "\"cycles\": $sum" -- run "${atax[@]}" --sched=best-swl --db best.db --json
gives 0 "best-swl: $sum cycles" -- run --sched=best-swl "${atax[@]}" --db best.db
gives 0 '24 runs in best.db' -- db list --db best.db
gives 2 'takes one program and one value' -- run atax nx=64,128 --sched best-swl --db best.db
gives 2 "unknown key l1.sise" -- run atax --set l1.sise=1 --sched best-swl --db best.db
gives 1 'a run failed' -- run histogram n=64 --sched best-swl --db failed.db --ptx /dev/null

# --- cap: 800 instructions of the first kernel, then the second up to the edge of a window
run run atax nx=64 ny=64 --json
first=$(sed -n 's/^ *"warp_instructions": \([0-9]*\),$/\1/p' <<<"$out" | head -n 1)
for sched in gto swl; do
    gives 0 'cut short after 1500 warp instructions (--cap)' '706 warp instructions' -- \
        run atax nx=64 ny=64 --cap 1500 --sched $sched
done
((first == 800)) || complain "the first kernel has $first warp instructions, not 800"
gives 0 '"cap": 800' '"verified": false' -- run atax nx=64 ny=64 --cap 800 --json
[[ $out != *atax_kernel2* ]] || complain 'a launch began after the cap'
gives 0 'the result is right' -- run atax nx=64 ny=64 --cap 1000000
lacks 'cut short'
gives 0 'cut short after 900' 'executed without time' -- run atax nx=64 ny=64 --cap 900 --functional
gives 0 '1 run: 0 in the store already, 1 simulated' -- sweep atax nx=64 ny=64 --cap 900 --db cap.db
gives 0 '1 run: 0 in the store already, 1 simulated' -- sweep atax nx=64 ny=64 --db cap.db
gives 0 'cap=900' -- db list --db cap.db
exit $bad
