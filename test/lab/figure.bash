# figure.bash: what the tests of onchip reproduce share: a folder of figures of the test's own, and a store.
[[ -x $ONCHIP ]] || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
mkdir "$work/paper"
reproduce() { "$ONCHIP" reproduce "$work/paper" "$@" --db "$work/db"; }  # FIGURE OPTION…
# expect NAME TEXT…: the CSV of a figure, without its first line and name. Behind NAME there may be options.
expect() {
    local name=$1
    shift
    diff <(printf '%s\n' "$@") <(reproduce $name --csv | tail -n +2 | cut -d, -f2-) >&2 ||
        complain "$name isn't as expected"
}
figure() { cat >"$work/paper/$1.ini"; }
refuse() {  # NAME TEXT: the error contains it
    local error
    if error=$(reproduce "$1" 2>&1); then complain "$1 should have been refused"; fi
    [[ $error == *"$2"* ]] || complain "$1: '$2' isn't in: $error"
}
