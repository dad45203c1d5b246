#!/bin/bash
# libraries/thrust.cu: Thrust sorts, adds up and transforms.
source "$ONCHIP_SOURCE/test/compile/program.bash"
library thrust/sort.h libraries/thrust
verdict
