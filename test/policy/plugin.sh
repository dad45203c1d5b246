#!/bin/bash
# Schedulers from shared objects: what a wrong one is refused with, its parameters and counters everywhere, and that a
# changed file is another run.
source test/cli/expect.bash
command -v cc >/dev/null || exit 77
[[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a shared object that is built without it meets a sanitizer's allocator
cd "$work" || exit 1

# policy NAME FIELDS [TOP]: NAME.so, greedy then oldest with these fields.
policy() {
    cat >"$1.c" <<C
#include <onchip_policy.h>
static int pick(const oc_policy *p, uint32_t k, uint64_t ready) { return oc_greedy(p->sm->scheduler[k], ready); }
${3:-}
const oc_policy_type onchip_policy = {.version = ONCHIP_POLICY_VERSION, .name = "mine", .doc = "d", .pick = pick, $2};
C
    cc -w -O1 -shared -fPIC -I "$ONCHIP_SOURCE/include" "$1.c" -o "$1.so" || exit 1
}
small=(run vectoradd n=256)
params='static const oc_policy_param params[] = {{"mine", "warp", "mine alone", 3, 1, 9, true, "assumed"},
    {"share", "", "of it", 0.5, 0, 1, false, "assumed"}, {.name = 0}};'
counters='static const oc_policy_counter counters[] = {{"starts", "warp", "warps that started"}, {.name = 0}};
static void start(oc_policy *p, uint32_t w) { p->count[0] += (uint64_t)p->param[0]; }'

policy good '.params = params, .counters = counters, .start = start' "$params
$counters"
gives 0 'mine          starts 24' -- "${small[@]}" --sched ./good.so
gives 0 'mine          starts 40' -- "${small[@]}" --sched "$work/good.so" --set sched.mine=5
gives 0 'mine          starts 40' -- "${small[@]}" --set sched.mine=5 --set sched.policy=./good.so
gives 0 '"sched.starts": 24' -- "${small[@]}" --sched ./good.so --json
gives 0 'mine           = 5            # warp; set on the command line' -- \
    show gpu gtx480 --set sched.policy=./good.so --set sched.mine=5
gives 2 'sched.mine: 10 is out of range with policy mine: a whole number, 1 to 9 warp' -- \
    "${small[@]}" --sched ./good.so --set sched.mine=10
gives 2 '--set:1:12: error' -- "${small[@]}" --sched ./good.so --set sched.mine=10
gives 2 'sched.mine: 2.5 is out of range' -- "${small[@]}" --sched ./good.so --set sched.mine=2.5
gives 2 'sched.share: a number is expected' -- "${small[@]}" --sched ./good.so --set sched.share=nan
gives 2 'sched.share: a number is expected' -- "${small[@]}" --sched ./good.so --set sched.share=x
gives 2 'unknown key sched.mime' -- "${small[@]}" --sched ./good.so --set sched.mime=1
gives 2 'did you mean sched.mine?' -- "${small[@]}" --sched ./good.so --set sched.mime=1
gives 2 'unknown key sched.mine' -- "${small[@]}" --set sched.mine=1  # nobody else knows it

# --- those that are none
gives 2 "can't read ./none.so: No such file" -- "${small[@]}" --sched ./none.so
echo nonsense >text.so
gives 2 "./text.so can't be loaded" -- "${small[@]}" --sched ./text.so
echo 'int x;' >empty.c && cc -shared -fPIC empty.c -o empty.so
gives 2 './empty.so is no policy: it exports no onchip_policy' -- "${small[@]}" --sched ./empty.so
refused() {
    policy wrong "$2" "${3:-}"
    gives 2 "./wrong.so is no policy: $1" -- "${small[@]}" --sched ./wrong.so
}
refused 'it is made for another version' '.version = ONCHIP_POLICY_VERSION + 1'
refused "its name isn't made of small letters" '.name = "Mine"'
refused "its name isn't made of small letters" '.name = 0'
refused 'it lacks a sentence, or pick' '.pick = 0'
refused "it wants what this version doesn't know" '.wants = 64'
refused 'its state has more than 16 MiB' '.state = (size_t)-1'
refused 'it has more than 16 parameters or counters' '.params = params' \
    'static const oc_policy_param params[17] = {[0 ... 16] = {"a", "", "d", 0, 0, 0, 1, "s"}};'
refused 'a parameter lacks a name' '.params = params' \
    'static const oc_policy_param params[] = {{"policy", "", "d", 0, 0, 0, 1, "s"}, {.name = 0}};'
refused "a parameter's standard value is out of its range" '.params = params' \
    'static const oc_policy_param params[] = {{"a", "", "d", 2, 0, 1, 1, "s"}, {.name = 0}};'
refused "a parameter's standard value is out of its range" '.params = params' \
    'static const oc_policy_param params[] = {{"a", "", "d", 0.0 / 0.0, 0, 1, 1, "s"}, {.name = 0}};'
refused "a parameter's words don't name each of its values" '.params = params' \
    'static const oc_policy_param params[] = {{"a", "", "d", 0, 0, 2, 1, "s", "no yes"}, {.name = 0}};'
for range in '-1 / 0.0, 1' '0, 1 / 0.0'; do
    refused "a parameter's standard value is out of its range" '.params = params' \
        "static const oc_policy_param params[] = {{\"a\", \"\", \"d\", 0, $range, 1, \"s\"}, {.name = 0}};"
done
refused 'a counter lacks a name' '.params = params, .counters = counters' "$params
static const oc_policy_counter counters[] = {{\"mine\", \"\", \"d\"}, {.name = 0}};"

# --- values that have names
gives 2 'sched.epochs is one of: warp thread' -- "${small[@]}" --sched ciao-t --set sched.epochs=lane
for value in warp thread 0 1; do gives 0 'right' -- "${small[@]}" --sched ciao-t --set sched.epochs=$value; done
run show gpu gtx480 --set sched.policy=ciao-t --set sched.epochs=1
grep -q '^epochs  *= thread ' <<<"$out" ||
    complain 'show gpu does not name the value of sched.epochs'

# --- a description can't run code; the command line can
printf '[gpu]\nbase = gtx480\n[sched]\npolicy = %s/good.so\n' "$work" >mine.ini
gives 1 "a description can't name a shared object" -- "${small[@]}" --gpu ./mine.ini
printf '[gpu]\nbase = gtx480\n[sched]\nlimit = 2\nvictims = 4\n' >mine.ini  # of policies that aren't chosen
gives 0 'the result is right' -- "${small[@]}" --gpu ./mine.ini

# --- stored: counters are columns, and the file's contents are a part of the key
printf '[matrix]\nprogram = vectoradd n=256\ngpu = gtx480\nsched.policy = gto, ./good.so\n' >m.ini
gives 0 '2 runs: 0 in the store already, 2 simulated' -- sweep m.ini --db m.db
gives 0 '2 runs: 2 in the store already, 0 simulated' -- sweep m.ini --db m.db
gives 0 $'24' -- db list --db m.db --columns sched.starts
policy good '.params = params, .counters = counters, .start = start, .wants = OC_WANTS_USE' "$params
$counters"
gives 0 '2 runs: 1 in the store already, 1 simulated' -- sweep m.ini --db m.db

# --- one that would never let a warp go: the program ends all the same, and the counter tells
policy never '.open = open, .cta_start = shut' '
static void open(oc_policy *p) { for (int k = 0; k < 4; k++) p->issue[k] = 0; }
static void shut(oc_policy *p, uint32_t c) { for (int k = 0; k < 4; k++) p->issue[k] = p->load[k] = 0; }'
gives 0 'the policy held back ready warps for too long' -- run vectoradd n=64 --sched ./never.so
# Once let go, a warp is held back again: each of its instructions waits for more than 2^15 cycles.
gives 0 '"sched.fed"' -- run vectoradd n=64 --sched ./never.so --json
number() { sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" <<<"$out" | head -n 1; }
fed=$(number sched.fed) warps=$(number warps) cycles=$(number cycles)
((fed >= 8 * warps && cycles > fed / warps * 32768)) ||
    complain "$fed instructions of $warps warps were let go in $cycles cycles"
policy wait '.route = route' '
static oc_route route(oc_policy *p, uint32_t w, const oc_access *a) { return OC_ROUTE_WAIT; }'
gives 0 'the policy held back ready warps for too long' -- run vectoradd n=64 --sched ./wait.so

# --- one that picks what isn't ready: an error that names the policy, the cycle and the bit
for wide in gtx480 titan_black; do  # an instruction a cycle of each scheduler, and two
    small=(run vectoradd n=64 --gpu $wide)
    for wrong in 63 64 -2 '1 << 30' '-2147483647 - 1' '__builtin_ctzll(~ready)'; do
        policy wrong '.pick = wrong' \
            "static int wrong(const oc_policy *p, uint32_t k, uint64_t ready) { return $wrong; }"
        gives 1 'policy mine picked bit' 'in cycle' "which isn't one of the ready warps 0x" -- \
            "${small[@]}" --sched ./wrong.so
    done
    policy none '.pick = none' 'static int none(const oc_policy *p, uint32_t k, uint64_t ready) { return -1; }'
    gives 1 'policy mine picked no warp (-1) for scheduler' 'clear their bits in `issue`' -- \
        "${small[@]}" --sched ./none.so
done
exit $bad
