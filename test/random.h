// random.h: random numbers that are the same everywhere: splitmix64 (Steele, Lea, Flood).
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// A number from 0 to n − 1.
static inline uint32_t random_below(uint64_t *state, uint32_t n) { return (uint32_t)(next_random(state) >> 32) % n; }

#endif
