#!/bin/bash
# --autotune threads finds what single runs give, each with its own sm.threads: the sum of all kernels' cycles counts. A
# number below a block's threads is left out; a wrong result is an error; what the store has isn't run again.
source test/cli/expect.bash
cd "$work" || exit 1
atax=(atax nx=1024 ny=64 --gpu sm32 --set l1.size=16KiB --set sched.active=8 --set sched.greedy=0
    --set l1.unlocked=no)

# values NAME: what a number of that name is in the JSON of the last run, once for each kernel.
values() { awk -v name="\"$1\":" '$1 == name { gsub(",", "", $2); print $2 }' <<<"$out"; }

gives 0 -- run "${atax[@]}" --autotune threads=1024,256,768,512,512 --db some.db
table=$out least='' most=''
for threads in 256 512 768 1024; do
    run run "${atax[@]}" --set sm.threads=$threads --json
    sums[threads]=$(values cycles | awk 'NR % 2 { n += $1 } END { print n }')  # each is there as a counter, too
    rows[threads]="$(values occupancy_warps | sort -n | head -n 1) $(
        { values l1.hits; echo; values l1.accesses; } |
            awk '!NF { all = 1; next } { n[all+0] += $1 } END { printf "%.1f %%", 100 * n[0] / n[1] }')"
    if [[ ! $least ]] || ((sums[threads] <= least)); then least=${sums[threads]} best=$threads; fi
    most=${sums[threads]}
done
((least < sums[256] && least < sums[1024])) || complain "the best isn't within: ${sums[*]}"
for threads in 256 512 768 1024; do
    over=$(awk -v a="${sums[threads]}" -v b="$least" 'BEGIN { printf "%.3f", a / b }')
    row=$(awk -v n=$threads '$1 == n { $1 = $1; print }' <<<"$table")
    [[ $row == "$threads ${sums[threads]} $over ${rows[threads]}" ]] ||
        complain "$threads threads: '$row', and by itself ${sums[threads]} $over ${rows[threads]}"
done
[[ $(awk '$1 ~ /^[0-9]+$/ { print $1 }' <<<"$table" | paste -sd ' ') == '256 512 768 1024' ]] ||
    complain "other numbers: $table"
times=$(awk -v a="$most" -v b="$least" 'BEGIN { printf "%.3f", a / b }')
[[ $table == *"best with $best threads: $least cycles, $times times as fast as with 1024"* ]] ||
    complain "not best with $best, $least cycles: $table"
command=$(tail -n 1 <<<"$table")
[[ $command == "onchip run ${atax[*]} --set sm.threads=$best" ]] || complain "the command: $command"
eval "run ${command#onchip} --json"
[[ $(values cycles | awk 'NR % 2 { n += $1 } END { print n }') == "$least" ]] || complain "it gives $out"

# The same as JSON, from the store alone: its runs keep the times that they took.
"$onchip" db export --db some.db >before
gives 0 '"autotune": "threads"' "\"cycles\": $least" "\"threads\": $best" '"left_out": []' "\"command\": \"$command\"" \
    -- run --autotune=threads=256,512,768,1024 "${atax[@]}" --db some.db --json
[[ $(values cycles | sed -n '2,5p' | paste -sd ' ') == "${sums[*]}" ]] || complain "the curve: $out"
"$onchip" db export --db some.db | cmp -s - before || complain 'a second call runs anew'

# Eighths of the description's number in whole warps; atax has blocks of 256 threads.
gives 0 'left out, since a block is larger: 128' -- run "${atax[@]}" --autotune threads --db some.db
[[ $(awk '$1 ~ /^[0-9]+$/ { print $1 }' <<<"$out" | paste -sd ' ') == '256 384 512 640 768 896 1024' ]] ||
    complain "other eighths of 1024: $out"
gives 0 '8 runs, 1 failed in some.db' -- db list --db some.db
gives 0 '"left_out": [ 128 ]' -- run "${atax[@]}" --autotune threads --db some.db --json
# (Three blocks fit from 768 on: of equals the largest is best.)
gives 0 'best with 1000 threads' -- run vectoradd n=4096 --gpu sm32 --set sm.threads=1000 --autotune threads --db odd.db
[[ $(awk '$1 ~ /^[0-9]+/ { print $1 }' <<<"$out" | paste -sd ' ') == '256 384 512 640 768 896 1000' ]] ||
    complain "other eighths of 1000: $out"
# lud's kernels differ in the warps that there is room for; the least counts.
run run lud --size small --gpu sm32 --set sm.threads=1024 --json
mapfile -t warps < <(values occupancy_warps | sort -nu)
((${#warps[@]} > 1)) || complain "lud's kernels have room for equally many warps, ${warps[*]}"
gives 0 "\"warps\": ${warps[0]}," -- run lud --size small --gpu sm32 --autotune threads=1024 --db odd.db --json
gives 1 'no number runs, up to sm.threads=128: kernel atax_kernel1: no block of this kernel fits an SM: threads' \
    -- run "${atax[@]}" --autotune threads=64,128 --db some.db

# What fails for another reason is no number that is too small: a wrong result, blocks that need more registers.
"$onchip" show ptx vectoradd --view text | sed 's/add\.\(rn\.\)*f32/sub.f32/' >wrong.ptx
grep -q 'sub\.f32' wrong.ptx || complain 'vectoradd has no add.f32'
for _ in first again; do
    gives 1 'a run failed, that with sm.threads=' ': wrong result: ' -- \
        run vectoradd --size small --ptx wrong.ptx --autotune threads=512,1024 --db wrong.db
    lacks best
done
gives 1 'a run failed, that with sm.threads=256' 'fits an SM: registers' \
    -- run "${atax[@]}" --set registers.count=1024 --autotune threads=256,512 --db wrong.db
gives 1 'no kernel was timed' -- run "${atax[@]}" --autotune threads=128,256 --functional --db wrong.db

# Words that a shell would take apart are quoted; kernels that weren't timed don't count.
gives 0 "onchip run ${atax[*]} --kernels 'kernel[12]\$' --set sm.threads=" -- \
    run "${atax[@]}" --kernels 'kernel[12]$' --autotune threads=512 --jobs 1 --db wrong.db
gives 0 '"name": "atax_kernel2"' -- run "${atax[@]}" --kernels kernel2 --autotune threads=512 --db wrong.db --json
lacks atax_kernel1

# Mistakes.
gives 2 "autotune takes threads, with =N,… behind it or without, or no; not 'warps'" -- run atax --autotune warps
gives 2 '--autotune needs a value' -- run atax --autotune
for list in many '' 512.5 -256; do
    gives 2 "isn't a whole number" '"error": ' -- run atax --json --autotune threads="$list"
done
for list in '256,' '256,,512'; do
    gives 2 'autotune has an empty value' '"error": ' -- run atax --json --autotune threads="$list"
done
gives 2 "'16' is out of range: 32 to" -- run atax --autotune threads=512,16
gives 2 'takes one program and one value' -- run atax nx=64,128 --autotune threads
gives 2 'one thing is tuned at a time' -- run atax --sched best-swl --autotune threads
gives 2 "no scheduler 'best-swl=4'" -- run atax --sched best-swl=4
gives 2 'run what?' -- run --autotune threads
gives 0 '--autotune threads[=N,…]' '--db FILE' -- run --autotune threads --help
gives 0 '--autotune threads[=N,…]' 'onchip run --autotune threads --help' -- run --help
exit $bad
