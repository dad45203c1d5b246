#!/bin/bash
# The numbers in doc/'s tables come out of stored runs (tools/tables.py), and the check is strict: few other numbers
# would pass, and it notices a digit, a value of a file, a figure and a comment that are wrong.
set -euo pipefail
command -v python3 >/dev/null || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
cd "$ONCHIP_SOURCE"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1
bad=0
complain() {
    echo "$1" >&2
    bad=1
}

python3 tools/tables.py >"$folder/log" || bad=1
cat "$folder/log"
share=$(sed -n 's/^\([0-9]*\)\.[0-9] % of other numbers would pass$/\1/p' "$folder/log")
((${share:-100} < 5)) || complain "$share % of other numbers would pass"

# notices NAME FILE SED TEXT: after this change of a file the check fails, and says so.
notices() {
    local name=$1 file=$2
    rm -rf "$folder/tree"
    mkdir "$folder/tree"
    cp -r doc gpus reproduce "$folder/tree"
    sed -i "$3" "$folder/tree/$file"
    ! cmp -s "$file" "$folder/tree/$file" || complain "$name: $file is as it was"
    if python3 tools/tables.py --root "$folder/tree" doc/results/papers.md doc/results/reproduce-ciao.md \
        >/dev/null 2>"$folder/log"; then
        complain "$name isn't noticed"
    elif ! grep -qF -e "$4" "$folder/log"; then
        complain "$name: '$4' isn't in: $(<"$folder/log")"
    fi
}
page=doc/results/reproduce-ciao.md
notices "another digit" $page 's/^| CIAO-C | 1.43 |/| CIAO-C | 1.44 |/' 'CIAO-C, all 21: no source gives 1.44'
notices "another digit of the paper's" $page 's/^| CIAO-C | 1.43 | 1.56/| CIAO-C | 1.43 | 1.55/' 'no source gives 1.55'
notices "another quotient" $page 's|1.350 / 1.799 = 0.75|1.350 / 1.799 = 0.76|' "1.350 / 1.799 isn't 0.76"
notices "another run" doc/results/measurements/ciao-paper.json \
    '/"syrk".*"sched.policy=ciao-c",.*cap=1000000/s/"cycles": [0-9]*/"cycles": 1/' 'no source gives 1.43'
notices "another value" doc/results/measurements/mei-small.csv 's/,1251,1259,10$/,1248,1259,10/' 'no source gives 112'
notices "another figure" $page 's|ciao-paper.json ciao/variants|ciao-paper.json ciao/variant|' \
    'has no value of ciao/variant'
notices "no comment" $page '/^<!-- from .*fig12/,/-->$/d' 'a table of numbers without'
notices "a rule of no kind" $page 's/^<!-- not measured: a definition: entries/<!-- not measured: entries/' \
    'a table of numbers without'
exit $bad
