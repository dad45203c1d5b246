#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/both.bash"
part 2 6
exit $bad
