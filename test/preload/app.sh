#!/bin/bash
# An application of the driver API that knows nothing of us, with and without libonchip-sl1.so before it: it prints the
# same, and what the stand-in driver recorded is what should have been launched. (LD_LIBRARY_PATH has the stand-in.)
set -euo pipefail
library=$ONCHIP_BUILD/libonchip-sl1.so
[[ -e $library && -z ${ONCHIP_SANITIZED:-} ]] || exit 77  # a sanitizer wants to be loaded first itself
here=$ONCHIP_SOURCE/test/preload
source "$ONCHIP_SOURCE/test/test.bash"
cd "$work"
cp "$here/add.ptx" .
cc -std=gnu17 -Wall "$here/app.c" -o app -ldl
cc -std=gnu17 -Wall -DLINKED "$here/app.c" -o app-linked "$LD_LIBRARY_PATH/libcuda.so.1"


# both HOW WHAT [IMAGE]: the same with us as without. Leaves out, and the lines of the record and the log of the run
# with us.
both() {
    local program=./app plain='' out=''
    now=$*
    [[ $1 != linked ]] || program=./app-linked
    : >record >log
    "$program" "$1" "$2" "${3:-add.ptx}" >plain || complain "$now: fails without us"
    STAND_IN_RECORD=record ONCHIP_SL1_LOG=log LD_PRELOAD=$library "$program" "$1" "$2" "${3:-add.ptx}" >out ||
        complain "$now: fails"
    IFS= read -rd '' plain <plain || true
    IFS= read -rd '' out <out || true
    [[ $plain == "$out" ]] || { complain "$now: another output"; diff plain out >&2; }
    mapfile -t record <record
    mapfile -t log <log
}
# any EXPRESSION LINE …: an extended one.
any() {
    local line
    for line in "${@:2}"; do [[ ! $line =~ $1 ]] || return 0; done
    return 1
}
# Each line must be there.
recorded() { any "^$1\$" "${record[@]}" || { complain "$now: not recorded: $1"; cat record >&2; }; }
logged() { any "^onchip-sl1: .*$1" "${log[@]}" || { complain "$now: not in the log: $1"; cat log >&2; }; }
never() { ! any "$1" "${record[@]}" || complain "$now: recorded: $1"; }

# 64 threads have 2 lines of 16 bytes, one for each structure: 2 KiB, and some bytes for their warps' choice, behind
# what the application takes, rounded up to 16. Shared memory of an H200's block is up to 227 KiB = 232448 bytes.
some='smem 2[01][0-9][0-9]'
apart="add\\\$sl1_apart grid 4 block 64 $some region 0 lines 2"
as_it_is='add grid 4 block 64 smem 0 bytes [0-9]+'

# --- ways to the driver -----------------------------------------------------------------------------------------------
for how in dlsym proc linked; do
    both $how launch
    recorded 'cuModuleLoadDataEx: rewritten'
    recorded 'cuFuncSetAttribute add\$sl1_apart 8 232448'
    recorded "cuLaunchKernel $apart bytes 0"
    recorded cuModuleUnload
    logged 'module 1: add is rewritten: 2 data structures$'
    logged 'module 1: plain is left alone: no loop'
    shared='2[01][0-9][0-9] bytes of dynamic shared memory a block'
    logged "add is launched rewritten: 2 lines of 16 bytes a thread, $shared, pointers apart\$"
done
[[ $(grep -c 'launched rewritten' log) == 1 ]] || complain "$now: logged more than once"
both ptsz launch
recorded "cuLaunchKernel_ptsz $apart bytes 0"

# --- ways to load and to launch ---------------------------------------------------------------------------------------
for what in data file fatbinary; do
    both proc $what
    recorded 'cuModuleLoadData: rewritten'
    recorded "cuLaunchKernel $apart bytes 0"
done
for what in library library-file library-function; do
    both proc $what
    recorded 'cuLibraryLoadData: rewritten'
    recorded 'cuKernelSetAttribute add\$sl1_apart 8 232448'
    recorded "cuLaunchKernel $apart bytes 0"
    recorded cuLibraryUnload
done
both proc library-module
recorded 'cuFuncSetAttribute add\$sl1_apart 8 232448'
recorded "cuLaunchKernel $apart bytes 0"
both proc stream-ex-
recorded "cuLaunchKernelEx $apart bytes 0"
for what in extra extra-tight; do  # a buffer of 24 bytes, or of the 20 that are used: ours are at 20 and 24 in both
    both proc $what
    recorded "cuLaunchKernel $apart bytes 28"
