#!/bin/bash
# A CUDA program is a cell of a matrix: its runs are kept under its arguments and under the files that it reads, are
# found again, and fail when it does. Launches by number, and options from the environment. The program here is a
# script that reads a file and then runs app.c, so that both count.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
now=cc
cc -std=gnu17 "$ONCHIP_SOURCE/test/cudart/app.c" -o app "$ONCHIP_BUILD/cuda/libcudart.so.13" || exit 1
cat >script <<'END'
#!/bin/bash
# Its second argument is a file that it reads; what it has written itself is no input.
[[ ${2:-} ]] && read -r line <"$2"
echo "$RANDOM" >own
read -r line <own
echo 'a last word'
./app fill
exit "$1"
END
chmod +x script
echo one >input

# sweep STORED SIMULATED FAILED ARGUMENT …
sweep() {
    now="onchip sweep ${*:4}"
    "$onchip" sweep "${@:4}" --db db >out 2>err
    grep -q ": $1 in the store already, $2 simulated, $3 failed" out || complain "not $1, $2, $3: $(cat out err)"
}
cat >m.ini <<'END'
[matrix]
program = ./script 0, ./script 0 input
gpu     = gtx480
sched   = lrr, gto
END
sweep 0 4 0 m.ini
sweep 4 0 0 m.ini
echo two >input
sweep 2 2 0 m.ini
echo one >input
sweep 4 0 0 m.ini

# The program's own arguments stand behind it; its axes in front.
"$onchip" sweep --db db args=0,1 --gpu gtx480 --sched gto ./script >out 2>err && complain 'a failed run is no error'
grep -q ': 1 in the store already, 0 simulated, 1 failed' out || complain "$(cat out err)"
now='onchip db list --failed'
"$onchip" db list --failed --db db >out
grep -q "args=1.*the program's exit status is 1; it wrote last: .*a last word" out || complain "$(<out)"

# Another executable is another program, even where only the script is named.
cp app app.kept
printf x >>app  # behind what is loaded
"$onchip" sweep --db db --gpu gtx480 --sched gto ./script 0 >out 2>err
grep -q ': 0 in the store already, 1 simulated' out || complain "a changed executable: $(cat out err)"
mv app.kept app
"$onchip" sweep --db db --gpu gtx480 --sched gto ./script 0 n=5 "x y" >out 2>err
"$onchip" db list --db db >out
grep -q 'args=0 "n=5" "x y"' out || complain "$(<out)"

now='what it may not have'
"$onchip" sweep --db db nx=5 ./script >out 2>err && complain 'a parameter is taken'
grep -q "no parameter 'nx'" err || complain "$(<err)"

now='best-swl'
"$onchip" run --sched best-swl --db b.db ./app fill >out 2>err && complain "app fill ends 7: $(<out)"
grep -q "exit status is 7" err || complain "$(cat err)"

# --- launches, one by one -------------------------------------------------------------------------------------------
run --launches all ./app many
says 'launch 1 of'
run --launches last ./app fill
ends 2
says "--launches is sum, first, slowest or all, not 'last'"

# --- the environment --------------------------------------------------------------------------------------------------
export ONCHIP_GPU=h200
run ./app fill
says 'fill on h200'
run --gpu gtx780 ./app fill
says 'fill on gtx780'
export ONCHIP_ARGS="--functional -o 'no quotes of a shell'"
run ./app fill
ends 2
says "ONCHIP_ARGS has options of onchip run; 'quotes' is none"
export ONCHIP_ARGS='--functional -o "my report"'
run ./app fill
ends 7
now='ONCHIP_ARGS'
grep -q 'executed without time' 'my report' || complain "$(cat err)"
exit $bad
