// onchip/libcuxx_clock.h: cuda/std/chrono, mended, in front of what includes it. libcu++ 1.8.1 reads the clock by
// "mov.u64 %0, %globaltimer;". nvcc takes it; clang asks for a second % in front of a register's name. The statement is
// written anew, where `volatile` stands before a parenthesis.
#ifndef ONCHIP_LIBCUXX_CLOCK_H
#define ONCHIP_LIBCUXX_CLOCK_H

#include <chrono>
#include <cuda/std/ctime>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#pragma push_macro("volatile")
#define volatile(...) __volatile__("mov.u64 %0, %%globaltimer;" : "=l"(__time))
#include_next <cuda/std/chrono>
#pragma pop_macro("volatile")

#endif
