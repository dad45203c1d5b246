// reduce: sums of the blocks' parts of a vector, in seven ways. Only the first stage, which has nearly all of the work.
#include "measured.h"

enum { BLOCK = 512 };
static const char *const kernels[] = {"reduce_modulo",    "reduce_strided",  "reduce_halving",  "reduce_two_loads",
                                      "reduce_last_warp", "reduce_unrolled", "reduce_grid_loop"};

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), way = work_param(work, "way"), each = way > 3 ? 2 * BLOCK : BLOCK;
    const uint32_t blocks = measured_blocks(work, ceil_div(n, each));
    const int64_t some = blocks * each < n ? blocks * each : n;
    uint32_t *x = measured_words(work, some, 1000);
    // Threads of the fifth add what others may not have loaded yet, as it was measured: only zeros have a sure sum.
    for (int64_t k = 0; x && way == 5 && k < some; k++) x[k] = 0;
    uint32_t *got = work_host(work, blocks * sizeof *got);
    uint32_t *want = work_host(work, blocks * sizeof *want);
    WorkBuf dx = work_upload(work, "X", x, (size_t)some * sizeof *x);
    WorkBuf dy = work_device(work, "Y", blocks * sizeof *got);
    measured_launch(work, kernels[way - 1], dim1(blocks), dim1(BLOCK), BLOCK * sizeof(uint32_t),
                    ARGS(arg_buf(dx), arg_i32(some), arg_buf(dy)));
    work_read(work, got, dy, blocks * sizeof *got);
    if (!work_ok(work)) return;
    for (int64_t k = 0; k < some; k++) want[k / each] += x[k];
    work_check_u32(work, "Y", got, want, blocks);
}

static const WorkParam params[] = {
    {"n", "elements, 1 to 2^28", 5000, 8388608, 1, 1 << 28},
    {"way",
     "1: threads of multiples, by a remainder; 2: strided; 3: halving; 4: two loads first; 5: the last warp without "
     "barriers; 6: unrolled; 7: a loop over the grid",
     1, 1, 1, 7},
    MEASURED_PARAMS,
};

const Workload workload_measured_reduce = {
    "reduce", "measured", "Sums of blocks in seven ways (Harris; Programming Massively Parallel Processors)", params,
    run};
