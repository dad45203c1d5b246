#!/bin/bash
# A store for which there is no room on the disk: the sweep says so, whenever that happens, and never takes what isn't
# there for something else. Once there is room the same sweep goes on, and its store is that of an undisturbed one.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/store.bash"
matrix=(--program vectoradd --size small n=32,64,96)
"$ONCHIP" sweep "${matrix[@]}" --db peace.db >/dev/null

# says WHAT STATUS: of a sweep whose output is in out. A full disk is a failure with one of SQLite's two reasons.
failed=0
says() {
    if (($2 == 0)); then return; fi
    failed=$((failed + 1))
    (($2 == 1)) || complain "$1: exit status $2: $(cat out)"
    grep -qE "^onchip: .*full\.db.*: (database or disk is full|disk I/O error: it can't be written)$" out ||
        complain "$1: the reason is wrong: $(cat out)"
}

# Files may not grow beyond so many KiB.
for size in 0 4 8 16 28 32 40 48 64 96 128 256 512; do
    rm -f full.db*
    status=0
    (trap '' XFSZ && ulimit -f $size && exec "$ONCHIP" sweep "${matrix[@]}" --db full.db) 2>&1 | cat >out || status=$?
    says "files of $size KiB" $status
    "$ONCHIP" sweep "${matrix[@]}" --db full.db >out 2>&1 || complain "with room, after $size KiB: $(cat out)"
    same peace.db full.db
done
((failed >= 5)) || complain "only $failed sweeps had no room in their files"

# A file system that is full, where one can be made without being root.
mkdir disk
# shellcheck disable=SC2016
if unshare -rm bash -c 'mount -t tmpfs -o size=64k none "$1"' - disk 2>/dev/null; then
    export ONCHIP folder
    export -f says complain
    unshare -rm bash -euo pipefail -c '
        bad=0 failed=0
        mount -t tmpfs -o size=64k none disk
        for fill in 0 8 16 24 32 40 48 56 60; do
            rm -f disk/*
            head -c ${fill}k /dev/zero >disk/fill
            status=0
            "$ONCHIP" sweep "$@" --db disk/full.db >out 2>&1 || status=$?
            says "a disk with $fill of 64 KiB taken" $status
        done
        ((failed >= 5)) || complain "only $failed sweeps had no room on the disk"
        exit $bad' - "${matrix[@]}" || bad=1
fi
exit $bad
