#!/bin/bash
# docs.sh [--check] [--long] [FILE.md …]: writes what is made in the documentation, or in these files: the pages
# gpu.md, counters.md, cudart.md, libcuda.md and options.md of doc/reference, what stands between markers in every
# document and in the manual page, and the output in the code blocks, which are run (tools/blocks.sh). With --check
# nothing is written; what would change is printed, and the exit status is 1.
#
# Between these two lines stands what COMMAND prints in the source folder (in the manual page they begin with .\"):
#
#   <!-- begin: COMMAND -->
#   <!-- end -->
#
# So a table of a paper's figure is what `onchip reproduce PAPER FIGURE --markdown` makes of stored points.
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
mkdir "$scratch/bin"
ln -s "$(realpath "$onchip")" "$scratch/bin/onchip"

# page FILE: its new text is the standard input.
page() {
    cat >"$scratch/page"
    if [[ -z $check ]]; then
        cmp -s "$1" "$scratch/page" || cat "$scratch/page" >"$1"
    elif ! diff -u --label "$1" --label now "$1" "$scratch/page" >&2; then
        echo "$1 is stale (refresh: bash tools/docs.sh)" >&2
        bad=1
    fi
}

# filled FILE: prints it with what its commands print now. A command that fails is told, and fails the whole.
filled() {
    local line within='' end='<!-- end -->' begin='<!-- begin: (.*) -->' gap=$'\n'
    [[ $1 != *.1 ]] || { end='.\" end' begin='\.\\" begin: (.*)' gap=''; }
    while IFS= read -r line; do
        [[ $line != "$end" ]] || within=''
        [[ $within ]] || printf '%s\n' "$line"
        [[ $line =~ ^$begin$ ]] || continue
        within=${BASH_REMATCH[1]}
        printf %s "$gap"
        PATH=$scratch/bin:$PATH bash -c "$within" </dev/null || { echo "$1: \`$within\` failed" >&2; return 1; }
        printf %s "$gap"
    done <"$1"
    [[ ! $within ]] || { echo "$1: no '$end' behind '$within'" >&2; return 1; }
}

documents=("$@")
(($#)) || mapfile -t documents < <(printf '%s\n' README.md CONTRIBUTING.md doc/reference/onchip.1
    find doc -name '*.md' | sort)
for document in "${documents[@]}"; do
    case $document in
    doc/reference/gpu.md) "$onchip" show keys >"$scratch/filled" || bad=1 ;;
    doc/reference/counters.md) "$onchip" show counters >"$scratch/filled" || bad=1 ;;
    doc/reference/cudart.md) "$onchip" show calls >"$scratch/filled" || bad=1 ;;
    doc/reference/libcuda.md) "$onchip" show driver >"$scratch/filled" || bad=1 ;;
    doc/reference/options.md) "$onchip" show options >"$scratch/filled" || bad=1 ;;
    *)
        grep -q -e '^<!-- begin: ' -e '^\.\\" begin: ' "$document" || continue
        filled "$document" >"$scratch/filled" || { bad=1; continue; }
        ;;
    esac
    page "$document" <"$scratch/filled"
done
pages=()
for document in "${documents[@]}"; do [[ $document != *.md ]] || pages+=("$document"); done
((! ${#pages[@]})) || bash tools/blocks.sh "${options[@]}" "${pages[@]}" || bad=1
exit $bad
