#!/bin/bash
# Sweeps into one store at once, in shards, and with runs that fail: nothing is lost, nothing is there twice, and what
# failed is kept with its reason while the rest goes on.
set -euo pipefail
source "$ONCHIP_SOURCE/test/lab/store.bash"
matrix=(--program vectoradd,atax,bicg --size small --gpu gtx480,titan_black --set l1.size=16KiB,32KiB)

# says FILE TEXT: the summary of a sweep.
says() { grep -qF -- "$2" "$1" || complain "'$2' is expected, not: $(cat "$1")"; }
# status FILE WANT COMMAND…
status() {
    local code=0
    "${@:3}" >"$1" 2>&1 || code=$?
    ((code == $2)) || complain "${*:3}: status $code, not $2: $(cat "$1")"
}

# --- several into one store that none of them made yet: the same runs, and others
status out 0 "$ONCHIP" sweep --gpu gtx480 "${matrix[@]}" --db alone.db
says out "12 runs: 0 in the store already, 12 simulated, 0 failed"
pids=()
for k in 1 2 3 4; do
    "$ONCHIP" sweep --gpu gtx480 "${matrix[@]}" --jobs 2 --db crowd.db >"out$k" 2>&1 &
    pids+=($!)
done
"$ONCHIP" sweep "${matrix[@]}" --gpu titan_black --jobs 1 --db crowd.db >out5 2>&1 &
pids+=($!)
for pid in "${pids[@]}"; do wait "$pid" || complain "a sweep beside others failed: $(cat out?)"; done
same alone.db crowd.db
status out 0 "$ONCHIP" sweep --gpu gtx480 "${matrix[@]}" --db crowd.db
says out "12 runs: 12 in the store already, 0 simulated, 0 failed"

# --- shards
for k in 0 1 2; do status out 0 "$ONCHIP" sweep --gpu gtx480 "${matrix[@]}" --shard $k/3 --db part$k.db; done
status out 0 "$ONCHIP" db merge part0.db part1.db part2.db --db whole.db
says out "whole.db: 12 added, 0 known"
same alone.db whole.db
status out 0 "$ONCHIP" db merge part1.db --db whole.db
says out "part1.db: 0 added, 4 known"
status out 1 "$ONCHIP" db merge ./whole.db --db whole.db
says out "./whole.db can't be merged into itself"
status out 1 "$ONCHIP" db merge nowhere.db --db whole.db
[[ ! -e nowhere.db ]] || complain "merging made the store it should read"
for shard in 3/3 x 1 -1/2 1/0; do status out 2 "$ONCHIP" sweep --gpu gtx480 "${matrix[@]}" --shard "$shard" \
    --db part.db; done

# --- a run that fails
small=(--program vectoradd "n=1048576,64" --set gpu.memory=1MiB)
status out 1 "$ONCHIP" sweep --gpu gtx480 "${small[@]}" --db failing.db
says out "2 runs: 0 in the store already, 1 simulated, 1 failed"
status out 0 "$ONCHIP" db list --failed --db failing.db
says out "the device's memory of 1048576 bytes has no room for 4194304 more (gpu.memory)"
says out "1 run in failing.db"
status out 1 "$ONCHIP" sweep --gpu gtx480 "${small[@]}" --db failing.db
says out "2 runs: 2 in the store already, 0 simulated, 1 failed (1 of them before: --retry makes them again)"
status out 1 "$ONCHIP" sweep --gpu gtx480 "${small[@]}" --retry --db failing.db
says out "2 runs: 1 in the store already, 0 simulated, 1 failed"

# --- a kernel of a PTX file: its text, and what its arguments are read from, are part of the key
cp "$ONCHIP_SOURCE/examples/saxpy.ptx" saxpy.ptx
head -c 4096 /dev/zero >zeros
file=(--program saxpy.ptx grid=4 block=256
    "args=i32:1024 f32:2 buf:4KiB:@zeros buf:4KiB,i32:4 f32:2 buf:16:iota:f32 buf:16" --db file.db)
status out 0 "$ONCHIP" sweep "${file[@]}"
says out "2 runs: 0 in the store already, 2 simulated, 0 failed"
status out 0 "$ONCHIP" sweep "${file[@]}"
says out "2 runs: 2 in the store already"
head -c 4096 /dev/zero | tr '\0' x >zeros
status out 0 "$ONCHIP" sweep "${file[@]}"
says out "2 runs: 1 in the store already, 1 simulated"
echo '// another' >>saxpy.ptx
status out 0 "$ONCHIP" sweep "${file[@]}"
says out "2 runs: 0 in the store already, 2 simulated"
# A copy under another name is another run: both names are there, and can be compared.
cp saxpy.ptx copy.ptx
status out 0 "$ONCHIP" sweep --gpu gtx480 saxpy.ptx,copy.ptx block=16 "args=i32:16 f32:2 buf:64 buf:64" --db names.db
says out "2 runs: 0 in the store already, 2 simulated, 0 failed"
status out 0 "$ONCHIP" db compare --by program=saxpy.ptx,copy.ptx --db names.db
says out "equal in every digit"
status out 0 "$ONCHIP" sweep --gpu gtx480 vectoradd n=64 --ptx saxpy.ptx,copy.ptx --db names.db --dry-run
says out "ptx=saxpy.ptx"
says out "ptx=copy.ptx"
status out 2 "$ONCHIP" sweep --gpu gtx480 --program saxpy.ptx grd=4 --db file.db
says out "a PTX file has no parameter 'grd'"
status out 1 "$ONCHIP" sweep --gpu gtx480 --program saxpy.ptx block=16 "args=i32:16 f32:2 buf:64 buf:32" --db file.db
says out "1 failed"
status out 0 "$ONCHIP" db list --failed --db file.db --csv
says out "outside of every allocation"

