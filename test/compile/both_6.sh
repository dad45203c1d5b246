#!/bin/bash
source "$ONCHIP_SOURCE/test/compile/both.bash"
part 5 6
exit $bad
