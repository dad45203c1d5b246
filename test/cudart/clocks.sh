#!/bin/bash
# A program that times itself (data/clocks.cu) reads simulated time: what forty timings print is what the report says of
# the kernels between the first and the last of each, within 2 %. Nothing of the report depends on which clock it reads.
# Waits last until their time by that clock, and end. Who reads the host's clock, and what the report says of it.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
command -v clang >/dev/null && command -v jq >/dev/null && [[ -z ${ONCHIP_SANITIZED:-} ]] || exit 77
now='onchip cc'
"$onchip" cc -O2 -std=c++17 "$ONCHIP_SOURCE/test/cudart/data/clocks.cu" -o clocks -lpthread >log 2>&1 ||
    { complain "$(head -c 600 log)" && exit 1; }
slow=(--gpu gtx480 --set gpu.clock=1)  # a few instructions take long

# --- forty timings ---------------------------------------------------------------------------------------------------
run "${slow[@]}" --json -o simulated.json ./clocks times
ends 0
jq -r '.kernels[] | "\(.start_seconds) \(.end_seconds)"' simulated.json >kernels
# The first kernels are those that nothing times: one round of all.
awk 'NR == FNR { from[NR] = $1; to[NR] = $2; n = NR; next }
     { launches += $2; name[FNR] = $1; count[FNR] = $2; ms[FNR] = $3; rows = FNR }
     END {
         at = n - launches
         for (r = 1; r <= rows; r++) {
             span = 1e3 * (to[at + count[r]] - from[at + 1])
             at += count[r]
             off = ms[r] / span - 1
             printf "%s %.4f ms, the report %.4f, %+.2f %%\n", name[r], ms[r], span, 100 * off
             if (span <= 1 || off < -0.02 || off > 0.02) print "off:", name[r], ms[r], span
         }
         print rows, "rows"
     }' kernels out >rows
grep -q '^40 rows$' rows || complain "$(tail -n 1 rows)"
! grep '^off' rows >offs || complain "$(<offs)"
[[ ${CLOCKS_SHOW:-} ]] && cat rows

# --- nothing else moves ----------------------------------------------------------------------------------------------
now='the same report'
strip() { jq -S 'del(.clock, .wall_seconds)' "$1"; }
run "${slow[@]}" --json -o host.json --clock host ./clocks times
ends 0
[[ $(jq -r .clock simulated.json) == simulated && $(jq -r .clock host.json) == host ]] ||
    complain "the clocks are $(jq -c .clock simulated.json host.json)"
diff <(strip simulated.json) <(strip host.json) >difference || complain "$(head -n 5 difference)"

now='onchip sweep'
for stored in 0 1; do
    "$onchip" sweep --db db "${slow[@]}" ./clocks times >out 2>err
    grep -q ": $stored in the store already, $((1 - stored)) simulated, 0 failed" out || complain "$(cat out err)"
done

# --- waits -----------------------------------------------------------------------------------------------------------
# waits WHERE OPTION …: where the program's clock is, with regard to the host's.
waits() {
    run --gpu gtx480 "${@:2}" ./clocks waits
    ends 0
    prints <<<"$1 the host's"$'\n0 wrong'
}
waits behind
waits 'ahead of' "${slow[@]}"
waits near --clock host

# --- whose clock it is -----------------------------------------------------------------------------------------------
run ./clocks fork
sort out | diff - <(printf 'child as the host\nhere behind\n') >difference || complain "$(<difference)"
says 'the program read simulated time'
run --clock simulated ./clocks fork
sort out | diff - <(printf 'child as here\nhere behind\n') >difference || complain "$(<difference)"
run --clock host ./clocks fork
sort out | diff - <(printf 'child as the host\nhere as the host\n') >difference || complain "$(<difference)"
says "the program read the host's time"
printf '#!/bin/sh\n./clocks fork\n' >script
chmod +x script
run ./script
sort out | diff - <(printf 'child as the host\nhere behind\n') >difference || complain "$(<difference)"

# A program that opens CUDA's library later may be an interpreter.
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int main(void)
{
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit");
    printf("%d\n", init(0));
    return time(NULL) < 1000;
}
C
cc opens.c -o opens || exit 1
for clock in host simulated; do
    run --json -o opens.json $([[ $clock == host ]] || echo --clock $clock) ./opens
    prints <<<0
    [[ $(jq -r .clock opens.json) == "$clock" ]] || complain "its clock is $(jq -c .clock opens.json), not $clock"
done

run --clock sundial ./clocks fork
ends 2
says "--clock is simulated or host, not 'sundial'"
exit $bad
