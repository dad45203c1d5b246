#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/public.bash"
part 3 4
exit $bad
