#!/bin/bash
# Replacement policies and prefetchers as plug-ins (include/onchip_cache.h). The numbers that are expected come from a
# model of SRRIP in awk, written down as the paper has it, or from counting the lines of a kernel that walks through
# memory. Nothing that a plug-in returns may do harm.
source test/cli/expect.bash
command -v cc >/dev/null || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a shared object that is built without it meets a sanitizer's allocator
cd "$work" || exit 1
flags=(-O2 -Wall -Wextra -Werror -shared -fPIC -I "$ONCHIP_SOURCE/include")
number() { sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" <<<"$out" | awk '{ n += $1 } END { print n + 0 }'; }
is() { [[ $(number "$1") == "$2" ]] || complain "$3: $1 is $(number "$1"), not $2"; }
for name in next_line stride protect; do
    cc "${flags[@]}" "$ONCHIP_SOURCE/examples/$name.c" -o $name.so || complain "examples/$name.c doesn't build"
done

# --- replacement: one thread whose loads wait for one another reads 4,096 lines of 40, at random, through an L1 of 4
# sets with 4 ways
cat >random.ptx <<'P'
.version 7.0
.target sm_20
.address_size 64
.visible .entry random(.param .u64 in)
{
    .reg .b64 %in, %a;
    .reg .b32 %n, %x, %k, %v;
    .reg .pred %p;
    ld.param.u64 %in, [in];
    mov.u32 %n, 0;
    mov.u32 %x, 1;
    mov.u32 %v, 0;
L:  mad.lo.u32 %x, %x, 75, 74;
    add.u32 %x, %x, %v;
    rem.u32 %x, %x, 65537;
    rem.u32 %k, %x, 40;
    mul.wide.u32 %a, %k, 128;
    add.u64 %a, %in, %a;
    ld.global.u32 %v, [%a];
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 4096;
    @%p bra L;
    ret;
}
P
random=(run random.ptx --grid 1 --block 1 --arg buf:8192:zero --gpu gtx480 --set l1.size=2KiB --set l1.ways=4
    --set l1.index=modulo --json --laws)
# Jaleel et al. §3.2: a hit sets 0, a fill 2; while no line has 3 all grow; the first line with 3 makes room.
model=$(awk 'BEGIN {
    x = 1
    for (n = 0; n < 4096; n++) {
        x = (x * 75 + 74) % 65537; line = x % 40; s = line % 4; found = -1
        for (w = 0; w < 4; w++) if (((s, w) in tag) && tag[s, w] == line) found = w
        if (found >= 0) { hits++; value[s, found] = 0; continue }
        for (w = 0; w < 4 && ((s, w) in tag); w++);
        while (w == 4) {
            for (v = 3; v >= 0; v--) if (value[s, v] == 3) w = v
            if (w == 4) for (v = 0; v < 4; v++) value[s, v]++
        }
        tag[s, w] = line; value[s, w] = 2
    }
    print hits }')
gives 0 -- "${random[@]}" --set l1.replacement=./protect.so --set l1.replacement.bypass=no
is l1.read_hits "$model" "SRRIP of the plug-in"
is l1.reads 4096 "SRRIP of the plug-in"
evicted=$(number l1.evictions)
(($(number l1.replacement.reused) + $(number l1.replacement.wasted) == evicted && evicted > 0)) ||
    complain "protect: reused and wasted aren't the $evicted lines that made room"
gives 0 -- "${random[@]}"
(($(number l1.read_hits) != model)) || complain "lru and SRRIP hit equally often: the test shows nothing"

# replacement NAME FIELDS [TOP]: NAME.so, which replaces the first way that may go, with these fields.
replacement() {
    cat >"$1.c" <<C
#include <onchip_cache.h>
static inline uint32_t victim(const oc_replacement *r, const oc_cache_access *a, uint64_t may)
{
    (void)r, (void)a;
    return oc_first_way(may);
}
${3:-}
const oc_replacement_type onchip_replacement = {.version = ONCHIP_CACHE_VERSION, .name = "mine", .doc = "d",
                                                .victim = victim, $2};
C
    cc "${flags[@]}" -Wno-unused -Wno-unused-parameter -Wno-override-init "$1.c" -o "$1.so" || exit 1
}
# What a policy hears: each load is a hit, or fills a line; of which warp, PC and line.
replacement hears '.state = 8, .line_state = 8, .counters = counters, .open = open, .hit = hit, .fill = fill' '
enum { HITS, FILLS, WRONG };
static const oc_policy_counter counters[] = {{"heard", "", "d"}, {"fills", "", "d"}, {"wrong", "", "d"}, {.name = 0}};
static void open(oc_replacement *r) { if (*(uint64_t *)r->own) __builtin_trap(); }
static void check(oc_replacement *r, const oc_cache_access *a)
{
    const oc_cache_view *c = r->cache;
    r->count[WRONG] += a->warp != 0 || a->pc == OC_NO_PC || a->store || a->prefetch || a->set >= c->sets ||
                       a->way >= c->ways[a->set] || c->tag[c->first[a->set] + a->way] != a->line + 1 ||
                       a->line % c->sets != a->set || c->line_bytes != 128;
}
static void hit(oc_replacement *r, const oc_cache_access *a)
{
    check(r, a), r->count[HITS]++;
    r->count[WRONG] += *(uint64_t *)oc_line_state(r, a->set, a->way) != a->line;
}
static void fill(oc_replacement *r, const oc_cache_access *a)
{
    check(r, a), r->count[FILLS]++;
    *(uint64_t *)oc_line_state(r, a->set, a->way) = a->line;
}'
gives 0 -- "${random[@]}" --set l1.replacement=./hears.so
is l1.replacement.wrong 0 hears
is l1.replacement.heard "$(number l1.read_hits)" hears
is l1.replacement.fills "$(number l1.misses)" hears
gives 0 'mine heard' -- run lud --size small --gpu gtx480 --set l1.replacement=./hears.so --set l1.private=yes
gives 0 'mine heard' -- run lud --size small --gpu rtx3080 --set l2.replacement=./hears.so

# One that lets no load in: none hits, no line is replaced.
replacement past '.bypass = bypass' '
static bool bypass(const oc_replacement *r, const oc_cache_access *a) { return a->warp == 0 && !a->store; }'
gives 0 -- "${random[@]}" --set l1.replacement=./past.so
is l1.misses 4096 bypass
is l1.hits 0 bypass
is l1.evictions 0 bypass

# --- what a replacement policy may not do: an error that says where, and nothing else happens
for wrong in 4 64 0xffffffff '(uint32_t)__builtin_ctzll(~may)'; do
    replacement wrong '.victim = wrong' "
static uint32_t wrong(const oc_replacement *r, const oc_cache_access *a, uint64_t may) { return $wrong; }"
    gives 1 'replacement policy mine chose way' 'of the L1 of SM 0' 'that may make room' -- \
        "${random[@]}" --set l1.replacement=./wrong.so
done
replacement wrong '.victim = wrong' '  // a way that waits for its line, if one does
static uint32_t wrong(const oc_replacement *r, const oc_cache_access *a, uint64_t may)
{
    return oc_first_way(may == 0xf ? may : ~may);
}'
gives 1 'replacement policy mine chose way' "which isn't one of the ways 0x" -- \
    run atax nx=64 ny=64 --gpu gtx480 --set l1.size=2KiB --set l1.ways=4 --set l1.replacement=./wrong.so
gives 1 'replacement policy mine chose way' 'of slice' 'of the L2' -- \
    run atax nx=256 ny=256 --gpu gtx480 --set l2.size=48KiB --set l2.replacement=./wrong.so
for place in 'a->set, 4' 'a->set + 4, 0' '0xffffffff, 0xffffffff'; do
    replacement beside '.line_state = 256, .fill = fill' "
static void fill(oc_replacement *r, const oc_cache_access *a)
{
    __builtin_memset(oc_line_state(r, $place), 0xff, 256);
}"
    gives 1 'replacement policy mine asked oc_line_state for way' 'of the L1 of SM 0: there is none' -- \
        "${random[@]}" --set l1.replacement=./beside.so
done
replacement spoils '.state = 64, .fill = fill' '
static void fill(oc_replacement *r, const oc_cache_access *a)
{
    r->own = r->of_lines = (void *)16, r->count = 0, r->cache = 0, r->param = 0, r->type = 0, r->misuse = 0;
}'
gives 0 -- "${random[@]}" --set l1.replacement=./spoils.so
gives 2 'a plug-in replaces lines of sets with up to 64 ways' -- run vectoradd n=64 --gpu gtx480 \
    --set l1.ways=128 --set l1.replacement=./past.so

# --- a prefetcher: one thread reads 64 lines, one after the other, with a pause of some thousand cycles behind each
walk() {  # walk NAME DISTANCE PAUSE
    cat >"$1.ptx" <<P
.version 7.0
.target sm_20
.address_size 64
.visible .entry walk(.param .u64 in)
{
    .reg .b64 %a;
    .reg .b32 %n, %v, %k;
    .reg .pred %p;
    ld.param.u64 %a, [in];
    mov.u32 %n, 0;
L:  ld.global.u32 %v, [%a];
    add.u32 %k, %v, 0;
W:  add.u32 %k, %k, 1;
    setp.lt.u32 %p, %k, $3;
    @%p bra W;
    add.u64 %a, %a, $(($2 * 128));
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 64;
    @%p bra L;
    ret;
}
P
}
walk slow 1 100 && walk fast 1 1 && walk wide 3 100
walks=(--grid 1 --block 1 --arg buf:32768:zero --gpu gtx480 --set l1.size=48KiB --json --laws)
for by in next-line ./next_line.so; do
    # The first line misses. Each of the others was asked for when the one before it was touched. Behind the last one
    # there is one more.
    gives 0 -- run slow.ptx "${walks[@]}" --set l1.prefetch=$by
    is l1.misses 1 $by
    is l1.read_hits 63 $by
    is l1.prefetch.useful 63 $by
    is l1.prefetch.late 0 $by
    is l1.prefetch.issued 64 $by
    is l1.prefetch.asked 64 $by
    is l2.reads 65 $by
    grep -v wall_seconds out | sed 's/\.\/next_line.so/next-line/' >by."${by##*/}"
    # Without the pause most lines are still on their way: the load merges.
    gives 0 -- run fast.ptx "${walks[@]}" --set l1.prefetch=$by
    is l1.misses 1 "$by, fast"
    late=$(number l1.prefetch.late)
    is l1.merges "$late" "$by, fast"
    is l1.prefetch.useful $((63 - late)) "$by, fast"
    ((late > 32)) || complain "$by, fast: only $late lines were late"
    # 4 at once: as many lines, and 3 more behind the last one.
    gives 0 -- run slow.ptx "${walks[@]}" --set l1.prefetch=$by --set l1.prefetch.degree=4
    is l1.misses 1 "$by, 4"
    is l1.prefetch.asked $((64 * 4)) "$by, 4"
    is l1.prefetch.issued $((63 + 4)) "$by, 4"
    is l1.prefetch.there $((64 * 4 - 63 - 4)) "$by, 4"
done
cmp -s by.next-line by.next_line.so || complain "the built-in prefetcher and the plug-in differ"
# Every third line: it asks for lines that nobody loads; of an L1 of 16 lines each makes room for others in the end.
gives 0 -- run wide.ptx "${walks[@]}" --set l1.size=2KiB --set l1.ways=4 --set l1.prefetch=next-line
is l1.misses 64 'next-line, every third'
is l1.prefetch.issued 64 'next-line, every third'
is l1.prefetch.useful 0 'next-line, every third'
unused=$(number l1.prefetch.unused)
((unused >= 64 - 16 && unused < 64)) || complain "next-line, every third: $unused lines were unused"
# stride: two loads give a distance, the third one has it for the second time. The lines of the 61 loads behind it are
# there.
for by in stride ./stride.so; do
    gives 0 -- run wide.ptx "${walks[@]}" --set l1.prefetch=$by
    is l1.misses 3 $by
    is l1.prefetch.useful 61 $by
    is l1.prefetch.issued 62 $by
    is l1.prefetch.learnt 1 $by
done

# --- what has no room is dropped, what isn't memory isn't fetched, and both are counted
prefetcher() {  # prefetcher NAME BODY [FIELDS]
    cat >"$1.c" <<C
#include <onchip_cache.h>
static void load(oc_prefetcher *p, const oc_load_event *e) { $2 }
const oc_prefetcher_type onchip_prefetcher = {.version = ONCHIP_CACHE_VERSION, .name = "mine", .doc = "d", .load = load,
                                              ${3:-}};
C
    cc "${flags[@]}" -Wno-unused-parameter -Wno-override-init "$1.c" -o "$1.so" || exit 1
}
prefetcher many 'for (uint32_t k = 1; k <= 100; k++) oc_ask(p, e->line + k, 0);'
gives 0 -- run slow.ptx "${walks[@]}" --set l1.prefetch=./many.so
is l1.prefetch.asked 6400 many
(($(number l1.prefetch.dropped) >= 84 * 64)) || complain "many: more than 16 lines of a load were fetched"
prefetcher far 'oc_ask(p, UINT64_MAX, 0), oc_ask(p, 1, 0), oc_ask(p, 1ull << 49, 0), oc_ask(p, e->line | 1ull << 57, 0),
    oc_ask(p, e->line + (1 << 20), 0), oc_ask(p, e->line + 1, 1u << 31);'
gives 0 -- run slow.ptx "${walks[@]}" --set l1.prefetch=./far.so
is l1.prefetch.outside $((6 * 64)) far
is l1.prefetch.issued 0 far
gives 0 -- run slow.ptx "${walks[@]}" --set l1.mshrs=1 --set l1.prefetch=next-line
is l1.prefetch.dropped 64 'one MSHR'  # the load that misses has it
is l1.misses 64 'one MSHR'
prefetcher spoils 'p->own = (void *)16, p->count = 0, p->param = 0, p->now = 0, p->type = 0, p->fetches = 1u << 31;'
gives 0 -- run slow.ptx "${walks[@]}" --set l1.prefetch=./spoils.so

# --- results are right and the same on any number of threads; sectored lines and local memory, too
for set in l1.prefetch=stride l1.prefetch=next-line l1.replacement=./protect.so l2.replacement=./protect.so; do
    for gpu in gtx480 rtx3080; do
        for threads in 1 2; do
            gives 0 '"verified": true' -- run atax nx=192 ny=192 --gpu $gpu --set $set --json --laws --threads $threads
            grep -v wall_seconds out >of.$threads
        done
        cmp -s of.1 of.2 || complain "$set on $gpu: 2 threads differ from one"
    done
    for w in nw lud; do gives 0 '"verified": true' -- run $w --size small --gpu gtx480 --set $set --json --laws; done
done

# --- those that are none
small=(run vectoradd n=256 --gpu gtx480)
gives 2 "l1.prefetch: can't read ./none.so: No such file" -- "${small[@]}" --set l1.prefetch=./none.so
gives 2 './stride.so is no replacement policy: it exports no onchip_replacement; it exports onchip_prefetcher,' \
    'which l1.prefetch takes' -- "${small[@]}" --set l1.replacement=./stride.so
gives 2 './protect.so is no policy: it exports no onchip_policy; it exports onchip_replacement, which' -- \
    "${small[@]}" --sched ./protect.so
gives 2 "l1.prefetch: 'nextline' is none of none, next-line and stride" 'did you mean next-line?' -- \
    "${small[@]}" --set l1.prefetch=nextline
gives 2 'l1.prefetch.degree: 17 is out of range with prefetcher stride: a whole number, 1 to 16 line' -- \
    "${small[@]}" --set l1.prefetch=stride --set l1.prefetch.degree=17
gives 2 'unknown key l1.prefetch.degre' 'did you mean l1.prefetch.degree?' -- \
    "${small[@]}" --set l1.prefetch=stride --set l1.prefetch.degre=1
gives 2 "readonly.replacement: './protect.so' is none of" -- "${small[@]}" --set readonly.replacement=./protect.so
printf '[gpu]\nbase = gtx480\n[l1]\nreplacement = %s/protect.so\n' "$work" >mine.ini
gives 1 "a description can't name a shared object" -- "${small[@]}" --gpu ./mine.ini
printf '[gpu]\nbase = gtx480\n[l1]\nprefetch = stride\nprefetch.degree = 2\n' >mine.ini
gives 0 'stride' 'asked' -- run atax nx=64 ny=64 --gpu ./mine.ini
gives 0 'prefetch.degree = 2' -- show gpu ./mine.ini
for field in '.version = 0|it is made for another version of onchip_cache.h' \
    '.victim = 0|it lacks a sentence, or victim' \
    '.name = "Mine"|its name isn'"'"'t made of small letters' \
    '.line_state = 257|the state of a line has more than 256' \
    '.state = (size_t)-1|its state has more than 16 MiB'; do
    replacement none "${field%|*}"
    gives 2 "./none.so is no replacement policy: ${field#*|}" -- "${small[@]}" --set l1.replacement=./none.so
done
prefetcher none '' '.load = 0'
gives 2 'is no prefetcher: it lacks a sentence, or load' -- "${small[@]}" --set l1.prefetch=./none.so
prefetcher none '' '.version = 7'
gives 2 'is no prefetcher: it is made for another version' -- "${small[@]}" --set l1.prefetch=./none.so

# --- stored: by its name and its contents, wherever it lies; its counters are columns
mkdir there
for name in mine other; do
    prefetcher $name 'oc_ask(p, e->line + 1, 0);' ".name = \"$([[ $name == mine ]] && echo mine || echo stride)\""
done
sweep() { gives 0 "$1" -- sweep atax nx=32 ny=32 --gpu gtx480 --db m.db "${@:2}"; }
sweep '2 runs: 0 in the store already, 2 simulated' --set l1.prefetch=./mine.so,./other.so
cp mine.so there/own.so
sweep '1 run: 1 in the store already, 0 simulated' --set l1.prefetch=./there/own.so
prefetcher mine 'oc_ask(p, e->line + 2, 0);' '.name = "mine"'
sweep '1 run: 0 in the store already, 1 simulated' --set l1.prefetch=./mine.so
sweep '1 run: 0 in the store already, 1 simulated' --set l2.replacement=./protect.so
gives 0 'mine' 'plug-in:stride' -- db list --db m.db --columns l1.prefetch,l1.prefetch.issued
lacks '.so'
gives 0 'protect' -- db list --db m.db --columns l2.replacement,l2.replacement.wasted
lacks '.so'
gives 0 'cycles' -- db compare --db m.db --by l1.prefetch=./there/own.so,plug-in:stride
exit $bad
