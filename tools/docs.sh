#!/bin/bash
# docs.sh [--check] [--long] [FILE.md …]: writes what is made in the documentation: doc/reference/gpu.md,
# doc/reference/counters.md, the schema in doc/reference/store.md, and the output in the code blocks of these documents,
# or of every one, which are run (tools/blocks.sh). With --check nothing is written; what would change is printed, and
# the exit status is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=${ONCHIP:-${ONCHIP_BUILD:-build}/onchip}
[[ -x $onchip ]] || { echo "docs: no $onchip; run ./dev build" >&2; exit 1; }
check='' options=()
while [[ ${1:-} == --* ]]; do
    [[ $1 != --check ]] || check=1
    options+=("$1")
    shift
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0

# page FILE: its new text is the standard input.
page() {
    cat >"$scratch/page"
    if [[ -z $check ]]; then
        cat "$scratch/page" >"$1"
    elif ! diff -u --label "$1" --label now "$1" "$scratch/page" >&2; then
        echo "$1 is stale (refresh: bash tools/docs.sh)" >&2
        bad=1
    fi
}

"$onchip" show keys | page doc/reference/gpu.md
"$onchip" show counters | page doc/reference/counters.md
awk -f tools/schema.awk src/store/schema/*.sql >"$scratch/schema.md"
awk -v schema="$scratch/schema.md" '
    /^<!-- end -->$/ { on = 0 }
    !on
    /^<!-- made by tools\/docs.sh/ { on = 1; print ""; while ((getline line <schema) > 0) print line; print "" }
' doc/reference/store.md >"$scratch/store.md"
page doc/reference/store.md <"$scratch/store.md"

(($#)) || set -- README.md CONTRIBUTING.md $(find doc -name '*.md' | sort)
bash tools/blocks.sh "${options[@]}" "$@" || bad=1
exit $bad