# --- measurements: as any other run, alone and in shards
cat >probe.ini <<'INI'
[matrix]
measure = shared
gpu = gtx780
shared.mode = 4, 8
[matrix ops]
measure = ops
gpu = gtx480
[matrix run]
program = vectoradd n=64
gpu = gtx480
INI
status out 0 "$ONCHIP" sweep probe.ini --jobs 2 --db probe.db
says out "4 runs: 0 in the store already, 4 simulated, 0 failed"
status out 0 "$ONCHIP" sweep probe.ini --db probe.db
says out "4 runs: 4 in the store already, 0 simulated, 0 failed"
for k in 0 1; do status out 0 "$ONCHIP" sweep probe.ini --shard $k/2 --db probe$k.db; done
status out 0 "$ONCHIP" db merge probe0.db probe1.db --db probes.db
same probe.db probes.db
status out 0 "$ONCHIP" db list --program shared --where shared.mode=8 \
    --columns verb,shared.mode_bytes,measure.shared.stride_cycles[stride=6],verified --csv --db probe.db
says out ",probe,8,47,,done,"
status out 0 "$ONCHIP" db list --program ops --columns "ops.latency_cycles[op=sfu]" --csv --db probe.db
says out ",ops,,gtx480,,,"
says out ",24,done,"
# a small cache for texture and read-only loads, and no other
status out 0 "$ONCHIP" sweep measure=caches --gpu gtx780 --set l1.size=0 --set const.size=0 --set readonly.size=1KiB \
    --set readonly.ways=8 --set readonly.index_low=5 --db caches.db
columns=size_bytes[cache=readonly],line_bytes[cache=readonly],set_count[cache=texture],least_ways[cache=texture]
columns+=,most_ways[cache=readonly],lru[cache=texture],policy[cache=texture],hit_cycles[cache=readonly]
status out 0 "$ONCHIP" db list --program caches --columns "measure.cache.${columns//,/,measure.cache.}" --csv \
    --db caches.db
says out ",1024,32,4,8,8,1,lru,110,done,"
columns="miss_rate[cache=readonly kb=1],miss_rate[cache=texture kb=1.25],size_bytes[cache=local]"
status out 0 "$ONCHIP" db list --program caches --columns "measure.cache.${columns//,/,measure.cache.}" --csv \
    --db caches.db
says out ",0,1,\"loads of this kind take"
status out 1 "$ONCHIP" sweep "measure=throughput scale=0.25" --gpu gtx780 --set sm.threads=512 --db failing.db
says out "1 failed"
status out 0 "$ONCHIP" db list --failed --program throughput --db failing.db
says out "no block of this kernel fits an SM"
# what the host's CPU does is real time, and said to be; the rest is simulated
for scenario in cpu bigkernel; do
    status out 0 "$ONCHIP" sweep --gpu gtx480 \
        "measure=bigkernel app=affinity scenario=$scenario bytes=64KiB chunk=8KiB blocks=1 threads=64" \
        --gpu titan_black --set gpu.memory=1MiB --db stream.db
done
status out 0 "$ONCHIP" db list --program bigkernel --columns bigkernel.seconds,bigkernel.input_bytes --csv \
    --db stream.db
says out "real time of this host"
status out 0 "$ONCHIP" db list --columns params,bigkernel.chunk_count,bigkernel.seconds --csv --db stream.db
says out \
    "app=affinity scenario=bigkernel bytes=65536 chunk=8192 blocks=1 threads=64 buffers=5 unit=0 threshold=300,9,0.00"
status out 2 "$ONCHIP" sweep "measure=bigkernel scenario=tripple" --gpu titan_black --db stream.db
says out "one of cpu, single, double, bigkernel, sl1 is expected"
status out 2 "$ONCHIP" sweep "measure=bigkernel bytes=12" --gpu titan_black --db stream.db
says out "a number from 1024 to 1073741824"

# --- a run whose process is killed
"$ONCHIP" sweep --gpu gtx480 --program "atax nx=4096 ny=4096,vectoradd n=64" --jobs 1 --db killed.db >out 2>&1 &
pid=$!
child=
while [[ -z $child ]] && kill -0 $pid 2>/dev/null; do
    child=$(children $pid)
    sleep 0.01
done
[[ -n $child ]] && kill -9 $child || complain "no child to kill"
code=0
wait $pid || code=$?
((code == 1)) || complain "a sweep with a killed run ended with status $code"
says out "2 runs: 0 in the store already, 1 simulated, 1 failed"
status out 0 "$ONCHIP" db list --failed --db killed.db --csv
says out "the process of this run was killed by signal 9 (Killed)"
exit $bad
