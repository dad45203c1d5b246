#!/bin/bash
# libraries/thrust.cu: Thrust sorts, adds up and transforms.
source "$ONCHIP_SOURCE/test/compile/libraries.bash"
library thrust thrust/sort.h
exit $((${bad:-0} ? bad : tried ? 0 : 77))
