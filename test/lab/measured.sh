#!/bin/bash
# Tables of measured times: quotients, and the figures of a class, worked out by hand; what isn't such a table; and that
# run, advise and a page say of a card's kernel what 90 % of the measured launches of its class are within.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
export XDG_DATA_HOME=$work  # a store of its own
mkdir times
cat >times/card.tsv <<'END'
# title: Three times
# gpu: gtx480
# y: n / 10
class	program	us
bandwidth	vectoradd n=100	10
bandwidth	vectoradd n=200	10
bandwidth	vectoradd n=300	60
END
# Quotients 1, 2 and 1/2: errors 0, 1 and 1/2. Ranks 1, 2, 3 and 1.5, 1.5, 3: 1.5 / sqrt(2 · 1.5).
"$ONCHIP" reproduce ./times --db db >out || complain "it fails: $(<out)"
for line in 'bandwidth *vectoradd n=200 .*10 *× 2.00  outside' 'bandwidth *vectoradd n=300 .*60 *× 0.50  outside' \
    'bandwidth *vectoradd n=100 .*× 1.00  within' \
    '^bandwidth *3 *50.0 % *2.00 *1 *0.87 *2 of 2 *vectoradd n=200, 2.00' '^all *3 *50.0 %' '1 of 3 values within'; do
    grep -q "$line" out || complain "nothing of '$line' in: $(<out)"
done
"$ONCHIP" reproduce ./times --db db --csv >times.csv
"$ONCHIP" reproduce ./times --from times.csv --errors >out
grep -q '^| gtx480 | bandwidth | 3 | 50.0 % | 2.00 | 1 | 0.87 | 2 of 2 | vectoradd n=200, 2.00 |$' out ||
    complain "--errors: $(<out)"
# The picture: a mark for each time, with both times and their quotient; heights are logarithms, 1 in the middle, and
# half a time as far from it as twice.
"$ONCHIP" reproduce ./times --from times.csv --svg picture.svg >out || complain "--svg: $(<out)"
python3 - picture.svg <<'PYTHON' || complain "--svg: $(<picture.svg)"
import math, sys, xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
marks = {}
for mark in root.iter(svg + "circle"):
    says = mark.find(svg + "title")
    if says is not None: marks[says.text] = (float(mark.get("cx")), float(mark.get("cy")))
names = ["gtx480: vectoradd n=100: 10 / 10 = 1.00", "gtx480: vectoradd n=200: 20 / 10 = 2.00",
         "gtx480: vectoradd n=300: 30 / 60 = 0.50"]
assert sorted(marks) == names, marks
texts = {t.text: (float(t.get("x")), float(t.get("y")) - 3.5) for t in root.iter(svg + "text")}
one = texts["1"][1]
same = lambda a, b: abs(a - b) < 0.11
assert same(marks[names[0]][1], one) and same(one - marks[names[1]][1], marks[names[2]][1] - one), (marks, texts)
high = one - texts["1.5"][1]
assert same(high, texts["1/1.5"][1] - one) and same((one - marks[names[1]][1]) / high, math.log(2) / math.log(1.5))
assert marks[names[0]][0] == marks[names[1]][0] < marks[names[2]][0] and same(marks[names[0]][0], texts["10"][0])
PYTHON
"$ONCHIP" reproduce sl1 fig1 --svg none.svg >out 2>&1 && complain "--svg draws what isn't measured"
grep -q "sl1/fig1 isn't one" out || complain "--svg of another figure: $(<out)"
"$ONCHIP" reproduce measured --from "$ONCHIP_SOURCE/doc/results/measurements/measured.csv" --svg now.svg >/dev/null
cmp -s now.svg "$ONCHIP_SOURCE/doc/results/measured.svg" || complain "measured.svg isn't of the stored points"
# wrong TEXT SED: the table with that change is refused, and the message has the text.
wrong() {
    mkdir -p wrong
    sed "$2" times/card.tsv >wrong/card.tsv
    "$ONCHIP" reproduce ./wrong --db db >out 2>&1 && complain "$2: it is taken"
    grep -q "$1" out || complain "$2: nothing of '$1' in: $(<out)"
}
wrong "a comment '# gpu: NAME' is missing" '/# gpu/d'
wrong 'card.tsv:5:.*microseconds above 0' 's/n=100\t10/n=100\tten/'
wrong 'card.tsv:5:.*microseconds above 0' 's/n=100\t10/n=100\t-1/'
wrong 'columns class, program, us' 's/^class\tprogram/class\tkernel/'
wrong 'card.tsv:6:1: error: this program has a time already' 's/n=200/n=100/'
wrong 'must be a single run' 's/n=100/n=100,vectoradd n=50/'
wrong 'there are no times' '/^bandwidth/d'
wrong "no workload 'vectorad'" 's/vectoradd n=100/vectorad n=100/'
# Of a kernel that DRAM limits: the ninth of ten errors, from the points themselves.
points=$ONCHIP_SOURCE/doc/results/measurements/measured.csv
want=$(awk -F'",|,' '/^"measured\/rtx3080","bandwidth"/ { n = split($0, f, ","); q = f[n - 2] / f[n - 1] - 1
    print q < 0 ? -q : q }' "$points" | sort -g | awk '{ v[NR] = $1 } END { print NR, v[int((NR * 9 + 9) / 10)] }')
