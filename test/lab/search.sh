#!/bin/bash
# Searches in a sweep: best-swl and autotune find what runs that are made one by one give. Repeating a search simulates
# nothing, nor does onchip run with the same search; several jobs give the same as one. A number with which no block
# fits is left out, and no failure. Figures take a search's best run. In the short form an SM has room for 12 warps, so
# that a search tries 6 limits; with the description's 48 there are 24.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/store.bash"

says() { grep -qF -- "$2" "$1" || complain "'$2' is expected, not: $(cat "$1")"; }  # FILE TEXT
status() {  # FILE WANT COMMAND…
    local code=0
    "${@:3}" >"$1" 2>&1 || code=$?
    ((code == $2)) || complain "${*:3}: status $code, not $2: $(cat "$1")"
}
# values NAME: the numbers of that name in the JSON of a run, once for each kernel.
values() { awk -v name="\"$1\":" '$1 == name { gsub(",", "", $2); print $2 }'; }

# --- best-swl: each kernel's best limit, and the one that is best for all, of runs with --set sched.limit
most=48 room=()
[[ ${ONCHIP_LONG:-} ]] || most=12 room=(--set sm.warps=12)
runs=$((2 * (1 + most / 2)))
swl=(atax,bicg nx=256 ny=64 "${room[@]}" --sched gto,best-swl)
status out 0 "$ONCHIP" sweep --gpu gtx480 "${swl[@]}" --jobs 1 --db one.db
says out "$runs runs: 0 in the store already, $runs simulated, 0 failed"
for program in atax bicg; do
    for ((limit = 2; limit <= most; limit += 2)); do
        "$ONCHIP" run --gpu gtx480 $program nx=256 ny=64 "${room[@]}" --sched swl --set sched.limit=$limit --json |
            values cycles |
            awk -v limit=$limit 'NR % 2 { c[++n] = $1 } END { print limit, c[1], c[2] }'  # each is a counter, too
    done >limits
    line=$(awk -v p=$program -v room="${room[*]:+${room[1]} }" -v most=$most '
        { for (k = 2; k <= 3; k++) if (NR == 1 || $k <= least[k]) { least[k] = $k; at[k] = $1 }
          all = $2 + $3
          if (NR == 1 || all <= low) { low = all; one = $1 } }
        END {
            each = least[2] + least[3]
            printf "%s gpu=gtx480 nx=256 ny=64 %ssched=best-swl: ", p, room
            printf "best with sched.limit=%d (%s_kernel1), %d (%s_kernel2): ", at[2], p, at[3], p
            printf "%d cycles, ", each
            printf "%.3f times as fast as with %d; with one for all kernels, %d, %.3f times",
                all / each, most, one, all / low
        }' limits)
    says out "$line"
    [[ $program != atax ]] || awk '$2 < m || !m { m = $2 } $2 > M { M = $2 } END { exit m == M }' limits ||
        complain "$program takes as long with each limit"
done
says out "sched.limit=2 (atax_kernel1), $most (atax_kernel2)"  # (kernels with different limits, one below all warps)

# --- again, with more jobs, in shards, and by onchip run
cp out first
status out 0 "$ONCHIP" sweep --gpu gtx480 "${swl[@]}" --db one.db
says out "$runs runs: $runs in the store already, 0 simulated, 0 failed"
diff <(grep sched= first) <(grep sched= out) >&2 || complain 'the second time it finds something else'
status out 0 "$ONCHIP" sweep --gpu gtx480 "${swl[@]}" --jobs 2 --db two.db
diff <(grep sched= first) <(grep sched= out) >&2 || complain 'two jobs find something else'
same one.db two.db
for k in 0 1; do
    status out 0 "$ONCHIP" sweep --gpu gtx480 "${swl[@]}" --shard $k/2 --db part$k.db
    ! grep sched= out || complain 'a shard has not all candidates'
done
status out 0 "$ONCHIP" db merge part0.db part1.db --db parts.db
same one.db parts.db
"$ONCHIP" db export --db one.db >before
status out 0 "$ONCHIP" run --gpu gtx480 atax nx=256 ny=64 "${room[@]}" --sched best-swl --db one.db
"$ONCHIP" db export --db one.db | cmp -s - before || complain 'onchip run makes runs that the sweep has made'
status out 0 "$ONCHIP" sweep --gpu gtx480 bicg nx=256 ny=64 "${room[@]}" --sched swl --set sched.limit=2,$most \
    --dry-run --db one.db
[[ $(grep -c '^stored ' out) == 2 ]] || complain "runs of a search aren't runs like others: $(cat out)"

# db list finds the limit that is best for all kernels, beside runs that aren't of the search.
all=$(sed -n 's/^atax .*with one for all kernels, \([0-9]*\),.*/\1/p' first)
best=$("$ONCHIP" db list --db one.db --program atax --best sched.limit --csv --columns sched.policy,sched.limit,cycles |
    tr -d '\r' | awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if (!at[$k]) at[$k] = k }
        NR > 1 { print $at["sched.policy"], $at["sched.limit"] }' | sort | paste -sd ' ')
[[ $best == "gto  swl $all" ]] || complain "db list --best has $best, not gto and $all"
status out 1 "$ONCHIP" db list --db one.db --best l1.size
says out "none of these runs has the setting 'l1.size'"

# Of equals the largest: two warps are within each limit.
status out 0 "$ONCHIP" sweep --gpu gtx480 vectoradd n=64 "${room[@]}" --sched best-swl --db equal.db
says out "best with sched.limit=$most: "
status out 0 "$ONCHIP" db list --db equal.db --best sched.limit --csv --columns sched.limit
[[ $(tail -n 1 out | tr -d '\r') == *,$most,* && $(grep -c ^ out) == 2 ]] || complain "of equals: $(cat out)"

# Of one kernel there is one best; a search that has none is an error.
status out 0 "$ONCHIP" sweep --gpu gtx480 atax nx=256 ny=64 "${room[@]}" --kernels kernel1 --sched best-swl --db one.db
says out 'kernels=kernel1 sched=best-swl: best with sched.limit=2: '
status out 1 "$ONCHIP" sweep --gpu gtx480 atax nx=64 ny=64 "${room[@]}" --functional --sched best-swl --db one.db
says out 'sched=best-swl: no kernel was timed'

# --- autotune: blocks of 256 threads don't fit in 128
tuned=(atax nx=1024 ny=64 --gpu sm32 --set l1.size=32KiB)
status out 0 "$ONCHIP" sweep "${tuned[@]}" --autotune no,threads=128,256,768,1024 --db threads.db
says out '4 runs: 0 in the store already, 4 simulated, 0 failed'  # (1024 is the description's)
for n in 256 768 1024; do
    "$ONCHIP" run "${tuned[@]}" --set sm.threads=$n --json | values cycles |
        awk -v n=$n 'NR % 2 { sum += $1 } END { print n, sum }'
done >sums
line=$(awk 'NR == 1 || $2 <= low { low = $2; at = $1 } { last = $2 } END {
    printf "best with sm.threads=%d: %d cycles, %.3f times as fast as with 1024", at, low, last / low }' sums)
line+='; left out, since a block is larger: 128'
says out "atax nx=1024 ny=64 gpu=sm32 l1.size=32KiB autotune=threads=128,256,768,1024: $line"
status out 0 "$ONCHIP" sweep "${tuned[@]}" --autotune threads=128,256,768,1024 --retry --db threads.db
says out '4 runs: 4 in the store already, 0 simulated, 0 failed'
status out 0 "$ONCHIP" sweep "${tuned[@]}" --autotune threads=128,256 --dry-run --db threads.db
says out 'left out atax nx=1024 ny=64  on sm32 l1.size=32KiB sm.threads=128'
says out 'stored  atax nx=1024 ny=64  on sm32 l1.size=32KiB sm.threads=256'
status out 1 "$ONCHIP" sweep "${tuned[@]}" --autotune threads=128 --db threads.db
says out 'no number runs, up to sm.threads=128: '
status out 1 "$ONCHIP" sweep "${tuned[@]}" --set sm.threads=128 --retry --db threads.db
says out '1 failed'  # without a search, it is a failure
# (256 and 768 and 1024, and the failed 128; the description's own number is a candidate, too.)
status out 0 "$ONCHIP" db list --db threads.db --where l1.size=32KiB --best sm.threads --columns sm.threads --csv
threads=$(sed 's/.*sm.threads=\([0-9]*\):.*/\1/' <<<"$line")
[[ $(tail -n 1 out | tr -d '\r') == *",$threads,"* && $(grep -c ^ out) == 2 ]] || complain "db list --best: $(cat out)"
# What fails for another reason is a failure.
status out 1 "$ONCHIP" sweep "${tuned[@]}" --set registers.count=1024 --autotune threads=256,512 \
    --db threads.db
says out '2 failed'
says out 'a run failed, that with sm.threads=256'
# A file has them as an axis.
printf '[matrix]\nprogram = atax nx=1024 ny=64\ngpu = sm32\nl1.size = 32KiB\nautotune = threads=128, 256, 768, 1024\n' \
    >tune.ini
status out 0 "$ONCHIP" sweep tune.ini --db threads.db
says out '4 runs: 4 in the store already, 0 simulated, 0 failed'
says out "autotune=threads=128, 256, 768, 1024: $line"

# --- figures: `best` takes one run for all kernels; what is left out isn't missing
mkdir paper
cat >paper/swl.ini <<'INI'
[figure]
title    = t
x        = program
series   = sched
y        = cycles
best     = min cycles
[matrix]
program  = atax nx=256 ny=64
gpu      = gtx480
sched    = gto, best-swl
INI
[[ ! ${room[*]} ]] || echo "${room[1]}" >>paper/swl.ini
status out 0 "$ONCHIP" reproduce ./paper swl --csv --db one.db
limits=$("$ONCHIP" db list --db one.db --where nx=256 --where options= --program atax --where sched.policy=swl --csv \
    --columns cycles | tr -d '\r' | awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "cycles") at = k }
        NR > 1 { print $at }' | sort -n | head -n 1)
says out ",\"best-swl\",\"atax\",$limits,,"
cat >paper/threads.ini <<'INI'
[figure]
title    = t
x        = program
series   = autotune
y        = sm.threads
best     = min cycles
[matrix]
program  = atax nx=1024 ny=64
gpu      = sm32
l1.size  = 32KiB
autotune = no, threads=128,256,768,1024
INI
status out 0 "$ONCHIP" reproduce ./paper threads --csv --db threads.db
says out ',"no","atax",1024,,'
says out ",\"threads=128,256,768,1024\",\"atax\",$threads,,"
status out 0 "$ONCHIP" reproduce ./paper threads --db threads.db
! grep failed out || complain 'a number that is left out is no failed run'
exit $bad
