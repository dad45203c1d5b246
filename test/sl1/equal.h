// equal.h: runs kernels as they are, with their calls inlined and local variables forwarded, and rewritten, with
// several settings, and compares what they leave in memory.
#ifndef EQUAL_H
#define EQUAL_H

#include "generate.h"
#include "sl1/unit.h"

#include <stdio.h>

typedef struct Machine {
    const char *gpu;
    uint32_t sm;
} Machine;
extern const Machine machines[3];  // a seed's is the one of its number modulo 3

typedef struct Tally {
    uint32_t kernels, changed;  // of them rewritten
    uint32_t runs, rewritten,
        odd;                   // with the software L1, of them with the rewritten kernel, and with lines of 24 bytes
    uint32_t timed, cached;    // of the runs in time those in which lines were filled
    uint64_t accesses, fills;  // of lines, in them
    uint32_t different;
    FILE *out;  // where differences are told
} Tally;
void prepared_text(const Text *ptx, Text *out);  // the module with its kernels as sl1_prepare leaves them
enum { ALL_SETTINGS = 0x7fffffff };
// settings: a bit each.
void compare_kernel(const char *name, const Machine *machine, uint32_t settings, const Text *ptx, const Launch *launch,
                    Tally *tally);
// The settings with which a kernel runs on a machine: with ONCHIP_LONG all, otherwise a sixth of them on each machine,
// so that the kernel meets half of them, and the next kernel others.
uint32_t case_settings(size_t kernel, size_t machine);
// Seeds first … first + n − 1. Goes on after a difference.
void compare_seeds(uint64_t first, uint32_t n, Tally *tally);
// The same kernels without the software L1, in time and with keys of the description set, against the functional run.
void compare_with(uint64_t first, uint32_t n, const char *const *sets, Tally *tally);

#endif
