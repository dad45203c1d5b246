# stored.bash: what the tests of the stored figures share. doc/results/measurements/PAPER-SIZE.csv has what
# `onchip reproduce PAPER FIGURE … --size SIZE --csv` prints; nothing in it depends on the host.
[[ -x $ONCHIP ]] || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
measurements=$ONCHIP_SOURCE/doc/results/measurements
source "$ONCHIP_SOURCE/test/test.bash"

# same PAPER SIZE [FIGURE …]: the stored lines of these figures, or of all that are stored, are those of today. With
# ONCHIP_REFRESH they become those of today.
same() {
    local paper=$1 size=$2 file=$measurements/$1-$2.csv figure
    shift 2
    (($#)) || set -- $(tail -n +2 "$file" | cut -d '"' -f 2 | cut -d / -f 2 | sort -u)
    for figure in "$@"; do
        grep "^\"$paper/$figure\"," "$file" || echo "no $paper/$figure"
    done >"$work/stored"
    "$ONCHIP" reproduce "$paper" "$@" --size "$size" --csv --db "$work/db" | tail -n +2 >"$work/fresh"
    diff -u --label "doc/results/measurements/$paper-$size.csv" --label now <(LC_ALL=C sort "$work/stored") \
        <(LC_ALL=C sort "$work/fresh") >&2 ||
        complain "$paper: other numbers than stored: if that is meant, ONCHIP_REFRESH=1 stores them, and then
bash tools/docs.sh writes the tables of the pages"
    [[ -z ${ONCHIP_REFRESH:-} ]] || {
        {
            head -n 1 "$file"
            tail -n +2 "$file" | grep -vxF -f "$work/stored" || true
            cat "$work/fresh"
        } >"$work/file"
        cp "$work/file" "$file"
    }
}
