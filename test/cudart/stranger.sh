#!/bin/bash
# A program that says anything to onchip (stranger.c), in any order, has answers and its own exit status; onchip neither
# crashes, nor waits for ever, nor takes memory that the program merely talks of.
source "$ONCHIP_SOURCE/test/cudart/expect.bash"
now=cc
# It is static, so that no library of ours is loaded into it: one that a sanitizer has built would end it.
cc -static -std=gnu17 -Wall -Wextra -Werror -I "$ONCHIP_SOURCE/src" "$ONCHIP_SOURCE/test/cudart/stranger.c" \
    -o stranger || exit 1
for what in calls launch huge twice half; do
    run ./stranger $what
    ends 3
    ! grep -qE 'AddressSanitizer|runtime error' err || complain "$err"
done
now='onchip run ./stranger sleep, and SIGTERM'  # it waits in the middle of a call
"$onchip" run ./stranger sleep >out 2>err &
until grep -q asleep out || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
kill $!
status=0
wait $! || status=$?
ends 143
exit $bad
