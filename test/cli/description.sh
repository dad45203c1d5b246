#!/bin/bash
# Descriptions: show gpu has every section once, gives a description that is the same when it is loaded, and refuses
# what run refuses, in the same words; the manual names what can be chosen.
source test/cli/expect.bash
card=gtx480

names='"wall_seconds"\|"gpu"\|"says"'  # a copy isn't called as the card, of which times were measured
for gpu in $("$onchip" list gpus | awk '{ print $1 }'); do
    gives 0 -- show gpu "$gpu"
    repeated=$(grep '^\[' <<<"$out" | sort | uniq -d)
    [[ ! $repeated ]] || complain "show gpu $gpu: more than once: $repeated"
    values=$(sed 's/ *#.*//' <<<"$out")
    echo "$out" >"$work/copy.ini"
    gives 0 -- show gpu "$work/copy.ini"
    [[ $(sed 's/ *#.*//' <<<"$out") == "$values" ]] || complain "show gpu $gpu: its copy has other values"
    "$onchip" run atax --size small --gpu "$gpu" --json | grep -v "$names" >"$work/json"
    "$onchip" run atax --size small --gpu "$work/copy.ini" --json | grep -v "$names" |
        cmp -s - "$work/json" || complain "show gpu $gpu: its copy is another GPU"
done

# A unit stands behind each value that has one, once.
gives 0 'latency        = 40           # cycle; ' 'bandwidth      = 177          # GB/s; ' '# MHz, config' \
    -- show gpu gtx480
lacks 'MHz; MHz'

