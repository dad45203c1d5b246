# stored.bash: what the tests of the stored figures share. doc/results/measurements/PAPER-small.csv has what
# `onchip reproduce PAPER FIGURE … --size small --csv` prints, in sorted order; nothing in it depends on the host.
[[ -x $ONCHIP ]] || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
measurements=$ONCHIP_SOURCE/doc/results/measurements
source "$ONCHIP_SOURCE/test/test.bash"

# same PAPER [FIGURE …]: the stored lines of these figures, or of all that are stored, are those of today. With
# ONCHIP_REFRESH they become those of today.
same() {
    local paper=$1 file=$measurements/$1-small.csv figure
    shift
    (($#)) || set -- $(tail -n +2 "$file" | cut -d '"' -f 2 | cut -d / -f 2 | sort -u)
    for figure in "$@"; do
        grep "^\"$paper/$figure\"," "$file" || echo "no $paper/$figure"
    done | LC_ALL=C sort >"$work/stored"
    "$ONCHIP" reproduce "$paper" "$@" --size small --csv --db "$work/db" | tail -n +2 | LC_ALL=C sort >"$work/fresh"
    diff -u --label "doc/results/measurements/$paper-small.csv" --label now "$work/stored" "$work/fresh" >&2 ||
        complain "$paper: other numbers than stored: see CONTRIBUTING.md, style/numbers"
    [[ -z ${ONCHIP_REFRESH:-} ]] || {
        grep -vxF -f "$work/stored" "$file" | tail -n +2 | LC_ALL=C sort - "$work/fresh" >"$work/new"
        { head -n 1 "$file"; cat "$work/new"; } >"$work/file"
        cp "$work/file" "$file"
    }
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
