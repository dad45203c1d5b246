#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/public.bash"
part 2 4
exit $bad
