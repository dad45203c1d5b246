#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/both.bash"
part 4 6
exit $bad
