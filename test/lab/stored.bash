# stored.bash: what the tests of the stored figures share. doc/results/measurements/PAPER-small.csv is what
# `onchip reproduce PAPER --size small --csv` prints, in sorted order, without what depends on the host's time.
[[ -x $ONCHIP ]] || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
measurements=$ONCHIP_SOURCE/doc/results/measurements
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() {
    echo "$1" >&2
    bad=1
}

# fresh PAPER [FIGURE …]: these figures' lines, or all, as they are now.
fresh() {
    "$ONCHIP" reproduce "$@" --size small --csv --db "$work/db" | tail -n +2 | grep -v '^"sl1/fig10-cpu",' |
        LC_ALL=C sort
}

# same PAPER FIGURE …: the stored lines of these figures are those of today.
same() {
    local paper=$1 figure
    shift
    for figure in "$@"; do
        grep "^\"$paper/$figure\"," "$measurements/$paper-small.csv" || echo "no $paper/$figure"
    done | LC_ALL=C sort >"$work/stored"
    fresh "$paper" "$@" >"$work/fresh"
    diff -u --label "doc/results/measurements/$paper-small.csv" --label now "$work/stored" "$work/fresh" >&2 ||
        complain "$paper: other numbers than stored: see CONTRIBUTING.md, style/numbers"
}

# rerun FILE GPU: the file's run of fewest cycles takes as many today, on GPU where its row names none.
rerun() {
    local row now
    mapfile -t row < <(python3 - "$measurements/$1.json" "$2" <<'PY'
import json
import sys
row = min(json.load(open(sys.argv[1]))["rows"], key=lambda row: row["cycles"])
print(row["cycles"], "--program", row["program"] + " " + row["params"], "--gpu", row.get("gpu", sys.argv[2]), sep="\n")
for word in row["overrides"].split():
    print("--set", word, sep="\n")
for word in row.get("options", "").split():
    print(word)
PY
    )
    "$ONCHIP" sweep "${row[@]:1}" --db "$work/$1.db" >/dev/null
    now=$("$ONCHIP" db list --db "$work/$1.db" --columns cycles --csv | tail -n 1 | awk -F, '{ print $(NF - 2) }')
    [[ $now == "${row[0]}" ]] || complain "$1: ${row[*]:1} takes $now cycles, and ${row[0]} are stored"
}
