// stream.h: what the streaming programs' hosts share: the shape of the launch, which is free, so that the best can be
// searched for (S-L1, §4.1), hashes, and the index of lines that a CPU assembles by.
#ifndef WORKLOADS_STREAMING_STREAM_H
#define WORKLOADS_STREAMING_STREAM_H

#include "../text.h"

// --- The launch -----------------------------------------------------------------------------------------------------

#define SHAPE_PARAMS                                                                    \
    {"blocks", "blocks, 1 to 65535", 2, 60, 1, 65535},                                  \
    {                                                                                   \
        "threads", "threads of a block, a multiple of 32 up to 1024", 64, 128, 32, 1024 \
    }

typedef struct Shape {
    oc_dim3 grid, block;
    int64_t threads;  // of all blocks
} Shape;

static inline Shape work_shape(Work *work)
{
    const int64_t blocks = work_blocks(work, "blocks"), threads = work_param(work, "threads");
    if (threads % 32 != 0) work_refuse(work, "threads", "a multiple of 32");
    return (Shape){dim1((uint32_t)blocks), dim1((uint32_t)threads), blocks * threads};
}

// How many of n elements each thread gets; the last one with any may get fewer.
static inline int64_t chunk_of(Shape shape, int64_t n) { return (n + shape.threads - 1) / shape.threads; }

static inline void check_bytes(Work *work, const char *what, const void *got, const void *want, size_t size)
{
    const size_t words = (size + 3) / 4;
    uint32_t *g = work_host(work, words * 4), *w = work_host(work, words * 4);
    if (!work_ok(work)) return;
    memcpy(g, got, size);
    memcpy(w, want, size);
    work_check_u32(work, what, g, w, words);
}

// --- Hashes, as kernel.h makes them ---------------------------------------------------------------------------------

#define HASH_START 0xCBF29CE484222325
static inline uint64_t hash_add(uint64_t hash, uint32_t c) { return (hash ^ c) * 0x100000001B3; }

static inline uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < length; i++) hash = hash_add(hash, (uint8_t)text[i]);
    return hash;
}

// --- The CPU's part -------------------------------------------------------------------------------------------------

// What the CPU assembles of a line (S-L1, §4.3).
typedef struct Needed {
    const char *begin, *end;
} Needed;

static inline StreamInput stream_lines(Work *work, const Lines *lines, Needed (*needed)(const char *line), void *own)
{
    uint32_t *index = work_host(work, lines->count * sizeof *index);
    const char *line = lines->text;
    for (uint32_t n = 0; index && n < lines->count; n++) {
        const Needed part = needed(line);
        const char *next = strchr(line, '\n') + 1;
        index[n] = STREAM_LINE(next - line, part.begin - line, part.end - part.begin);
        line = next;
    }
    return (StreamInput){.bytes = (const uint8_t *)lines->text,
                         .size = lines->used,
                         .lines = index,
                         .line_count = lines->count,
                         .own = own};
}

#endif
