#!/bin/bash
# The programs of libraries/, each for a library of templates that Debian has: CUB, libcu++, ViennaCL and Eigen.
# Thrust's, which takes longest, is thrust.sh.
source "$ONCHIP_SOURCE/test/compile/libraries.bash"
library cub cub/cub.cuh
library libcu++ cuda/std/atomic
library viennacl viennacl/vector.hpp
library eigen eigen3/Eigen/Core -I/usr/include/eigen3 -U__NVCC__
exit $((${bad:-0} ? bad : tried ? 0 : 77))