"$ONCHIP" run vectoradd n=200000 --gpu rtx3080 --json >json
got=$(jq -r '.kernels[0].expected | "\(.class) \(.launches) \(.within)"' json)
read -r class launches within <<<"$got"
[[ $class == bandwidth && $launches == "${want% *}" ]] || complain "expected: $got, not $want"
jq -ne "($within - ${want#* }) | fabs < 1e-6" >/dev/null || complain "expected: within $within, not ${want#* }"
"$ONCHIP" run vectoradd n=200000 --gpu rtx3080 >out
grep -q "how sure  *bandwidth: within .* in 90 % of $launches" out || complain "no line says how sure it is: $(<out)"
"$ONCHIP" run --gpu gtx480 vectoradd --size small >out
! grep -q 'how sure' out || complain "gtx480, from before Volta, has a line about measured times: $(<out)"
# The same sentence in the text, in JSON, in advise and on a page. A class without launches, a card without: in words.
says=$(jq -r '.kernels[0].expected.says' json)
[[ $says == "bandwidth: within "*" in 90 % of $launches launches that were measured on the card" ]] ||
    complain "JSON says: $says"
# has SENTENCE GPU PROGRAM…: text, JSON, advise and page have it of that run.
has() {
    local words=$1 gpu=$2
    shift 2
    "$ONCHIP" run "$@" --gpu "$gpu" >text
    "$ONCHIP" run "$@" --gpu "$gpu" --json | jq -r '.kernels[0].expected.says' >json
    "$ONCHIP" advise "$@" --gpu "$gpu" --budget 0.001 --db advice >advice.out
    "$ONCHIP" report run "$@" --gpu "$gpu" --no-figures -o page >/dev/null
    grep -qF "how sure $words" <<<"$(tr -s ' \n' ' ' <text)" || complain "$gpu: nothing of '$words' in: $(<text)"
    [[ $(<json) == "$words" ]] || complain "$gpu: JSON says: $(<json)"
    grep -qF "how sure $words" <<<"$(tr -s ' \n' ' ' <advice.out)" || complain "$gpu: advise: $(<advice.out)"
    grep -qF "$words</td>" page || complain "$gpu: the page hasn't '$words'"
}
has "$says" rtx3080 vectoradd n=200000
has 'latency: not measured: no launch of this class was measured on the card (doc/results/stopwatch.md)' rtx3080 \
    vectoradd n=32
has 'not measured on this card; compare runs with each other (doc/results/stopwatch.md)' rtx2080ti vectoradd n=32
cat >product.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry product()
{
    .shared .b32 word;
    .reg .b32 %r<3>;
    mov.b32 %r0, 0;
    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r0, %r0}, {%r0}, {%r0, %r0};
    st.shared.b32 [word], %r1;
    ret;
}
END
has 'tensor: not measured: no launch of this class was measured on the card (doc/results/stopwatch.md)' rtx3080 \
    product.ptx
says=$("$ONCHIP" run --gpu gtx480 vectoradd n=32 --json | jq -r '.kernels[0].expected.says')
[[ $says == 'not measured on this card;'* ]] || complain "gtx480: JSON says: $says"
[[ -s $ONCHIP_SOURCE/doc/results/stopwatch.md ]] || complain "the page that the sentence names is missing"
exit $bad
