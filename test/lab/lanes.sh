#!/bin/bash
# onchip run --lanes: the picture has, of each instruction's first access, the lines, sectors, sets and banks that
# follow from its addresses, which are written into the kernel here. Nothing is timed.
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work" || exit 1
cat >k.ptx <<'END'
.version 7.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .b32 %t, %v, %a;
    .reg .b64 %x, %y, %o;
    .reg .pred %p;
    .shared .align 16 .b8 s[4096];
    mov.u32 %t, %tid.x;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mul.wide.u32 %o, %t, 4;
    add.u64 %y, %y, %o;
    ld.global.u32 %v, [%y+64];
    mul.wide.u32 %o, %t, 128;
    add.u64 %x, %x, %o;
    st.global.u32 [%x+4], %v;
    mov.u32 %a, s;
    mad.lo.u32 %a, %t, 8, %a;
    st.shared.u32 [%a], %v;
    setp.lt.u32 %p, %t, 3;
    @%p ld.global.v2.u32 {%v, %a}, [%x];
    ret;
}
.visible .entry other(.param .u64 x)
{
    .reg .b64 %x;
    ld.param.u64 %x, [x];
    st.global.u32 [%x], 1;
    ret;
}
END
run=("$ONCHIP" run --gpu gtx480 --set l1.index=modulo k.ptx --kernel k --block 64 --arg buf:8192 --arg buf:512)
"${run[@]}" --lanes lanes.svg >out 2>&1 || complain "it fails: $(<out)"
grep -q 'executed without time' out || complain "what else was it? $(<out)"

# says TEXT …: each stands in the picture.
says() { for text in "$@"; do grep -qF -e ">$text<" lanes.svg || complain "the picture lacks '$text'"; done; }
# 128 bytes from 64 on lie in two lines, in two sectors of each. A lane to each line is a sector to each, too. Lanes at
# every other word meet in a bank by twos, since a row has 32 words.
says 'k: load of y, k.ptx:15' '32 lanes, 4 bytes each: 2 lines, 4 sectors' \
    'k: store of x, k.ptx:18' '32 lanes, 4 bytes each: 32 lines, 32 sectors' \
    'k: store of shared memory, k.ptx:21' '32 lanes, 4 bytes each: 2 passes; a column is a bank' \
    'k: load of x, k.ptx:23' '3 lanes, 8 bytes each: 3 lines, 3 sectors'
# Twice: of the store and of the load. x is the first allocation, and its first line that of the memory: set 0 of 32.
for lane in 0 1 2; do
    (($(grep -cF ">+$((128 * lane))<" lanes.svg) >= 2)) || complain "which line does lane $lane touch?"
    (($(grep -cF ">set $lane<" lanes.svg) >= 2)) || complain "which set is line $lane in?"
done
says '+3968' 'set 31'
# By its place, a cell has the lane that touches the word: the store's lane 9 its second word, 9 lines down.
python3 - <<'END' || complain 'the picture'
import xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
texts = [(t.text, float(t.get("x")), float(t.get("y"))) for t in tree.parse("lanes.svg").getroot().iter(space + "text")]
heads = [k for k, t in enumerate(texts) if t[0].startswith("k: ")]
load, store, shared, last = (texts[a:b] for a, b in zip(heads, heads[1:] + [None]))
def at(part, name, below):  # where a lane's number stands, of those below the row of all lanes
    row = next(t[2] for t in part if t[0] == "lanes")
    return [(x, y) for text, x, y in part if text == name and (y > row + 4) == below]
(lane0, _), (lane1, _) = at(store, "0", False)[0], at(store, "1", False)[0]
cell = lane1 - lane0
(x, y), (_, first) = at(store, "9", True)[0], at(store, "0", True)[0]
assert abs(x - (lane0 + cell)) < 0.01, (x, lane0, cell)
assert (y - first) / (at(store, "1", True)[0][1] - first) == 9
assert abs(at(load, "0", True)[0][0] - (lane0 + 16 * cell)) < 0.01  # the second half of its line
assert at(load, "16", True)[0][0] == lane0
assert at(shared, "5", True)[0][0] == lane0 + 10 * cell and at(shared, "16", True)[0][0] == lane0
assert [x for x, _ in at(last, "2", True)] == [lane0, lane0 + cell] and not at(last, "3", True)  # two words each
END

# Kepler's banks give 8 bytes: lanes at every other word have a bank each, and so a column each.
"$ONCHIP" run --gpu gtx780 --set shared.mode=8 k.ptx --kernel k --block 32 --arg buf:8192 --arg buf:512 \
    --lanes kepler.svg >out 2>&1 || complain "Kepler: $(<out)"
grep -q '>32 lanes, 4 bytes each: 1 pass; a column is a bank<' kepler.svg || complain "Kepler's passes"
python3 - <<'END' || complain "Kepler's banks"
import xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
texts = [(t.text, float(t.get("x"))) for t in tree.parse("kepler.svg").getroot().iter(space + "text")]
heads = [k for k, t in enumerate(texts) if t[0].startswith("k: ")]
shared = texts[heads[2]:heads[3]]
columns = {text: [x for t, x in shared if t == text] for text in map(str, range(32))}
assert all(x == [x[0], x[0]] for x in columns.values()), columns  # below its place among the lanes, each
END

# The picture of README.md.
"$ONCHIP" run --gpu rtx3080 transpose tiled=0 --lanes now.svg >out 2>&1 || complain "transpose: $(<out)"
cmp now.svg "$ONCHIP_SOURCE/doc/use/lanes.svg" || complain 'doc/use/lanes.svg: onchip run transpose tiled=0 --lanes'

# Only the kernels that --kernels takes; what times is refused; a file that can't be written is told.
printf '[buffers]\nx = 8192\ny = 512\n[launch k]\nblock = 32\nargs = &x &y\n[launch other]\nargs = &x\n' >two.args
"$ONCHIP" run --gpu gtx480 k.ptx @two.args --kernels other --lanes lanes.svg >out 2>&1 || complain "two: $(<out)"
grep -q 'k: load' lanes.svg && complain 'a kernel that nobody asked for'
says 'other: store of x, k.ptx:30' '32 lanes, 4 bytes each: 1 line, 1 sector'
"${run[@]}" --lanes lanes.svg --why >out 2>&1 && complain '--why beside --lanes'
grep -q -- '--why has no effect with --lanes, which times nothing' out || complain "$(<out)"
"${run[@]}" --lanes no/lanes.svg >out 2>&1 && complain 'a file that can not be written'
grep -q "can't write no/lanes.svg" out || complain "$(<out)"
exit $bad
