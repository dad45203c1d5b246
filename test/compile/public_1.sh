#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/public.bash"
part 0 4
exit $bad
