// nw: the scores of the best alignments of two sequences (Needleman, Wunsch). The alignment itself isn't asked for: the
// host would find it by a walk back through the scores.
#include "../host.h"

#define LETTERS 24  // as many as BLOSUM62 has, the table that Rodinia uses

// A random table in the place of BLOSUM62, and in its range: 4 to 11 for a letter and itself, -4 to 3 for two letters.
// (In BLOSUM62, X and * are like themselves by -1 and 1.) Rodinia draws ten of the letters, here all are drawn.
static void make_table(Work *work, int32_t table[LETTERS][LETTERS])
{
    for (int a = 0; a < LETTERS; a++) {
        for (int b = 0; b < a; b++) table[a][b] = table[b][a] = (int32_t)(work_random(work) % 8) - 4;
        table[a][a] = 4 + (int32_t)(work_random(work) % 8);
    }
}

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), block = work_param(work, "block");
    const int64_t columns = n + 1, width = n / block;
    const int32_t penalty = (int32_t)work_param(work, "penalty");
    const size_t count = (size_t)(columns * columns), bytes = count * sizeof(int32_t);
    if (block != 16 && block != 32 && block != 64) work_refuse(work, "block", "16, 32 or 64");
    if (n % block != 0) work_refuse(work, "n", "a multiple of the block");
    uint8_t *down = work_host(work, (size_t)columns), *across = work_host(work, (size_t)columns);
    int32_t *similarity = work_host(work, bytes), *scores = work_host(work, bytes), *got = work_host(work, bytes);
    if (!work_ok(work)) return;
    int32_t table[LETTERS][LETTERS];
    work_seed(work, work_param(work, "seed"));
    make_table(work, table);
    for (int64_t i = 1; i <= n; i++) down[i] = (uint8_t)(work_random(work) % LETTERS);
    for (int64_t i = 1; i <= n; i++) across[i] = (uint8_t)(work_random(work) % LETTERS);
    for (int64_t y = 1; y <= n; y++)
        for (int64_t x = 1; x <= n; x++) similarity[y * columns + x] = table[down[y]][across[x]];
    for (int64_t i = 1; i <= n; i++) scores[i] = scores[i * columns] = (int32_t)-i * penalty;
    WorkBuf dsimilarity = work_upload(work, "similarity", similarity, bytes);
    WorkBuf dscores = work_upload(work, "scores", scores, bytes);

    const char *grow = block == 16 ? "needle_grow" : block == 32 ? "needle_grow_32" : "needle_grow_64";
    const char *shrink = block == 16 ? "needle_shrink" : block == 32 ? "needle_shrink_32" : "needle_shrink_64";
    const oc_dim3 threads = dim1((uint32_t)block);
    for (int64_t length = 1; length <= width && work_ok(work); length++)
        work_launch(work, grow, dim1((uint32_t)length), threads, 0,
                    ARGS(arg_i32(columns), arg_i32(penalty), arg_i32(length), arg_buf(dsimilarity), arg_buf(dscores)));
    for (int64_t length = width - 1; length > 0 && work_ok(work); length--)
        work_launch(work, shrink, dim1((uint32_t)length), threads, 0,
                    ARGS(arg_i32(columns), arg_i32(penalty), arg_i32(length), arg_i32(width), arg_buf(dsimilarity),
                         arg_buf(dscores)));
    work_read(work, got, dscores, bytes);
    if (!work_ok(work)) return;

    for (int64_t y = 1; y <= n; y++)
        for (int64_t x = 1; x <= n; x++) {
            const int32_t *above = scores + (y - 1) * columns + x;
            scores[y * columns + x] =
                larger(above[-1] + table[down[y]][across[x]], larger(above[0], scores[y * columns + x - 1]) - penalty);
        }
    work_check_u32(work, "scores", (const uint32_t *)got, (const uint32_t *)scores, count);
}

static const WorkParam params[] = {
    {"n", "letters of each sequence, a multiple of the block up to 8192", 96, 512, 16, 8192},
    {"penalty", "penalty of a gap, for each letter, 0 to 1000", 10, 10, 0, 1000},
    {"block", "rows and columns of a tile, threads of a block: 16, 32 or 64", 16, 16, 16, 64},
    {"seed", "seed of the letters and their similarities, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_rodinia_nw = {
    "nw", "rodinia", "Scores of the alignments of two sequences, over tiles in shared memory (Rodinia)", params, run};
