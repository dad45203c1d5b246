# expect.bash: what the scripts of this folder share. Each ends in `exit $bad`.
set -uo pipefail
export LC_ALL=C.UTF-8
onchip=${ONCHIP:?}
source "$ONCHIP_SOURCE/test/test.bash"

# run ARGUMENT …: onchip; its outputs in $out and $err, its exit status in $status. A script whose numbers are of one
# GPU sets $card: a command that runs something and names no GPU runs on that one.
card=
run() {
    local words=("$@")
    if [[ $card && " $* " != *' --gpu'[\ =]* && " $* " != *.ini\ * ]]; then
        case $1 in
        run | advise | sweep | compare) words=("$1" --gpu "$card" "${@:2}") ;;
        report) [[ ${2:-} != run ]] || words=(report run --gpu "$card" "${@:3}") ;;
        esac
    fi
    status=0
    "$onchip" "${words[@]}" >"$work/out" 2>"$work/err" || status=$?
    out=$(<"$work/out") err=$(<"$work/err")
}

# gives STATUS TEXT … -- ARGUMENT …: that exit status, and every TEXT in what comes out or is complained of.
gives() {
    local want=$1 texts=() text
    shift
    while [[ $1 != -- ]]; do texts+=("$1"); shift; done
    shift
    run "$@"
    ((status == want)) || complain "onchip $*: exit status $status, not $want: $err"
    local flat=
    for text in "${texts[@]}"; do
        [[ $out$err != *"$text"* ]] || continue
        [[ $flat ]] || flat=$(tr -s ' \n' ' ' <<<"$out $err")  # a TEXT may be broken into lines
        [[ $flat == *"$text"* ]] ||
            complain "onchip $*: nothing of '$text': $(head -c 600 "$work/err")"
    done
}

# lacks TEXT: the last run didn't say that.
lacks() { [[ $out$err != *"$1"* ]] || complain "it says '$1', and shouldn't"; }
