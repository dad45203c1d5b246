#!/bin/bash
# Every field of the JSON that commands write is one of `onchip list fields`, of the type that stands there; and nearly
# every field of that list is met.
set -euo pipefail
[[ -z ${ONCHIP_SANITIZED:-} && -x $ONCHIP ]] || exit 77
cd "$ONCHIP_SOURCE"
source "$ONCHIP_SOURCE/test/test.bash"
export XDG_DATA_HOME=$work

# met DOCUMENT COMMAND …: prints DOCUMENT, path and type of everything in the JSON that onchip COMMAND writes.
met() {
    local document=$1
    shift
    "$ONCHIP" "$@" 2>/dev/null >"$work/json" || true
    jq -r --arg document "$document" 'paths as $p | $document + " " + ($p
        | map(if type == "number" then "[]" else "." + gsub(" "; "_") end) | add | ltrimstr(".")) + " "
        + (getpath($p) | type)' "$work/json" || complain "$*: not JSON"
}

# What needs a CUDA program, nvcc, another version of the model, or more time than a test has.
rare='^run (hint|clock|held_.*|kernels\[\]\.(demangled|sampled.*|unchecked|expected\.within|lines\[\]\.at_.*))$
^db-compare changes.*
^advise (trials\[\]\.(error|differs)|notes.*)
^probe .*\.(why|nearest.*|page_bytes|penalty_cycles|window_bytes|switching_cycles|kernel)$
^probe hits.*'
cp examples/saxpy.ptx "$work/saxpy.ptx"
{
    met run run atax --gpu gtx480 --size small --json --interval 1000 --lines --why
    met run run lps --gpu gtx480 --size small --json --check  # it has findings
    met run run vectoradd --gpu sm32 --size small --json --energy --cap 10
    met run run "$work/saxpy.ptx" --arg i32:8 --arg f32:2 --arg buf:32 --arg buf:32 --dump 3 --json
    met run run "$work/saxpy.ptx" --json  # the arguments are missing: "error"
    met run run test/run/data/overread.ptx $(sed -n 's,^// run: ,,p' test/run/data/overread.ptx) --json
    met run run test/run/data/shfl_inactive.ptx $(sed -n 's,^// run: ,,p' test/run/data/shfl_inactive.ptx) --json
    for tuned in --sched=best-swl --autotune=threads; do
        met search run vectoradd --gpu gtx480 --size small $tuned --db "$work/tuned.db" --json
    done
    met search run "$work/saxpy.ptx" --autotune=threads --json
    "$ONCHIP" run vectoradd --gpu gtx480 --size small --json --lines >"$work/old.json"
    met compare compare "$work/old.json" "vectoradd n=3000" --gpu gtx480 --json --fail-above 0%
    met compare compare "vectoradd n=3000" "matmul-tiled n=32" --gpu gtx480 --json
    "$ONCHIP" run vectoradd n=3000 --gpu gtx480 --json --lines >"$work/new.json"
    sed 's/"issued": /&1/' "$work/new.json" >"$work/issued.json"
    met compare compare "$work/new.json" "$work/issued.json" --json
    met advise advise atax --gpu gtx480 --size small --json --robust --energy
    met advise advise atax --gpu gtx480 --json bad=1
    printf '%s\n' '[matrix]' 'program = vectoradd n=3000, vectoradd n=4000' 'gpu = gtx480' 'l2.latency = 182, 250' \
        >"$work/m.ini"
    "$ONCHIP" sweep "$work/m.ini" --db "$work/a.db" >/dev/null 2>&1
    met db-compare db compare --by l2.latency=182,250 --db "$work/a.db" --json --fail-above 0%
    read -r -d '' one two < <("$ONCHIP" db list --db "$work/a.db" --columns key --json | jq -r '.rows[].key') || true
    met db-compare db compare "$one" "${two##*$'\n'}" --db "$work/a.db" --json --fail-above 0%
    met probe probe --gpu gtx560ti --only l1,l2,spectrum,footprint,shared,ops,throughput --json
    met probe probe --gpu gtx780 --only texture --by-the-book --json
    met probe probe --json
} >"$work/met"
"$ONCHIP" list fields >"$work/fields"
sort -u "$work/met" | awk -v fields="$work/fields" -v unmet="$work/unmet" '
    BEGIN {
        while ((getline line < fields) > 0) {
            if (line ~ /^ / ) {
                if (last != "" && type[last] == "") { sub(/^ +/, "", line); take(line) }
                continue
            }
            split(line, word, " +")
            last = word[1] " " word[2]
            sub(/^[^ ]+ +[^ ]+ */, "", line)
            order[++n] = last
            take(line)
        }
    }
    function take(text) {
        if (text ~ /^object: the fields of /) same[last] = substr(text, 23)
        if (text != "" && type[last] == "") type[last] = text
    }
    # The listed name of a path; "" if it is not one, free where an object above has keys of its own.
    function listed(document, path, k) {
        for (k in same) if (index(document " " path, k ".") == 1 || index(document " " path, k "[]") == 1)
            path = same[k] substr(document " " path, length(k) + 1)
        return document " " path
    }
    {
        name = listed($1, $2)
        sub(/(\[\])+$/, "", name)
        if (name in type) {
            seen[name] = 1
            if ($2 !~ /\]$/ && $3 != "null" && index(type[name], $3) != 1 && type[name] !~ ("^[a-z]+ or " $3)\
                && !($3 == "object" && type[name] ~ /^value/)) {
                printf "%s is %s in the list, %s in the JSON\n", name, type[name], $3
                bad = 1
            }
            next
        }
        while (sub(/(\[\]\.|\.)[^.]*$|\[\]$/, "", name)) if (type[name] ~ /^(object of|array of|value)/) next
        printf "onchip list fields lacks %s (%s)\n", $1 " " $2, $3
        bad = 1
    }
    END {
        for (k = 1; k <= n; k++) if (!(order[k] in seen)) print order[k] > unmet
        exit bad
    }' || bad=1
if grep -vxE "$rare" "$work/unmet"; then complain "no command wrote these fields of onchip list fields"; fi
exit $bad
