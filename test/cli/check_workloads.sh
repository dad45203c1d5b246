#!/bin/bash
# --check of all workloads at their small size: none has a finding but the two that doc/use/check.md explains.
source "$ONCHIP_SOURCE/test/cli/expect.bash"
mapfile -t workloads < <("$ONCHIP" list workloads | awk '/^[a-z]/ { print $1 }')
((${#workloads[@]} > 50)) || complain "there are only ${#workloads[@]} workloads"
for w in "${workloads[@]}"; do
    want=
    case $w in
    lps) want='uninitialised shared memory' ;;
    pageview) want='race global memory' ;;
    esac
    "$ONCHIP" run "$w" --size small --functional --check --json >"$work/json" 2>"$work/err"
    got=$(jq -r '[.kernels[].findings[] | .kind + " " + .space] | unique_by(.) | join(", ")' "$work/json")
    [[ $got == "$want" ]] || complain "$w: '$got', not '$want' ($(head -c 300 "$work/err"))"
done
exit $bad
