#!/bin/bash
# Ctrl-C and SIGTERM: what there is so far is reported as cut short, what was stored stays, and the exit status is 130
# or 143: 128 and the signal's number, as shells have it. Each program runs on a terminal of script(1), where it shows
# how far it is; the signal is sent when it says that it is far enough. The short form has what each kind of command
# does at Ctrl-C, and one at SIGTERM.
source test/cli/expect.bash
card=gtx480
export NO_COLOR=1  # its programs have a terminal
command -v script >/dev/null || exit 77
cd "$work" || exit 1
ulimit -t 120

# begin TEXT ARGUMENT …: onchip in the background, up to where TEXT, an extended regular expression, is on its terminal.
# Its output goes to the file out, its process is $pid.
begin() {
    local text=$1 command
    shift
    printf -v command '%q ' "$onchip" "$@"
    rm -f pid log out
    : >log
    script -qefc "echo \$\$ >pid; exec $command >out" log >/dev/null 2>&1 </dev/null &
    shell=$!
    until [[ $(<log) =~ $text ]]; do
        kill -0 $shell 2>/dev/null || { complain "onchip $*: ended before '$text': $(tail -c 400 log)"; break; }
        sleep 0.02
    done
    pid=$(<pid)
}

# ends STATUS: with that exit status, as script has it from its child; the outputs are in $out and $err.
ends() {
    status=0
    wait $shell || status=$?
    out=$(<out) err=$(<log)
    ((status == $1)) || complain "exit status $status, not $1: $out $(tail -c 400 log)"
}
press() { kill -INT "$pid" 2>/dev/null; }
stop() { kill -TERM "$pid" 2>/dev/null; }
says() { for text; do [[ $out$err == *"$text"* ]] || complain "nothing of '$text' in: $out $(tail -c 200 log)"; done; }

# --- run: a kernel that counts for hours, with time and without (which shows no progress: CPU time tells); a workload
cat >spin.ptx <<'PTX'
.version 7.0
.target sm_35
.address_size 64
.visible .entry spin(.param .u64 n)
{
    .reg .pred %p1;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [n];
L:  sub.u64 %rd1, %rd1, 1;
    setp.ne.u64 %p1, %rd1, 0;
    @%p1 bra L;
    ret;
}
PTX
spin=(run spin.ptx --arg u64:0x10000000000)
begin 'of spin, .* cycles' "${spin[@]}"
press
ends 130
says ' so far (' 'interrupted: kernel spin was stopped after'
begin 'of spin, .* cycles' "${spin[@]}" --json
press
ends 130
says '"partial": true' '"error": "interrupted: kernel spin was stopped after'
begin 'of spin, .* cycles' "${spin[@]}" --json
stop
ends 143
says '"partial": true' '"error": "interrupted: kernel spin was stopped after'
for way in press ${ONCHIP_LONG:+stop}; do  # twice
    begin 'of spin, .* cycles' "${spin[@]}"
    $way
    $way
    ends $([[ $way == press ]] && echo 130 || echo 143)
done
# ThreadSanitizer holds signals back in a loop without calls.
if ! grep -q __tsan_init <<<"$(nm "$onchip" 2>/dev/null)"; then
    "$onchip" "${spin[@]}" --functional >out 2>log &
    shell=$! pid=$!
    until (($(awk '{ print $14 }' /proc/$pid/stat) >= 20)); do sleep 0.02; done  # in hundredths of a second
    press
    ends 130
    says 'warp instructions so far' 'interrupted'
fi
begin 'of atax_kernel1, .* cycles' run --gpu gtx480 atax nx=4096 ny=4096
press
ends 130
says 'on gtx480: cut short' 'atax_kernel1  grid' ' so far (' 'interrupted: kernel atax_kernel1'

# --- probe: the parts that are done
begin ' throughput, ' probe --gpu gtx480 --only shared,throughput --emit found.ini
press
ends 130
says 'shared memory: ' 'throughput was cut short: it was interrupted' 'onchip: interrupted'
grep -q '^# Part throughput was cut short' found.ini || complain 'the description that probe left'
begin ' l1, ' probe --gpu gtx480 --only l1,shared --json
press
ends 130
says '"state": "cut short"' '"state": "left out"' '"error": "interrupted"'
if [[ ${ONCHIP_LONG:-} ]]; then
    begin ' l1, ' probe --gpu gtx480 --only l1,shared
    stop
    ends 143
fi

# --- several runs: those that are done. The first one is short; none of the others comes to an end.
counts=args=u64:8,u64:0x10000000000,u64:0x10000000001
mkdir figures
cat >figures/spins.ini <<'INI'
[figure]
title = Cycles by rounds
x     = args
y     = cycles
[matrix]
program = spin.ptx
args    = u64:8, u64:0x10000000000, u64:0x10000000001
INI
for way in press ${ONCHIP_LONG:+stop}; do
    after=130
    [[ $way == press ]] || after=143
    begin ' 1 of 3' report run spin.ptx $counts --no-figures -o page.html
    $way
    ends $after
    says 'page.html: 1 run' 'interrupted: the page is cut short, 2 of 3 runs are not on it'
    grep -q 'u64:8' page.html || complain 'the page lacks the run that was done'
    begin ' 1 of 3' reproduce ./figures --db $way.db
    $way
    ends $after
    says 'Cycles by rounds' 'cut short: 2 runs are left' 'figure 1 of 1; the same command goes on'
    grep -Eq '^u64:8 +[0-9]' out || complain "the value of the run that was done: $out"
    gives 0 "1 run in $way.db" -- db list --db $way.db
    begin ' 1 of 3' sweep --program spin.ptx $counts,u64:9 --db $way.db --jobs 3
    $way
    ends $after
    says '2 left (the same command goes on)'
    gives 0 "2 runs in $way.db" -- db list --db $way.db
    # A search names no best number before it has tried all.
    for search in '--sched best-swl' '--autotune threads'; do
        begin ' [1-9][0-9]* of ' run --gpu gtx480 atax nx=2048 ny=2048 $search --db search.db --jobs 2
        $way
        ends $after
        says 'interrupted: ' 'runs were made; the same command goes on'
        [[ -z $out ]] || complain "a search that was interrupted printed: $out"
        made=$(grep -oE 'interrupted: [0-9]+ of' log | grep -oE '[0-9]+')
        stored=$("$onchip" db list --db search.db --csv 2>/dev/null | tail -n +2 | wc -l)
        ((made == stored)) || complain "$search: $made runs were made, $stored are stored"
        rm -f search.db*
    done
done
exit $bad