done
both proc same
recorded "cuLaunchKernel add\\\$sl1 grid 4 block 64 $some region 0 lines 2 bytes 0"
logged 'pointers that may alias$'
both proc again
grep -q 'no memory is lost' out || complain "$now: memory is lost"

# For a target below sm_70 the log says what is assumed, and a setting leaves the loop alone.
sed 's/sm_80/sm_52/' add.ptx >old.ptx
assumed='module 1: add: the target is older than sm_70: it is assumed'
! grep -q "$assumed" log || complain "$now: something is assumed for sm_80"
both proc launch old.ptx
logged "$assumed"
ONCHIP_SL1=lockstep both proc launch old.ptx
logged 'module 1: add is left alone: lanes of a warp could exchange data in it$'

# --- shared memory of the application's own ---------------------------------------------------------------------------
both proc some  # 1000 bytes
recorded 'cuLaunchKernel add\$sl1_apart grid 4 block 64 smem 3[01][0-9][0-9] region 1008 lines 2 bytes 0'
for what in much-asked library-much-asked; do
    both proc $what
    recorded 'cuLaunchKernel add\$sl1_apart grid 4 block 64 smem 62[01][0-9][0-9] region 60000 lines 2 bytes 0'
done
both proc much  # more than it may: its launch fails, and shall
grep -q 'cuLaunchKernel: 1' out || complain "$now: doesn't fail"
never '\$sl1.* grid'

# --- left alone -------------------------------------------------------------------------------------------------------
left() {  # HOW WHAT CALL WHY
    both "$1" "$2"
    recorded "$3 $as_it_is"
    never '\$sl1.* grid'
    logged "add is launched as it is: $4"
}
left proc capture 'captured cuLaunchKernel' 'its stream is being captured'
left ptsz capture-ex- 'captured cuLaunchKernelEx_ptsz' 'its stream is being captured'
left proc cooperative cuLaunchCooperativeKernel 'it is cooperative'
left ptsz cooperative cuLaunchCooperativeKernel_ptsz 'it is cooperative'
left proc ex-with-cooperative cuLaunchKernelEx 'it is cooperative'
left proc ex-with-cluster cuLaunchKernelEx 'its blocks form clusters'
left ptsz ex-with-updatable cuLaunchKernelEx_ptsz 'it becomes a node of a graph'
left proc cluster cuLaunchKernel 'its blocks form clusters'
both proc graph
recorded "cuGraphLaunch $as_it_is"
never '\$sl1.* grid'
both proc plain
recorded 'cuLaunchKernel plain grid 4 block 64 smem 0 bytes 0'
STAND_IN_WONT_LAUNCH='$sl1' left proc launch cuLaunchKernel 'the driver refuses the rewritten one: '

STAND_IN_REFUSES=sl1_shared both proc launch
recorded 'cuModuleLoadDataEx: text'
recorded "cuLaunchKernel $as_it_is"
[[ $(grep -c '^option 4: 4096$' record) == 2 ]] || complain "$now: the second try has other options"
logged 'module 1 is left alone: the driver refuses it rewritten: CUDA_ERROR_INVALID_PTX$'
STAND_IN_REFUSES=sl1_shared both proc library
recorded "cuLaunchKernel $as_it_is"

printf '.version 8.0\n.target sm_80\n.address_size 64\nnonsense\n' >broken.ptx
both proc data broken.ptx
recorded 'cuModuleLoadData: text'
logged 'module 1 is left alone: its PTX is not understood'
: >empty.ptx
both proc data empty.ptx
logged 'module 1 is left alone: it is neither PTX nor a fat binary'

# --- settings ---------------------------------------------------------------------------------------------------------
ONCHIP_SL1=line=8,noalias,bogus both proc same
recorded 'cuLaunchKernel add\$sl1_apart grid 4 block 64 smem 1[01][0-9][0-9] region 0 lines 2 bytes 0'
logged "ONCHIP_SL1: no setting 'bogus'"
ONCHIP_SL1=line=24 both proc uneven
recorded 'cuLaunchKernel add\$sl1_apart grid 4 block 64 smem 3[01][0-9][0-9] region 0 lines 2 bytes 0'
for what in launch library; do  # four blocks come to four multiprocessors with either kernel
    ONCHIP_SL1=warps=100 both proc $what
    recorded "cuLaunchKernel $apart bytes 0"
done
ONCHIP_SL1=line=24 left proc same cuLaunchKernel 'its pointers may alias, or .* lines of 24 bytes$'
ONCHIP_SL1_LOG= LD_PRELOAD=$library ./app proc launch add.ptx >/dev/null 2>log || complain "$now: fails without a log"
[[ ! -s log ]] || complain "$now: it speaks without being asked"

