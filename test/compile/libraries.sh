#!/bin/bash
# The programs of libraries/, each for a library of templates that Debian has: CUB, libcu++ (and what stands in for a
# part of it), ViennaCL and Eigen. Thrust's, which take longest, are in thrust.sh.
source "$ONCHIP_SOURCE/test/compile/program.bash"
library cub/cub.cuh libraries/cub
library cuda/std/atomic libraries/libcu++
library cuda/std/atomic libraries/pipeline
checked pipeline
library viennacl/vector.hpp libraries/viennacl
library eigen3/Eigen/Core libraries/eigen -I/usr/include/eigen3 -U__NVCC__
verdict
