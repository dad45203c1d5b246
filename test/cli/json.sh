#!/bin/bash
# --json gives one valid document, whatever happens; "error" stands in it just when the exit status isn't 0. jq or
# python3 reads it.
source test/cli/expect.bash
if command -v jq >/dev/null; then
    documents() { jq -s 'length' 2>/dev/null; }
    error_of() { jq -r '.error // empty'; }
elif command -v python3 >/dev/null; then
    documents() { python3 -c 'import json, sys; json.load(sys.stdin); print(1)' 2>/dev/null; }
    error_of() { python3 -c 'import json, sys; print(json.load(sys.stdin).get("error", ""))'; }
else
    exit 77
fi
cp examples/saxpy.ptx "$work"
saxpy=("$work/saxpy.ptx" --block 8 --arg i32:8 --arg f32:2 --arg buf:32:iota:f32 --arg buf:32)

# json STATUS ERROR -- ARGUMENT …
json() {
    local want=$1 text=$2 said
    shift 3
    gives "$want" -- "$@"
    [[ $(documents <<<"$out") == 1 ]] || complain "onchip $*: not one JSON document: $out"
    said=$(error_of <<<"$out")
    [[ $said == *"$text"* ]] || complain "onchip $*: the error lacks '$text': $said"
    ((want)) || [[ ! $said ]] || complain "onchip $*: an error although all went well: $said"
    ((want == 0)) || [[ $said && $err == *"$said"* ]] ||
        complain "onchip $*: the JSON has the error '$said', stderr '$err'"
    [[ $out == *'"schema": 2'* && $out == *'"kernels": ['* ]] || complain "onchip $*: no schema, or no kernels"
}

json 0 '' -- run saxpy --size small --json
json 0 '' -- run "${saxpy[@]}" --json --dump 3:f32
json 0 '' -- run "${saxpy[@]}" --json --dump 3:f32 --dump 3:u32 --dump y
json 2 'run what?' -- run --json
json 2 'unknown option --bogus' -- run --bogus --json saxpy
json 2 '--gpu needs a value' -- run saxpy --json --gpu
json 2 "no workload 'saxpi'" -- run saxpi --json
json 2 'unknown GPU' -- run saxpy --json --gpu gtx48
json 2 'l1.size' -- run saxpy --json --set l1.size=many
json 2 'multiple of the line' -- run saxpy --json --set l1.size=5000
json 2 'malformed regular expression' -- run saxpy --size small --json --kernels '('
json 2 'nothing was timed' -- run saxpy --size small --json --kernels nothing
json 2 '--grid is an option of' -- run saxpy --json --grid 4
json 2 'n=0' -- run saxpy --json n=0
json 2 'no parameter' -- run saxpy --json m=3
json 1 "can't read" -- run "$work/no.ptx" --json
json 1 "can't read" -- run saxpy --json --ptx "$work/no.ptx"
json 2 'takes 4 arguments' -- run "$work/saxpy.ptx" --json
json 2 'buf:many' -- run "$work/saxpy.ptx" --json --arg i32:8 --arg f32:2 --arg buf:many --arg buf:4
json 2 'no kernel' -- run "${saxpy[@]}" --kernel other --json
json 2 'threads' -- run "${saxpy[@]}" --block 2000 --json
json 1 'outside of every allocation' -- run "$work/saxpy.ptx" --block 16 --arg i32:16 --arg f32:2 --arg buf:64 \
    --arg buf:32 --json
json 1 'max_cycles' -- run atax --size small --json --max-cycles 100
printf '.version 7.0\n.target sm_35\n.address_size 64\n.visible .entry k() { oops; }\n' >"$work/bad.ptx"
json 1 'bad.ptx:4' -- run "$work/bad.ptx" --json
printf '\377\1"\\\n' >"$work/binary.ptx"
json 1 'binary.ptx:1' -- run "$work/binary.ptx" --json
printf '[l1]\nsize = 3\n' >"$work/odd.ini"
json 1 'GPU description' -- run saxpy --json --gpu "$work/odd.ini"

# A buffer that is given back twice is one field.
run run "${saxpy[@]}" --json --dump 3:f32 --dump 3:u32
(($(grep -c '"y": "' <<<"$out") == 1)) || complain 'a buffer dumped twice is not in the JSON once'
exit $bad