# --- fat binaries -----------------------------------------------------------------------------------------------------
# le BYTES NUMBER: little endian.
le() {
    local n=$2 k bytes='' byte
    for ((k = 0; k < $1; k++)); do
        printf -v byte '\\x%02x' $((n >> 8 * k & 255))
        bytes+=$byte
    done
    printf "$bytes"
}
# entry KIND CAPABILITY FLAGS UNPACKED FILE: padded to 8 bytes.
entry() {
    local bytes padded
    bytes=$(stat -c %s "$5") padded=$(((bytes + 7) / 8 * 8))
    le 2 "$1" && le 2 0x101 && le 4 64 && le 8 $padded && le 4 $(($4 ? bytes : 0)) && le 4 0 && le 4 0 && le 4 "$2" &&
        le 8 0 && le 8 "$3" && le 8 0 && le 8 "$4"
    cat "$5"
    head -c $((padded - bytes)) /dev/zero
}
container() {  # of entries
    le 4 0xba55ed50 && le 2 1 && le 2 16 && le 8 "$(stat -c %s "$1")"
    cat "$1"
}
# LZ4: "//-", 96 times the byte before, then the PTX behind a line's end, as literals.
packed() {
    local n=$(($1 + 1 - 15))
    printf '\x3f//-\x01\x00' && le 1 $((96 - 4 - 15))
    printf '\xf0'
    for (( ; n >= 255; n -= 255)); do printf '\xff'; done
    le 1 $n
    echo
    cat add.ptx
}
bytes=$(stat -c %s add.ptx)
packed "$bytes" >lz4
head -c 40 lz4 >cut
printf 'no code, really' >code
export STAND_IN_CODE=add.ptx

entry 1 80 0x11 0 add.ptx >entries && container entries >plain.fatbin
{ entry 1 70 0x11 0 broken.ptx && entry 2 80 0x11 0 code && entry 1 80 0x2011 $((bytes + 100)) lz4 &&
    entry 1 100 0x11 0 broken.ptx; } >entries && container entries >lz4.fatbin
for image in plain lz4; do
    for what in data wrapped-fatbinary wrapped-library library-file; do
        both proc $what $image.fatbin
        recorded 'cu(Module|Library)LoadData: rewritten'
        recorded "cuLaunchKernel $apart bytes 0"
    done
done

refused() {  # WHY: of the container with these entries
    container entries >refused.fatbin
    both proc wrapped-library refused.fatbin
    recorded "cuLaunchKernel $as_it_is"
    logged "module 1 is left alone: $1\$"
}
entry 2 90 0x11 0 code >entries && refused 'it is machine code alone'
entry 1 100 0x11 0 add.ptx >entries && refused 'its PTX is for later GPUs'
{ entry 1 80 0x11 0 add.ptx && entry 2 90 0x11 0 code; } >entries &&
    refused 'its PTX, for compute capability 8.0, is older than its machine code, for 9.0'
{ entry 1 80 0x11 0 add.ptx && entry 1 80 0x11 0 add.ptx; } >entries &&
    refused 'it has several PTX modules for the same GPU'
entry 1 80 0x2011 5000 lz4 >entries && refused 'its compressed PTX is damaged'
entry 1 80 0x2011 $((bytes + 100)) cut >entries && refused 'its compressed PTX is damaged'
entry 1 80 0x8011 $((bytes + 100)) lz4 >entries &&
    refused 'its (compressed PTX is damaged|PTX is compressed with zstd, and there is no libzstd.so.1 here)'
entry 1 80 0x11 0 add.ptx | head -c 500 >entries && refused 'its fat binary is damaged'
printf '\x7fELF\x02\x01\x01' >code.cubin
both proc data code.cubin
recorded "cuLaunchKernel $as_it_is"
logged 'module 1 is left alone: it is machine code alone$'

# --- dlsym knows its caller -------------------------------------------------------------------------------------------
now="dlsym(RTLD_NEXT)"
cat >next.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
int puts(const char *s) { return ((int (*)(const char *))dlsym(RTLD_NEXT, "puts"))(s); }
C
cat >hello.c <<'C'
#include <stdio.h>
int main(void) { return puts("hello") < 0; }
C
cc -shared -fPIC next.c -o next.so -ldl
cc -fno-builtin hello.c -o hello
[[ $(LD_PRELOAD="$library $work/next.so" ./hello) == hello ]] || complain "$now: the caller of dlsym is lost"

exit $bad
