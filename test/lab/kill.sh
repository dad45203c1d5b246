#!/bin/bash
# A sweep that is killed at any moment goes on where it stopped: in the end its store is that of an undisturbed sweep,
# column by column. Each time all of its processes are killed, or its first one alone, whose children must end with it.
set -euo pipefail
times=${ONCHIP_LONG:+100} times=${times:-4}
source "$ONCHIP_SOURCE/test/lab/store.bash"
programs=vectoradd,atax,mvt
[[ ! ${ONCHIP_LONG:-} ]] || programs+=,bicg,gesummv
matrix=(--program $programs --size small --gpu gtx480 --sched lrr,gto --set l1.size=16KiB,32KiB
    --interval 20000 --jobs 2)

began=$(date +%s%N)
"$ONCHIP" sweep "${matrix[@]}" --db peace.db >/dev/null
peace=$((($(date +%s%N) - began) / 1000))  # µs

killed=0 finished=0
while ((killed < times)); do
    setsid "$ONCHIP" sweep "${matrix[@]}" --db war.db >out 2>&1 &
    pid=$!
    moment=$(((RANDOM * 32768 + RANDOM) % (peace + 1)))
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    orphans=
    if ((killed % 2)); then
        orphans=$(children $pid)
        kill -9 $pid 2>/dev/null || true
    else
        kill -9 -- -$pid 2>/dev/null || true
    fi
    code=0
    wait $pid 2>/dev/null || code=$?
    for orphan in $orphans; do
        for ((k = 0; k < 6000; k++)); do
            read -r stat 2>/dev/null <"/proc/$orphan/stat" && [[ $stat != *') Z '* ]] || break
            sleep 0.02
        done
        ((k < 6000)) || complain "child $orphan outlived its sweep"
    done
    case $code in
    137) killed=$((killed + 1)) ;;
    0)
        finished=$((finished + 1))
        same peace.db war.db
        rm -f war.db war.db-*
        ;;
    *)
        complain "a sweep that goes on ended with status $code: $(cat out)"
        break
        ;;
    esac
    ((!bad)) || break
done
"$ONCHIP" sweep "${matrix[@]}" --db war.db >/dev/null
same peace.db war.db
echo "killed $killed times; finished $finished times in between"
exit $bad
