#!/bin/bash
# What a sweep keeps of a policy plug-in and of energy: the store and the page name the plug-in by its own name, not by
# its file's path, and have the energy of the runs that accounted it. The run's key is that of the plug-in's contents,
# so the same file elsewhere is the same run.
set -uo pipefail
[[ -e $ONCHIP && -z ${ONCHIP_SANITIZED:-} ]] || exit 77
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work"
mkdir here there
cc -w -O1 -shared -fPIC -I "$ONCHIP_SOURCE/include" "$ONCHIP_SOURCE/examples/fewest.c" -o here/own.so || exit 1
cp here/own.so there/other.so
sed 's/"fewest"/"gto"/' "$ONCHIP_SOURCE/examples/fewest.c" >gto.c
cc -w -O1 -shared -fPIC -I "$ONCHIP_SOURCE/include" gto.c -o gto.so || exit 1
sweep() { "$ONCHIP" sweep atax nx=32 ny=32 --db runs.db "$@" >>log 2>&1 || complain "sweep $*: $(<log)"; }
sweep --sched gto,./here/own.so,./gto.so --energy
sweep --sched ./there/other.so --energy
[[ $("$ONCHIP" db list --db runs.db --columns sched.policy | cut -f 9 | sort | tr '\n' ' ') == \
    'fewest gto plug-in:gto sched.policy ' ]] || complain "$("$ONCHIP" db list --db runs.db --columns sched.policy)"
# A comparison takes a plug-in by its path, wherever its file lies, and means the same runs as by its name.
compared() { "$ONCHIP" db compare --db runs.db "$@" --json 2>&1; }
want=$(compared --by sched.policy=fewest,plug-in:gto | jq -c '[.pairs[] | [.values, .keys]]')
[[ $want == '[[['* ]] || complain "db compare by names: $want"
for by in sched=./here/own.so,./gto.so sched.policy=./there/other.so,plug-in:gto; do
    got=$(compared --by "$by" | jq -c '[.pairs[] | [.values, .keys]]')
    [[ $got == "$want" ]] || complain "db compare --by $by: $got, not $want"
done
[[ $("$ONCHIP" db list --db runs.db --where sched=./gto.so --csv | wc -l) == 2 ]] || complain "--where takes no path"
said=$("$ONCHIP" db compare --db runs.db --by sched=./none.so,gto 2>&1) && complain "there is no such plug-in"
[[ $said == *./none.so* ]] || complain "no plug-in: $said"
said=$("$ONCHIP" compare "atax nx=32 ny=32 --sched ./here/own.so" "atax nx=32 ny=32 --sched ./there/other.so" \
    --fail-above 0%) || complain "compare: $said"

"$ONCHIP" report --db runs.db --no-figures -o page.html >>log 2>&1 || complain "report: $(<log)"
if grep -qE '(own|other|gto)[.]so' page.html; then complain "the page names a plug-in by its path"; fi
grep -q 'sched.policy=fewest' page.html || complain "the page lacks the plug-in's name"

# Energy: of the page what onchip run accounts, in mJ.
energy=$("$ONCHIP" run atax nx=32 ny=32 --sched gto --energy --json | grep -o '"energy.total": *[0-9]*' |
    awk -F': *' '{ s += $2 } END { printf "%.5g", s * 1e-12 }')
grep -q "energy, mJ" page.html || complain "the page has no energy"
grep -qE ">${energy}[0-9]*<" page.html || complain "no energy of $energy mJ in the page"
"$ONCHIP" report run atax nx=32 ny=32 --no-figures -o plain.html >>log 2>&1
if grep -q "energy, mJ" plain.html; then complain "a page without energy has its column"; fi
exit $bad
