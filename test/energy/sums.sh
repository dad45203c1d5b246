#!/bin/bash
# Energy accounts add up exactly: components to the total, data structures to their component, whatever the workload and
# the organisation. A vector sum's accounts follow from its size alone. Accounting changes no cycle.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

n=0
machines=("--gpu sm32" "--gpu sm32 --set storage.kind=unified" "--gpu titan_black --energy" "--gpu h200 --energy")
for workload in vectoradd histogram nw bfs lud ray sgemv wc kmeans hotspot; do
    for sets in "${machines[@]}"; do  # without ONCHIP_LONG every fifth pair: each machine twice
        ((++n % 5 == 0)) || [[ ${ONCHIP_LONG:-} ]] || continue
        # shellcheck disable=SC2086
        "$ONCHIP" run $workload --size small $sets --json >"$dir/$workload $sets"
    done
done
python3 - "$dir"/* <<'EOF'
import json, sys
for run in sys.argv[1:]:
    for kernel in json.load(open(run))["kernels"]:
        c = kernel["counters"]
        parts = sum(v for k, v in c.items() if k.startswith("energy.") and k != "energy.total")
        assert parts == c["energy.total"] > 0, (run, kernel["name"], parts)
        for part in ("l1", "dram"):
            own = sum(s[part + "_energy"] for s in kernel["structures"])
            assert own == c["energy." + part], (run, kernel["name"], part, own)
        for s in kernel["structures"]:
            assert s["dram_energy"] == (32000 if "h200" in run else 320000) * s["dram_bytes"], (run, s)
        held = [c["storage." + k] / c["cycles"] for k in ("registers", "shared", "l1")]
        if "unified" in run:
            assert 384 * 1024 - 512 < sum(held) <= 384 * 1024, (run, held)
EOF

# Three arrays of 4096 floats pass DRAM once: 49152 bytes at 40 pJ a bit. The L1 is filled with two of them, in accesses
# of 16 bytes, and never hit.
"$ONCHIP" run vectoradd n=4096 --gpu sm32 --json >"$dir/run.json"
python3 - "$dir/run.json" <<'EOF'
import json, sys
c = json.load(open(sys.argv[1]))["kernels"][0]["counters"]
assert c["energy.dram"] == 49152 * 8 * 40000, c["energy.dram"]
assert c["energy.l1"] == 2 * 4096 * 4 // 16 * 5100, c["energy.l1"]
assert c["energy.registers"] == 8 * (9800 * c["registers.mrf_reads"] + 11800 * c["registers.mrf_writes"])
EOF

for gpu in gtx480 sm32; do
    for count in yes no; do
        "$ONCHIP" run nw --size small --gpu $gpu --set energy.count=$count --json |
            grep -o '"cycles": *[0-9]*' >"$dir/$count"
    done
    cmp "$dir/yes" "$dir/no"
done

# In words: the total is the terminal's, and each structure has a row.
text=$("$ONCHIP" run vectoradd n=4096 --energy)
grep -q '^  energy  .*J, core' <<<"$text"
grep -q '^  structure  *energy in the L1' <<<"$text"
if "$ONCHIP" run vectoradd n=4096 --functional --energy >"$dir/out" 2>&1; then
    echo "--energy with --functional was taken"
    exit 1
fi
grep -q -- '--energy has no effect' "$dir/out"
