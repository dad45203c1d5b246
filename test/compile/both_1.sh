#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/both.bash"
part 0 6
exit $bad
