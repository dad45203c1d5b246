#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/both.bash"
part 1 6
exit $bad
