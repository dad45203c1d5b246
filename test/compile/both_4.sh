#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/both.bash"
part 3 6
exit $bad
