# expect.bash: what the scripts of this folder share. Each ends in `exit $bad`.
set -uo pipefail
export LC_ALL=C.UTF-8
onchip=${ONCHIP:?}
[[ -e $ONCHIP_BUILD/cuda/libcudart.so.13 ]] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

complain() {
    echo "$now: $1" >&2
    bad=1
}

# run ARGUMENT …: onchip run; its outputs in $out and $err, its exit status in $status. A script whose numbers are of
# one GPU sets $card.
card=
run() {
    now="onchip run $*" status=0
    "$onchip" run ${card:+--gpu "$card"} "$@" >out 2>err || status=$?
    out=$(<out) err=$(<err)
}

# ends STATUS: the last run did so.
ends() { ((status == $1)) || complain "exit status $status, not $1: $err"; }

# prints: the last run's standard output is what stands on the standard input.
prints() { diff - out >difference || complain "prints something else (<: expected, >: printed): $(<difference)"; }

# says TEXT …: each is in the last run's standard error.
says() {
    local text flat=
    for text in "$@"; do
        [[ $err != *"$text"* ]] || continue
        [[ $flat ]] || flat=$(tr -s ' \n' ' ' <err)  # a TEXT may be broken into lines
        [[ $flat == *"$text"* ]] || complain "nothing of '$text' in: $err"
    done
}