# Every key is either given by the description or listed as left at its default: section.key of the file, of --defaults,
# and of the manual, whose rows of policies' parameters say so.
keys() { awk '/^\[/ { s = substr($1, 2, length($1) - 2) } /^[a-z0-9_]+ *=/ { print s "." $1 }' | sort; }
gives 0 'interleave' '[tlb1]' -- show gpu gtx480 --defaults
echo "$out" | keys >"$work/left"
keys <"$ONCHIP_SOURCE/gpus/gtx480.ini" | grep -v '^gpu.title$' >"$work/given"  # a name is no key of the manual
gives 0 -- show keys
awk -F ' [|] ' '/^## / { gsub(/[^a-z0-9]/, ""); s = $0 }
    /^\| `/ && !/with (policy|prefetch) = / {
        n = split($1, names, /[^a-z0-9_]+/)  # a row has several keys where they mean the same
        for (k = 1; k <= n; k++) if (names[k]) print s "." names[k]
    }' <<<"$out" | sort >"$work/all"
sort -m "$work/left" "$work/given" | cmp -s - "$work/all" ||
    complain "show gpu --defaults: $(sort -m "$work/left" "$work/given" | diff - "$work/all" | head -n 5)"

gives 0 -- show keys
repeated=$(grep '^## ' <<<"$out" | sort | uniq -d)
[[ ! $repeated ]] || complain "show keys: more than once: $repeated"
# The default of a choice is one of its names: columns key, range, default.
awk -F ' *[|] *' '
    $3 ~ /^[a-z-]+,/ && index(", " $3 ",", ", " $4 ",") == 0 { print "show keys: " $0; bad = 1 }
    END { exit bad }' \
    <<<"$out" >&2 || bad=1
gives 0 '| gto |' -- show keys

# What contradicts itself: the same words and the same exit status as of run.
for set in l1.size=5000 l2.latency=3 dram.latency=1 l2.chunk=300 tlb1.entries=6 link.credits=1 l1.polcy=lru \
    l1.replacement=mru sched.policy=gtoo \
    gpu.memory=1 gpu.sms=0 l1.size=many storage.kind=one nothing; do
    run run saxpy --size small --set $set
    said=$err
    ((status == 2)) || complain "run saxpy --set $set: exit status $status, not 2"
    gives 2 "$said" -- show gpu gtx480 --set $set
    [[ ! $out ]] || complain "show gpu gtx480 --set $set: shows something"
done
printf '[gpu]\nbase = gtx480\n[l1]\nways = 5\n' >"$work/odd.ini"
run run saxpy --size small --gpu "$work/odd.ini"
said=$err
((status == 1)) || complain "run --gpu odd.ini: exit status $status, not 1"
gives 1 "$said" -- show gpu "$work/odd.ini"

# A linear index: what can't be a list of address bits, and what can't be an index.
gives 2 'a list of address bits is expected' -- run saxpy --set l1.index_bits=7^7
gives 2 'a list of address bits is expected' -- run saxpy --set l1.index_bits=7^64
gives 2 'a list of address bits is expected' -- run saxpy --set l1.index_bits=7^,8
gives 2 'a list of address bits is expected' -- run saxpy --set 'l1.index_bits=-1'
linear=(run saxpy --size small --gpu titan_black --set l1.index=linear)
unsaid=(run saxpy --size small --gpu gtx560ti --set l1.index=linear)
gives 2 'l1: index_bits are not independent' -- "${linear[@]}" --set l1.index_bits=5,8,9,10,11
gives 0 -- "${linear[@]}" --set l1.index_bits=5^7,8,9,10,11  # what lies within a line doesn't count
gives 2 'l1: index_bits are not independent' -- "${linear[@]}" --set l1.index_bits=7,8,7^8,10,11
gives 2 'l1: a linear index needs index_bits' -- "${unsaid[@]}"
gives 0 -- run saxpy --size small --gpu gtx560ti --set l1.index_bits=5  # the lowest that there may be
gives 2 'did you mean gpu.capability?' -- run saxpy --set gpu.capabilit=35

# Unequal sets settle a capacity, and that is what is shown. A file that gives both must give the same.
gives 0 'entries        = 58           # entry; the sum of the sets' -- show gpu gtx780 --set tlb2.sets=24,17,17
gives 2 'tlb2.entries is 64, and tlb2.sets add up to 65' -- show gpu gtx780 --set tlb2.entries=64
printf '[gpu]\nbase = gtx780\n[tlb2]\nsets = 24, 17, 17\n' >"$work/sets.ini"
gives 0 'entries        = 58 ' -- show gpu "$work/sets.ini"
printf 'entries = 65\n' >>"$work/sets.ini"
gives 1 'sets.ini:5:11: error: tlb2.entries is 65, and tlb2.sets add up to 58' -- show gpu "$work/sets.ini"
# The same of a cache, in bytes: 24 lines of 128. One number, which may be meant as a number of sets, isn't taken.
printf '[gpu]\nmemory = 1MiB\n[l1]\nsets = 10, 6, 8\n' >"$work/sets.ini"
gives 0 'size           = 3072         # byte; the sum of the sets' -- show gpu "$work/sets.ini"
gives 0 'L1 ' -- run saxpy n=64 --gpu "$work/sets.ini"
printf '[gpu]\nmemory = 1MiB\n[l1]\nsets = 32\n' >"$work/sets.ini"
gives 1 "sets.ini:4:8: error: l1.sets: one set of 32 lines, and l1.size isn't given beside it" \
    'hint: sets has the lines of each set; for sets alike give size and ways, for one set size = 4096 besides' \
    -- run saxpy n=64 --gpu "$work/sets.ini"

# The names that can be chosen are those of the tables, all of them; the nearest is proposed.
# (best-swl and a file of one's own aren't of the table of schedulers.)
list() {
    "$onchip" list "$1" | sed -n '/^best-swl/d; /^\./d; s/^\([^ ][^ ]*\).*/\1/p' | paste -sd ' ' |
        sed 's/ /, /g; s/\(.*\), /\1 and /'
}
gives 2 "none of $(list schedulers)" 'did you mean gto?' -- run saxpy --set sched.policy=gtoo
gives 2 "no scheduler 'gtoo'; did you mean 'gto'?" -- run saxpy --sched gtoo
gives 2 "none of $(list replacements)" -- run saxpy --set l1.replacement=mru
gives 2 'none of bits, modulo, xor, dealt and linear' -- run saxpy --set l1.index=hash
gives 2 'none of no and yes' -- run saxpy --set l1.keep=maybe
gives 2 "'0' is out of range: 1 to 65536 cycle" -- run saxpy --set l1.latency=0
gives 2 "'1' is out of range: 1 MiB to 1 TiB" -- run saxpy --set gpu.memory=1
gives 2 "did you mean 'gtx480'?" -- show gpu gtx48
export XDG_DATA_HOME=$work
# A size that each launch chooses on this GPU is said to have no effect; on one that has it, nothing is said.
gives 0 -- run saxpy --size small --gpu rtx3080 --set l1.size=64KiB
[[ $err == *'l1.size=64KiB has no effect on rtx3080: storage.kind = carved'* ]] ||
    complain "l1.size on rtx3080: ${err:-nothing}"
for command in "sweep --dry-run" sweep "advise --budget 1" "report run --no-figures -o $work/page.html"; do
    gives 0 -- $command saxpy --size small --gpu rtx3080 --set l1.size=64KiB
    (($(grep -c 'l1.size=64KiB has no effect on rtx3080' <<<"$err") == 1)) || complain "$command: ${err:-nothing}"
done
for command in run sweep; do
    gives 0 -- $command saxpy --size small --gpu gtx480 --set l1.size=64KiB
    [[ $err != *effect* ]] || complain "$command: l1.size on gtx480: $err"
done

exit $bad
