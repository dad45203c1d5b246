#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/public.bash"
part 1 4
exit $bad
