#!/bin/bash
# Every field of the JSON that `run` and `probe` print stands in doc/reference/json.md or probe-json.md.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} && -x $ONCHIP ]] || exit 77
cd "$ONCHIP_SOURCE"
source "$ONCHIP_SOURCE/test/test.bash"

# Every field of a run's is in doc/reference/json.md; counters and rates are in doc/reference/counters.md.
cp examples/saxpy.ptx "$work/saxpy.ptx"
"$ONCHIP" run vectoradd --size small --json --lines --interval 100 --why >"$work/json"
"$ONCHIP" run lps --size small --json --check >>"$work/json" 2>/dev/null || true  # it has findings
"$ONCHIP" run "$work/saxpy.ptx" --arg i32:8 --arg f32:2 --arg buf:32 --arg buf:32 --dump 3 --json \
    >>"$work/json" 2>/dev/null
"$ONCHIP" run "$work/saxpy.ptx" --json >>"$work/json" || true  # the arguments are missing: "error"
for tuned in --sched=best-swl --autotune=threads; do
    "$ONCHIP" run vectoradd --size small $tuned --db "$work/tuned.db" --json >>"$work/json"
done
# What stands in "dumps" are names of parameters.
pages=$(cat doc/reference/json.md doc/reference/counters.md)
for field in $(sed '/^ *"dumps": {$/,/^ *}/{/"dumps"/!d}' "$work/json" | grep -oE '^ *"[a-z0-9_.]+":' |
    tr -d ' ":' | sort -u); do
    [[ $pages == *"\`$field\`"* ]] ||
        complain "doc/reference/json.md lacks $field"
done

# Every field of the probe's is in doc/reference/probe-json.md.
"$ONCHIP" probe --gpu gtx560ti --only l1,l2,spectrum,footprint,shared,ops,throughput --json >"$work/json"
"$ONCHIP" probe --gpu gtx780 --only texture --by-the-book --json >>"$work/json"
"$ONCHIP" probe --json >>"$work/json" 2>/dev/null || true
page=$(<doc/reference/probe-json.md)
for field in $(grep -oE '"[a-z0-9_]+":' "$work/json" | tr -d '":' | sort -u); do
    [[ $page == *"\`$field\`"* ]] || complain "doc/reference/probe-json.md lacks $field"
done
exit $bad
