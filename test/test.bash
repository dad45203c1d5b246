# test.bash: what the tests share that are scripts: a folder of their own, $work; and a way to go on behind what is
# wrong. Each ends in `exit $bad`.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

complain() {
    echo "$1" >&2
    bad=1
}
