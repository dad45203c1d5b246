#!/bin/bash
# l2.sh GPU [OPTION …]: how long a kernel that reads 8 MiB once takes on a GPU, by what its L2 holds: nothing; what the
# same kernel read before; and the dirty lines of a kernel that filled it with stores (doc/results/stopwatch.md).
set -euo pipefail
cd "$(dirname "$0")/.."
onchip=$(realpath "${ONCHIP:-${ONCHIP_BUILD:-build}/onchip}")
gpu=${1:?which GPU}
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
l2=$("$onchip" show gpu "$gpu" | awk '/^\[/ { on = $1 == "[l2]" } on && $1 == "size" { print $3 }')
case $l2 in
*MiB) words=$((${l2%MiB} * 262144)) ;;
*KiB) words=$((${l2%KiB} * 256)) ;;
*) words=$((l2 / 4)) ;;
esac
cd "$folder"
cat >k.ptx <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry fill(.param .u64 z)
{
  .reg .b32 %r<5>; .reg .b64 %d<3>;
  ld.param.u64 %d1, [z]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r3; ret;
}
.visible .entry read(.param .u64 x)
{
  .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p;
  ld.param.u64 %d1, [x]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d1, %d1, %d2;
  ld.global.u32 %r5, [%d1]; ld.global.u32 %r6, [%d1+4194304]; add.u32 %r5, %r5, %r6; setp.ne.u32 %p, %r5, 0;
  @%p st.global.u32 [%d1], %r5; ret;
}
PTX
read='kernel = read
grid = 4096
block = 256
args = &x'
cat >k.args <<END
[buffers]
x = 8MiB:zero
z = $((4 * words))
[launch empty]
$read
[launch itself]
$read
[launch fill]
grid = $((words / 256))
block = 256
args = &z
[launch dirty]
$read
END
"$onchip" run k.ptx @k.args --gpu "$gpu" "$@" --json | jq -r --arg gpu "$gpu $*" '
    [.kernels[] | select(.name == "read") | .rates.seconds * 1e7 | round / 10] |
    "\($gpu): empty \(.[0]) µs, after itself \(.[1]), after stores \(.[2])"'
