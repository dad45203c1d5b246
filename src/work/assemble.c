// assemble.c: the CPU's stage of BigKernel: the bytes that a chunk's threads listed are gathered, and laid out so that
// what the lanes of a warp read at a time lies side by side. A feed is, in 32-bit words, each thread's number of bytes
// and the place of each warp's data in the feed; then the data of the warps, unit u of lane l at (u · 32 + l) · unit.
// The lanes of a warp take up as much room as the longest of them.
#include "work/stream.h"

#include "chip/chip.h"

#include <string.h>

enum { ALIGN = 128 };

typedef struct Assembly {
    const uint32_t *lists;
    uint32_t threads, unit;
    const uint8_t *chunk;
    uint8_t *feed;
    uint32_t *lengths, *places;
} Assembly;

// The place of the next run of a list, its length in *count; *word and *at are where the walk is. False at the end.
static bool next_run(const Assembly *a, const uint32_t **word, size_t *at, uint32_t *count)
{
    if (!**word) return false;
    *at += **word >> 16;
    *count = **word & 0xffff;
    *word += a->threads;
    return true;
}

static void measure_warp(void *user, uint32_t warp)
{
    Assembly *a = user;
    uint32_t most = 0;
    for (uint32_t t = warp * LANES; t < (warp + 1) * LANES; t++) {
        const uint32_t *word = a->lists + a->threads + t;
        size_t at = 0;
        uint32_t bytes = 0;
        for (uint32_t count; next_run(a, &word, &at, &count);) bytes += count;
        a->lengths[t] = bytes;
        most = MAX(most, bytes);
    }
    a->places[warp] = (most + a->unit - 1) / a->unit * a->unit * LANES;  // its size, for now
}

static void copy_warp(void *user, uint32_t warp)
{
    const Assembly *a = user;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t *word = a->lists + warp * LANES + lane;
        size_t at = *word;
        uint8_t *to = a->feed + a->places[warp] + lane * a->unit;
        uint32_t left = a->unit;  // of the unit that is being filled
        word += a->threads;
        for (uint32_t count; next_run(a, &word, &at, &count); at += count) {
            const uint8_t *from = a->chunk + at;
            for (uint32_t rest = count; rest;) {
                uint32_t n = MIN(rest, left);
                memcpy(to, from, n);
                to += n, from += n, rest -= n, left -= n;
                if (!left) to += (LANES - 1) * a->unit, left = a->unit;
            }
        }
    }
}

size_t assemble_head(uint32_t threads) { return ((size_t)threads + threads / LANES) * sizeof(uint32_t); }

size_t assemble_measure(Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, uint32_t *head)
{
    const uint32_t warps = threads / LANES;
    Assembly a = {.lists = lists, .threads = threads, .unit = unit, .lengths = head, .places = head + threads};
    size_t place = (assemble_head(threads) + ALIGN - 1) / ALIGN * ALIGN;
    crew_run(crew, warps, measure_warp, &a);
    for (uint32_t w = 0; w < warps; w++) {
        const uint32_t size = a.places[w];
        a.places[w] = (uint32_t)place;
        place += size;
    }
    return place;
}

void assemble(Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, const uint8_t *chunk, uint32_t *head,
              uint8_t *feed)
{
    Assembly a = {lists, threads, unit, chunk, feed, head, head + threads};
    memcpy(feed, head, assemble_head(threads));
    crew_run(crew, threads / LANES, copy_warp, &a);
}
