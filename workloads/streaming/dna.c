// dna: the assembly of a DNA sequence from overlapping fragments.
#include "stream.h"

#define K 31  // as in dna.cu
#define NONE UINT32_MAX

typedef struct Slot {
    uint64_t kmer;
    uint32_t fragment, unused;
} Slot;

typedef struct Link {
    uint32_t next, shift;
} Link;

// Files each fragment under its first k-mer.
static void fill_table(Slot *table, uint32_t mask, const char *bases, int64_t fragments, int64_t length)
{
    for (uint32_t s = 0; s <= mask; s++) table[s].kmer = UINT64_MAX;
    for (int64_t f = 0; f < fragments; f++) {
        uint64_t kmer = 0;
        for (int i = 0; i < K; i++) kmer = kmer << 2 | ((uint8_t)bases[f * length + i] >> 1 & 3);
        uint32_t s = (uint32_t)(kmer * 0x9E3779B97F4A7C15 >> 32) & mask;
        while (table[s].kmer != UINT64_MAX) s = (s + 1) & mask;
        table[s] = (Slot){.kmer = kmer, .fragment = (uint32_t)f};
    }
}

// The genome's fragments begin 1 to half a length apart, but after one in 256 there is no overlap of a k-mer. They come
// in any order: at[f] is where fragment f lies in the genome, by[p] the fragment that is the p-th there.
static void run(Work *work)
{
    const Shape shape = work_shape(work);
    const int64_t fragments = work_shared(work, "fragments"), length = work_param(work, "length");
    const uint32_t slots = power_of_two(4 * fragments);
    const size_t n = (size_t)fragments, of_bases = n * (size_t)length, of_table = slots * sizeof(Slot);
    uint32_t *at = work_host(work, n * sizeof(uint32_t)), *by = work_host(work, n * sizeof(uint32_t));
    char *bases = work_host(work, of_bases), *genome = work_host(work, of_bases);
    Slot *table = work_host(work, of_table);
    Link *got = work_host(work, n * sizeof(Link)), *want = work_host(work, n * sizeof(Link));
    if (!work_ok(work)) return;

    uint32_t end = 0;
    for (size_t p = 0; p < n; p++) {
        const uint32_t other = work_random(work) % (uint32_t)(p + 1);  // Fisher and Yates, inside out
        by[p] = by[other];
        by[other] = (uint32_t)p;
    }
    for (size_t p = 0; p < n; p++) {
        at[by[p]] = end;
        const uint32_t r = work_random(work);
        end += r >> 24 == 0 ? (uint32_t)length : 1 + (r & 0xFFFFFF) % (uint32_t)(length / 2);
    }
    for (size_t i = 0; i < of_bases; i++) genome[i] = "ACGT"[work_random(work) >> 30];
    for (size_t f = 0; f < n; f++) memcpy(bases + f * (size_t)length, genome + at[f], (size_t)length);
    fill_table(table, slots - 1, bases, fragments, length);

    WorkBuf dbases = work_upload(work, "fragments", bases, of_bases);
    WorkBuf dtable = work_upload(work, "table", table, of_table);
    WorkBuf dlinks = work_device(work, "links", n * sizeof(Link));
    work_launch(work, "dna", shape.grid, shape.block, 0,
                ARGS(arg_i32(fragments), arg_i32(chunk_of(shape, fragments)), arg_i32(length), arg_buf(dbases),
                     arg_i32(slots - 1), arg_buf(dtable), arg_buf(dlinks)));
    work_read(work, got, dlinks, n * sizeof(Link));
    if (!work_ok(work)) return;

    // The genome knows: the next fragment in it continues one if they have a k-mer in common.
    for (size_t p = 0; p < n; p++) {
        const int64_t shift = p + 1 < n ? at[by[p + 1]] - at[by[p]] : length;
        want[by[p]] = shift + K <= length ? (Link){by[p + 1], (uint32_t)shift} : (Link){NONE, (uint32_t)length};
    }
    work_check_u32(work, "links", (const uint32_t *)got, (const uint32_t *)want, 2 * n);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"fragments", "fragments of the sequence, 1 to 2^21", 500, 1 << 16, 1, 1 << 21},
    {"length", "bases of a fragment, 64 to 1024", 100, 100, 64, 1024},
    {.name = NULL},
};

const Workload workload_streaming_dna = {
    "dna", "streaming",
    "Which fragment of a DNA sequence continues which, by a hash of k-mers (S-L1, Table 1; Meraculous)", params, run};
