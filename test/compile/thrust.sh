#!/bin/bash
# libraries/thrust.cu and sort.cu: Thrust transforms, adds up and sorts.
source "$ONCHIP_SOURCE/test/compile/program.bash"
library thrust/scan.h libraries/thrust
library thrust/sort.h libraries/sort
verdict
