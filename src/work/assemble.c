// assemble.c: the CPU's stage of BigKernel. It gathers the bytes that a chunk's threads listed and lays them out so
// that what the lanes of a warp read at a time lies side by side. The result is called a feed. It begins with the head,
// 32-bit words: how many bytes each thread has, then where each warp's data begin in the feed. Then come the data of
// the warps. Within a warp's data, unit u of lane l begins at byte (u · 32 + l) · unit. Each lane takes up as much room
// as the longest lane of its warp.
#include "work/stream.h"

#include "exec/launch.h"
#include "gpu/gpu.h"

#include <string.h>

enum { ALIGN = 128 };

typedef struct Assembly {
    const uint32_t *lists;
    uint32_t threads, unit;
    const uint8_t *chunk;
    uint8_t *feed;
    uint32_t *lengths, *places;
} Assembly;

// Goes to the next run of a list: *at becomes its first byte in the chunk, *count its length, and *word moves on to the
// word behind it. The caller adds *count to *at before the next call. False at the end of the list.
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
    crew_run(crew, 0, warps, measure_warp, &a);
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
    crew_run(crew, 0, threads / LANES, copy_warp, &a);
}
