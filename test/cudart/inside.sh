#!/bin/bash
# A program with CUDA's runtime inside of it: app.c, linked with functions of the runtime's names that are of no use, so
# that whatever isn't redirected ends the program. A function that is shorter than the jump stays as it is.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
card=gtx480
[[ -z ${ONCHIP_SANITIZED:-} && $(uname -m) == x86_64 ]] || exit 77
now=cc
unset LD_PRELOAD  # one of the tests' own
# inside NAME OPTION …: builds the program; the function NAME is short, and jumps to one that isn't.
inside() {
    local name=$1
    shift
    {
        for function in "${functions[@]}"; do
            printf '.globl %s\n.hidden %s\n.type %s, @function\n%s: ' "$function" "$function" "$function" "$function"
            if [[ $function == "$name" ]]; then
                printf 'jmp cudaLaunchKernel\n'
            else
                printf 'ud2\n.skip 30, 0x90\n'
            fi
            printf '.size %s, . - %s\n.skip 4, 0xcc\n' "$function" "$function"
        done
        echo '.section .note.GNU-stack, "", @progbits'
    } >runtime.s
    cc "$@" app.o reads.o runtime.s -o app || complain 'it should be linked'
}
cc -std=gnu17 -c "$ONCHIP_SOURCE/test/cudart/app.c" -o app.o || exit 1
cc -xc -c - -o reads.o <<'C' || exit 1
#include <time.h>
__attribute__((constructor)) static void read_clock(void) { time(NULL); }
C
mapfile -t functions < <({ nm -u app.o | sed -n 's/^ *U \(_*cuda[A-Z].*\)/\1/p'; echo cudaLaunchKernel; } | sort -u)
for options in -pie -no-pie; do
    inside __cudaLaunchKernel $options
    run ./app fill
    ends 7
    prints <<<'0 wrong'
    says './app fill on gtx480' 'fill grid 16×1×1, block 64×1×1' 'the program read simulated time'
done
printf '#!/bin/sh\n./app fill\n' >script
chmod +x script
run ./script
ends 7
prints <<<'0 wrong'

# Without onchip nothing is changed: the program runs what is in it.
now='./app by itself'
status=0
./app fill >out 2>err || status=$?
ends 132

# What its table of symbols doesn't name can't be redirected.
strip app
run ./app fill
ends 132
says 'If it is stripped' 'nvcc -cudart shared'

now='LD_PRELOAD'
cat >shows.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    printf("[%s]\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "");
    return 0;
}
C
cc shows.c -o shows && run ./shows
ours=$(realpath "$ONCHIP_BUILD")/cuda/libcuda.so.1
prints <<<"[$ours]"
cc -fsanitize=address shows.c -o shows && run ./shows  # a sanitizer wants to be the first of all libraries
ends 0
[[ $(cat out) == \[libasan.so.*:"$ours"\] ]] || complain "$(cat out)"
exit $bad
